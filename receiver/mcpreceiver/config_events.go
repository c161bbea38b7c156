package mcpreceiver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"time"

	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/events"
)

// EventsConfig is an MCP server whose events are subscribed to.
type EventsConfig struct {
	// ClientConfig says where it is: https://mcp.example.com/mcp.
	confighttp.ClientConfig `mapstructure:",squash"`
	// Generation of the wire format: auto, g1, g2, g3.
	Generation string `mapstructure:"generation"`
	// Delivery are the ways that are wanted, the best first: webhook, push, poll.
	Delivery []string `mapstructure:"delivery"`
	// Subscriptions are the types of event to subscribe to.
	Subscriptions []SubscriptionConfig `mapstructure:"subscriptions"`
	// MaxEvents bounds the events of one poll.
	MaxEvents int `mapstructure:"max_events"`
	// Webhook says where the server delivers to; without a url it does not.
	Webhook WebhookConfig `mapstructure:"webhook"`
	// prevent unkeyed literal initialization
	_ struct{}
}

// SubscriptionConfig is one type of event.
type SubscriptionConfig struct {
	Name      string         `mapstructure:"name"`
	Arguments map[string]any `mapstructure:"arguments"`
	// MaxAge bounds the age of events that are sent after a gap; 0: any.
	MaxAge time.Duration `mapstructure:"max_age"`
	_      struct{}
}

// WebhookConfig says where a server delivers to.
type WebhookConfig struct {
	// URL is where webhooks::http is reached from outside.
	URL string `mapstructure:"url"`
	// Secret that deliveries are signed with; one is made up if it is empty.
	Secret configopaque.String `mapstructure:"secret"`
	// SecretEncoding says how servers make a key of it: base64, literal.
	SecretEncoding string `mapstructure:"secret_encoding"`
	// TTL is for how long is subscribed; 0: as the server likes.
	TTL time.Duration `mapstructure:"ttl"`
	// UnsubscribeOnShutdown ends subscriptions when the collector stops.
	UnsubscribeOnShutdown bool `mapstructure:"unsubscribe_on_shutdown"`
	_                     struct{}
}

var _ confmap.Unmarshaler = (*EventsConfig)(nil)

// Unmarshal starts from the defaults.
func (c *EventsConfig) Unmarshal(conf *confmap.Conf) error {
	*c = newEventsConfig()
	return conf.Unmarshal(c)
}

func newEventsConfig() EventsConfig {
	return EventsConfig{
		ClientConfig: confighttp.NewDefaultClientConfig(), Generation: events.Auto.String(), MaxEvents: 100,
		Delivery: []string{events.Webhook, events.Push, events.Poll}, Webhook: WebhookConfig{SecretEncoding: string(events.Base64)},
	}
}

// WebhooksConfig is the server that events are delivered to.
type WebhooksConfig struct {
	// HTTP is off unless it is there: it faces the internet, as no other does.
	HTTP configoptional.Optional[confighttp.ServerConfig] `mapstructure:"http"`
	// Secrets belong to subscriptions that another client made.
	Secrets []WebhookSecretConfig `mapstructure:"secrets"`
	_       struct{}
}

// WebhookSecretConfig is a secret and what it is for.
type WebhookSecretConfig struct {
	// SubscriptionID is whose it is; empty: of all that have none of their own.
	SubscriptionID string              `mapstructure:"subscription_id"`
	Secret         configopaque.String `mapstructure:"secret"`
	// Encoding says how senders make a key of it: base64, literal.
	Encoding string `mapstructure:"encoding"`
	// Endpoint of the server that delivers, if the same events come by events too.
	Endpoint string `mapstructure:"endpoint"`
	_        struct{}
}

var _ confmap.Unmarshaler = (*WebhookSecretConfig)(nil)

// Unmarshal starts from the defaults.
func (c *WebhookSecretConfig) Unmarshal(conf *confmap.Conf) error {
	c.Encoding = string(events.Base64)
	return conf.Unmarshal(c)
}

func defaultWebhooks() WebhooksConfig {
	http := confighttp.NewDefaultServerConfig()
	http.NetAddr.Endpoint = "localhost:4320"
	http.IdleTimeout = time.Minute
	http.ReadHeaderTimeout = 10 * time.Second
	http.ReadTimeout = 30 * time.Second
	http.MaxRequestBodySize = 256<<10 + 1 // one byte more is an answer of its own
	return WebhooksConfig{HTTP: configoptional.Default(http)}
}

