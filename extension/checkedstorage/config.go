package checkedstorage

import (
	"errors"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
)

// Config is that of file_storage, and how long a check may take.
type Config struct {
	// Config has the same keys and, but for Recreate, the same defaults.
	filestorage.Config `mapstructure:",squash"`
	// CheckTimeout is how long one file may be checked. When it is over, the file
	// is opened without the rest of the check. 0: as long as it takes.
	CheckTimeout time.Duration `mapstructure:"check_timeout"`

	_ struct{} // forbids unkeyed literals
}

// Validate implements confmap.Validator.
func (c *Config) Validate() error {
	if c.CheckTimeout < 0 {
		return errors.New("check_timeout must not be negative")
	}
	return nil // that of Config is called by itself
}
