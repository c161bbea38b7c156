package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/demo"
)

// patience bounds the time of one answer.
const patience = 2 * time.Second

// maxAnswer bounds what is read of an answer.
const maxAnswer = 8 << 20

// What a deadline means depends on whether there was a connection.
var (
	errSilent      = errors.New("something listens there, but does not answer")
	errUnreachable = errors.New("it cannot be reached within " + patience.String())
)

// ask sends a request and reads the answer.
func ask(ctx context.Context, method, address, body string) (status int, answer []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	connected := false
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }})
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // without the URL, which is beside it
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = errUnreachable
			if connected {
				err = errSilent
			}
		}
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return response.StatusCode, answer, err
}

// services asks the collectors that agents' settings name, or the target if none is
// connected. It asks what is cheap to answer: OTLP for nothing, and the web UI for a list of
// no sessions.
func services(ctx context.Context, all []Agent, otherwise agents.Target, webUI string) (asked []Service) {
	for _, otlp := range []bool{false, true} {
		var urls []string
		for i := range all {
			urls = append(urls, all[i].addresses(otlp)...)
		}
		if len(urls) == 0 && otlp {
			urls = []string{otherwise.OTLP}
		} else if len(urls) == 0 {
			urls = []string{otherwise.Endpoint}
		}
		slices.Sort(urls)
		for _, address := range slices.Compact(urls) {
			if otlp {
				s := Service{Name: "telemetry (OTLP)", URL: address, otlp: true}
				asked = append(asked, service(ctx, s, http.MethodPost, "/v1/logs", "{}", http.StatusOK))
			} else {
				asked = append(asked, receiver(ctx, agents.Target{Endpoint: address}))
			}
		}
	}
	page := Service{Name: webUIName, URL: webUI, Optional: true}
	return append(asked, service(ctx, page, http.MethodGet, "/_inspector/sessions?limit=1", "", http.StatusOK))
}

// Answers reports whether the receiver for hooks and MCP answers, within two
// seconds.
func Answers(ctx context.Context, t agents.Target) bool { return receiver(ctx, t).Answers }

// receiver is asked for what it refuses.
func receiver(ctx context.Context, t agents.Target) Service {
	s := Service{Name: "hooks and MCP", URL: t.Endpoint}
	return service(ctx, s, http.MethodGet, "/v1/observations", "", http.StatusMethodNotAllowed)
}

func service(ctx context.Context, s Service, method, path, body string, want int) Service {
	status, _, err := ask(ctx, method, s.URL+path, body)
	switch {
	case err != nil && strings.Contains(err.Error(), "refused"): // so on all systems
		s.Problem = "nothing listens there"
	case err != nil:
		s.Problem = err.Error()
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == want:
		s.Answers = true
	default:
		s.Problem = fmt.Sprintf("something else seems to listen there: HTTP status %d", status)
	}
	return s
}

// lastHeard returns when the collector last heard of an agent, by its sessions; zero if
// it never did. Those that mcptap demo simulates do not count.
func lastHeard(ctx context.Context, webUI string) func(*agents.Agent) time.Time {
	return func(a *agents.Agent) (last time.Time) {
		query := url.Values{"limit": {"1000"}, "q": {strings.Split(a.Name, "-")[0]}}
		_, answer, err := ask(ctx, http.MethodGet, webUI+"/_inspector/sessions?"+query.Encode(), "")
		var page struct {
			Sessions []struct {
				ID       string    `json:"id"`
				Host     string    `json:"host"`
				LastSeen time.Time `json:"last_seen"`
			} `json:"sessions"`
		}
		if err != nil || json.Unmarshal(answer, &page) != nil {
			return last
		}
		for _, s := range page.Sessions {
			if isOf(a, s.Host) && !strings.HasPrefix(s.ID, demo.SessionPrefix) && s.LastSeen.After(last) {
				last = s.LastSeen
			}
		}
		return last
	}
}