func (c *Config) validateEvents() error {
	var errs error
	for i := range c.Events {
		if err := c.Events[i].validate(); err != nil {
			errs = errors.Join(errs, fmt.Errorf("events::%d::%w", i, err))
		}
		if c.Events[i].Webhook.URL != "" && !c.Webhooks.HTTP.HasValue() {
			errs = errors.Join(errs, fmt.Errorf("events::%d::webhook::url is set, but nothing listens: set webhooks::http::endpoint", i))
		}
	}
	if len(c.Webhooks.Secrets) > 0 && !c.Webhooks.HTTP.HasValue() {
		errs = errors.Join(errs, errors.New("webhooks::secrets is set, but nothing listens: set webhooks::http::endpoint"))
	}
	for i := range c.Webhooks.Secrets {
		if err := c.Webhooks.Secrets[i].validate(); err != nil {
			errs = errors.Join(errs, fmt.Errorf("webhooks::secrets::%d::%w", i, err))
		}
	}
	return errs
}

func (c *WebhookSecretConfig) validate() error {
	if err := checkEncoding(c.Encoding); err != nil {
		return fmt.Errorf("encoding: %w", err)
	}
	if c.Secret == "" {
		return errors.New("secret is empty")
	}
	if err := events.CheckForeignSecret(string(c.Secret), events.Encoding(c.Encoding)); err != nil {
		return fmt.Errorf("secret %w", err)
	}
	return nil
}

func checkEncoding(name string) error {
	if name != string(events.Base64) && name != string(events.Literal) {
		return fmt.Errorf("%q is unknown, choose from base64 and literal", name)
	}
	return nil
}

func (c *EventsConfig) validate() error {
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("endpoint must be an http or https URL, as in https://mcp.example.com/mcp; put mcptap before a server over stdio")
	}
	if _, err := events.ParseGeneration(c.Generation); err != nil {
		return fmt.Errorf("generation: %w", err)
	}
	if len(c.Delivery) == 0 || len(c.Subscriptions) == 0 {
		return errors.New("delivery and subscriptions must name at least one each")
	}
	for _, mode := range c.Delivery {
		if !slices.Contains([]string{events.Webhook, events.Push, events.Poll}, mode) {
			return fmt.Errorf("delivery: %q is unknown, choose from webhook, push and poll", mode)
		}
	}
	if err := c.validateSubscriptions(); err != nil {
		return err
	}
	if c.MaxEvents < 1 {
		return fmt.Errorf("max_events must be at least 1, it is %d", c.MaxEvents)
	}
	if c.Webhook.URL == "" && !slices.ContainsFunc(c.Delivery, func(mode string) bool { return mode != events.Webhook }) {
		return errors.New("delivery is webhook alone, which needs webhook::url: set it, or add push or poll")
	}
	return c.Webhook.validate()
}

func (c *EventsConfig) validateSubscriptions() error {
	met := map[string]int{}
	for i, s := range c.Subscriptions {
		if s.Name == "" || s.MaxAge < 0 {
			return fmt.Errorf("subscriptions::%d needs a name, and a max_age that is not negative", i)
		}
		arguments, err := json.Marshal(s.Arguments)
		if err != nil {
			return fmt.Errorf("subscriptions::%d::arguments cannot be written as JSON", i)
		}
		key := s.Name + "\n" + string(arguments)
		if before, ok := met[key]; ok {
			return fmt.Errorf("subscriptions::%d is the same as subscriptions::%d: remove one", i, before)
		}
		met[key] = i
	}
	return nil
}

func (c *WebhookConfig) validate() error {
	if err := checkEncoding(c.SecretEncoding); err != nil {
		return fmt.Errorf("webhook::secret_encoding: %w", err)
	}
	if c.URL == "" {
		return nil
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return errors.New("webhook::url must be an https URL, as in https://collector.example.com/v1/webhooks")
	}
	if c.Secret != "" {
		if err := events.CheckSecret(string(c.Secret)); err != nil {
			return fmt.Errorf("webhook::secret %w", err)
		}
	}
	if c.TTL < 0 || c.TTL > 0 && c.TTL < time.Second {
		return fmt.Errorf("webhook::ttl must be at least 1s, it is %v: give a unit, as in 1h", c.TTL)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
