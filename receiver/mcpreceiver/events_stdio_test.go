package mcpreceiver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A server over stdio cannot be subscribed to; the error says what can be done.
func TestEventsOverStdio(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	e := newEventsConfig()
	e.Endpoint = "stdio:///usr/bin/server"
	e.Subscriptions = []SubscriptionConfig{{Name: "n"}}
	cfg.Events = []EventsConfig{e}
	require.ErrorContains(t, cfg.Validate(), "put mcptap before a server over stdio")
}
