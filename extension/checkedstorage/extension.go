package checkedstorage

import (
	"context"
	"errors"
	"fmt"

	bbolterrors "go.etcd.io/bbolt/errors"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/extension/checkedstorage/internal/metadata"
)

// checkedStorage is file_storage with a check before a file is opened, and a
// checksum of each value.
type checkedStorage struct {
	storage.Extension
	cfg       *Config
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
}

func newStorage(cfg *Config, logger *zap.Logger, telemetry *metadata.TelemetryBuilder, inner extension.Extension) (*checkedStorage, error) {
	files, ok := inner.(storage.Extension)
	if !ok {
		return nil, errors.New("file_storage is no storage extension")
	}
	return &checkedStorage{Extension: files, cfg: cfg, logger: logger, telemetry: telemetry}, nil
}

// GetClient implements storage.Extension. A file that is damaged is renamed
// before, and the client starts empty. A file that another client has, in this
// process or in another one, is an error when Timeout is over.
func (s *checkedStorage) GetClient(ctx context.Context, kind component.Kind, id component.ID, name string) (storage.Client, error) {
	path := pathOf(s.cfg.Directory, kind, id, name)
	if err := s.check(ctx, path); err != nil {
		return nil, err
	}
	inner, err := s.Extension.GetClient(ctx, kind, id, name)
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, lockedError(path)
	}
	if err != nil {
		return nil, fmt.Errorf("storage file %s cannot be opened: %w", path, err)
	}
	return &client{Client: inner, lost: s.lostValue(path)}, nil
}

func lockedError(path string) error {
	return fmt.Errorf("storage file %s is in use by another process: give each collector a directory of its own", path)
}

// lostValue reports a value whose checksum is wrong.
func (s *checkedStorage) lostValue(path string) func(context.Context, string) {
	return func(ctx context.Context, key string) {
		s.telemetry.CheckedFileStorageCorruptValues.Add(ctx, 1)
		s.logger.Error("A stored value is damaged and lost; going on without it",
			zap.String("file", path), zap.String("key", key))
	}
}

// Shutdown implements component.Component.
func (s *checkedStorage) Shutdown(ctx context.Context) error {
	s.telemetry.Shutdown()
	return s.Extension.Shutdown(ctx)
}
