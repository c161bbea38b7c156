package checkedstorage

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// client adds a checksum to what is written and checks it when it is read: bbolt
// has none of its data, and a queue with a wrong index would never end.
type client struct {
	storage.Client
	lost func(ctx context.Context, key string)
}

var _ storage.Walker = (*client)(nil)

// Get implements storage.Client. A damaged value is as if it were not there.
func (c *client) Get(ctx context.Context, key string) ([]byte, error) {
	value, err := c.Client.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, key, value), nil
}

// Set implements storage.Client.
func (c *client) Set(ctx context.Context, key string, value []byte) error {
	return c.Client.Set(ctx, key, seal(key, value))
}

// Batch implements storage.Client.
func (c *client) Batch(ctx context.Context, ops ...*storage.Operation) error {
	inner := sealed(ops)
	if err := c.Client.Batch(ctx, inner...); err != nil {
		return err
	}
	for i, op := range ops {
		if op.Type == storage.Get {
			op.Value = c.open(ctx, op.Key, inner[i].Value)
		}
	}
	return nil
}

// sealed leaves the caller's operations as they are.
func sealed(ops []*storage.Operation) []*storage.Operation {
	inner := slices.Clone(ops)
	for i, op := range ops {
		switch op.Type {
		case storage.Set:
			inner[i] = storage.SetOperation(op.Key, seal(op.Key, op.Value))
		case storage.Get:
			inner[i] = storage.GetOperation(op.Key)
		}
	}
	return inner
}

// Walk implements storage.Walker. Damaged values are passed over.
func (c *client) Walk(ctx context.Context, each storage.WalkFunc) error {
	walker, ok := c.Client.(storage.Walker)
	if !ok {
		return errors.ErrUnsupported
	}
	return walker.Walk(ctx, func(key string, value []byte) ([]*storage.Operation, error) {
		if value = c.open(ctx, key, value); value == nil {
			return nil, nil
		}
		ops, err := each(key, value)
		return sealed(ops), err
	})
}

// A sealed value ends with a mark, which no text ends with, and the CRC-32C of
// the key and the value. One without the mark is file_storage's own.
const (
	mark     = "\xfecs1"
	sealSize = len(mark) + crc32.Size
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(key string, value []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, value)
}

func seal(key string, value []byte) []byte {
	out := make([]byte, 0, len(value)+sealSize)
	out = append(append(out, value...), mark...)
	return binary.LittleEndian.AppendUint32(out, checksum(key, value))
}

// open is the value without its seal, nil if it is damaged or nil.
func (c *client) open(ctx context.Context, key string, value []byte) []byte {
	end := len(value) - sealSize
	if end < 0 || string(value[end:end+len(mark)]) != mark {
		return value
	}
	if binary.LittleEndian.Uint32(value[end+len(mark):]) != checksum(key, value[:end]) {
		c.lost(ctx, key)
		return nil
	}
	return value[:end:end]
}
