package mcpreceiver

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// poster posts notifications, each with an ID of its own for a URI.
type poster struct {
	t      *testing.T
	url    string
	client *http.Client
	n      atomic.Int64
}

func (*poster) Start()  {}
func (p *poster) Stop() { p.client.CloseIdleConnections() }

// Generate posts until the receiver takes the message or refuses it permanently.
func (p *poster) Generate() []receivertest.UniqueIDAttrVal {
	id := fmt.Sprintf("test://%d", p.n.Add(1))
	body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q}}`, id)
	for {
		resp, err := p.client.Post(p.url, "application/json", strings.NewReader(body))
		require.NoError(p.t, err)
		require.NoError(p.t, resp.Body.Close())
		switch resp.StatusCode {
		case http.StatusAccepted, http.StatusInternalServerError:
			return []receivertest.UniqueIDAttrVal{receivertest.UniqueIDAttrVal(id)}
		case http.StatusServiceUnavailable:
			require.Equal(p.t, "1", resp.Header.Get("Retry-After"))
		default:
			require.Fail(p.t, "unexpected status", resp.Status)
		}
	}
}

// naming gives spans the attribute by which the contract's checker knows them.
type naming struct{ consumer.Traces }

func (n naming) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	for _, rs := range td.ResourceSpans().All() {
		for _, s := range rs.ScopeSpans().At(0).Spans().All() {
			if id, ok := s.Attributes().Get(mcpconv.ResourceURI); ok {
				s.Attributes().PutStr(receivertest.UniqueIDAttrName, id.Str())
			}
		}
	}
	return n.Traces.ConsumeTraces(ctx, td)
}

func TestConsumeContract(t *testing.T) {
	l := freePort(t)
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.Get().NetAddr.Endpoint = l.Addr().String()
	require.NoError(t, l.Close())
	factory := receiver.NewFactory(metadata.Type, createDefaultConfig, receiver.WithTraces(
		func(ctx context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
			return newSignals().traces(ctx, set, cfg, naming{next})
		}, component.StabilityLevelDevelopment))
	receivertest.CheckConsumeContract(receivertest.CheckConsumeContractParams{
		T: t, Factory: factory, Signal: pipeline.SignalTraces, Config: cfg, GenerateCount: 200,
		Generator: &poster{t: t, url: "http://" + l.Addr().String() + push.ObservationsPath, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}},
	})
}
