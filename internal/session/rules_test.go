package session

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each rule sees the transaction that it is of, and the rules that it names.
func TestRulesAreConnected(t *testing.T) {
	tx := spareTx.New().(*Tx)
	rules := reflect.ValueOf(&tx.rules).Elem()
	for of, rule := range rules.Fields() {
		for field, to := range rule.Fields() {
			require.Equal(t, reflect.Pointer, to.Kind(), "%s.%s", of.Name, field.Name)
			want := reflect.ValueOf(&tx.core).Pointer()
			if field.Name != "core" {
				want = rules.FieldByName(field.Name).Addr().Pointer()
			}
			assert.Equal(t, want, to.Pointer(), "%s.%s", of.Name, field.Name)
		}
	}
}

// What a transaction knew is gone when it is used again; its rules stay connected.
func TestRelease(t *testing.T) {
	tx, _, _ := begun(t)
	tx.Tenant, tx.About.Parent = "t", "s"
	tx.Rollback()
	tx.Release()
	assert.Empty(t, tx.Tenant)
	assert.Zero(t, tx.About)
	assert.Nil(t, tx.store)
	assert.Same(t, &tx.core, tx.rules.ends.core)
}
