package mcpreceiver

import (
	"context"
	"encoding/json"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/events"
)

// subscribe starts the subscriptions, and the server that events are delivered to.
func (r *mcpReceiver) subscribe(ctx, reading context.Context, host component.Host) error {
	if len(r.cfg.Events) == 0 && !r.cfg.Webhooks.HTTP.HasValue() {
		return nil
	}
	recorded, err := events.OpenSeen(ctx, r.sessions.Storage, r.set.Logger)
	if err != nil {
		return fmt.Errorf("storage: cannot read which events were recorded: %w", err)
	}
	if r.cfg.Storage == nil {
		r.set.Logger.Info("Events that occur while the collector is down are missed, and a few may be recorded twice; set storage to avoid this")
	}
	registry := events.NewRegistry(r.foreignSecrets())
	if r.cfg.Webhooks.HTTP.HasValue() {
		if err := r.serveWebhooks(ctx, host, events.NewEndpoint(r.runner, registry, recorded)); err != nil {
			return fmt.Errorf("webhooks::http: %w", err)
		}
	}
	for i := range r.cfg.Events {
		if err := r.subscribeTo(ctx, reading, host, &r.cfg.Events[i], recorded, registry); err != nil {
			return fmt.Errorf("events::%d: %w", i, err)
		}
	}
	return r.observeSubscriptions()
}

func (r *mcpReceiver) foreignSecrets() (secrets []events.Secret) {
	for _, s := range r.cfg.Webhooks.Secrets {
		secrets = append(secrets, events.Secret{
			Subscription: s.SubscriptionID, Endpoint: s.Endpoint,
			Secret: string(s.Secret), Encoding: events.Encoding(s.Encoding),
		})
	}
	return secrets
}

func (r *mcpReceiver) subscribeTo(
	ctx, reading context.Context, host component.Host, cfg *EventsConfig, recorded *events.Seen, registry *events.Registry,
) error {
	client, err := r.client(ctx, host, &cfg.ClientConfig)
	if err != nil {
		return err
	}
	settings, err := eventsSettings(cfg)
	if err != nil {
		return err
	}
	settings.Runner, settings.Logger, settings.HTTP = r.runner, r.set.Logger, client
	settings.Seen, settings.Registry, settings.Status = recorded, registry, r.reporter()
	settings.Version = r.set.BuildInfo.Version
	source := events.New(settings)
	r.events = append(r.events, source)
	r.reading.Go(func() {
		source.Run(reading)
		client.CloseIdleConnections()
	})
	return nil
}

func eventsSettings(cfg *EventsConfig) (events.Settings, error) {
	generation, err := events.ParseGeneration(cfg.Generation)
	if err != nil {
		return events.Settings{}, err
	}
	s := events.Settings{
		Endpoint: cfg.Endpoint, Generation: generation, Delivery: cfg.Delivery, MaxEvents: cfg.MaxEvents,
		Webhook: events.WebhookSettings{
			URL: cfg.Webhook.URL, Secret: string(cfg.Webhook.Secret), Encoding: events.Encoding(cfg.Webhook.SecretEncoding),
			TTL: cfg.Webhook.TTL, Unsubscribe: cfg.Webhook.UnsubscribeOnShutdown,
		},
	}
	for _, c := range cfg.Subscriptions {
		spec := events.Subscription{Name: c.Name, MaxAge: c.MaxAge}
		if c.Arguments != nil {
			if spec.Arguments, err = json.Marshal(c.Arguments); err != nil {
				return s, err
			}
		}
		s.Subscriptions = append(s.Subscriptions, spec)
	}
	return s, nil
}

func (r *mcpReceiver) observeSubscriptions() error {
	return r.telemetry.RegisterMcpReceiverSubscriptionsCallback(func(_ context.Context, o metric.Int64Observer) error {
		counts := map[[2]string]int64{}
		for _, source := range r.events {
			source.States(func(mode, state string) { counts[[2]string{mode, state}]++ })
		}
		for of, n := range counts {
			o.Observe(n, metric.WithAttributes(r.label(), attribute.String("mode", of[0]), attribute.String("state", of[1])))
		}
		return nil
	})
}
