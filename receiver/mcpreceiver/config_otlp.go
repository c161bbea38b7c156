package mcpreceiver

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

// OTLPConfig configures the embedded OTLP receiver.
type OTLPConfig struct {
	// Config has the keys of the OTLP receiver: protocols::grpc and protocols::http.
	otlpreceiver.Config `mapstructure:",squash"`
	// Metrics passes on metrics that arrive over OTLP, or not: drop or pass.
	Metrics string `mapstructure:"metrics"`
	// Sessions derives sessions from what agents send, or passes all of it unchanged: derive or pass.
	Sessions string `mapstructure:"sessions"`
	_        struct{}
}

// The values of otlp::metrics.
const (
	metricsDrop = "drop"
	metricsPass = "pass"
)

// The values of otlp::sessions.
const (
	sessionsDerive = "derive"
	sessionsPass   = "pass"
)

// defaultOTLP is the OTLP receiver's configuration with what is right for every network edge:
// smaller buffers for each gRPC connection than 512 KiB, and limits of time for HTTP.
func defaultOTLP() configoptional.Optional[OTLPConfig] {
	own := otlpreceiver.NewFactory().CreateDefaultConfig().(*otlpreceiver.Config)
	grpc, http := *own.Protocols.GRPC.GetOrInsertDefault(), *own.Protocols.HTTP.GetOrInsertDefault()
	grpc.ReadBufferSize = 32 << 10
	http.ServerConfig.ReadHeaderTimeout, http.ServerConfig.ReadTimeout, http.ServerConfig.IdleTimeout = 10*time.Second, time.Minute, 5*time.Minute
	own.Protocols.GRPC, own.Protocols.HTTP = configoptional.Default(grpc), configoptional.Default(http)
	return configoptional.Default(OTLPConfig{Config: *own, Metrics: metricsDrop, Sessions: sessionsDerive})
}

// Validate checks the configuration.
func (c *OTLPConfig) Validate() (errs error) {
	if !c.Protocols.GRPC.HasValue() && !c.Protocols.HTTP.HasValue() {
		errs = errors.New("protocols must have at least one of grpc and http")
	}
	if c.Metrics != metricsDrop && c.Metrics != metricsPass {
		errs = errors.Join(errs, fmt.Errorf("metrics: %q is unknown, choose from %s and %s", c.Metrics, metricsDrop, metricsPass))
	}
	if c.Sessions != sessionsDerive && c.Sessions != sessionsPass {
		errs = errors.Join(errs, fmt.Errorf("sessions: %q is unknown, choose from %s and %s", c.Sessions, sessionsDerive, sessionsPass))
	}
	return errs
}
