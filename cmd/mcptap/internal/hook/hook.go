// Package hook passes the input of an agent's hook to a collector. An agent
// waits for some of its hooks, so this is quick, quiet and bounded.
package hook

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Limit is how long a hook may take in all.
const Limit = time.Second

// maxInput is what the receiver accepts by default. What is longer is not sent.
const maxInput = 20 << 20

// Call is one run of a hook.
type Call struct {
	Agent    string
	Endpoint string // base URL of the collector
	OTLP     string // base URL of its OTLP receiver
	Headers  string // as the function of that name reads them
	Home     string
	Now      time.Time
	Env      func(string) string
}

// The variables that say where the collector is. The first one is the URL for
// observation records, which mcptap has had from the start.
const (
	endpointEnv      = "MCPTAP_ENDPOINT"
	baseEnv          = "OTELCOL_MCP_URL"
	otlpEnv          = "MCPTAP_OTLP_ENDPOINT"
	authorizationEnv = "MCPTAP_AUTHORIZATION"
)

// Endpoint is the base URL that the environment says, "" if it says none.
func Endpoint(env func(string) string) string {
	if e := env(endpointEnv); e != "" {
		return Base(e)
	}
	return Base(env(baseEnv))
}

// OTLP is the base URL of the OTLP receiver that the environment says, "" if it says
// none.
func OTLP(env func(string) string) string { return Base(env(otlpEnv)) }

// Base is a URL without the path of a way in.
func Base(endpoint string) string {
	endpoint = strings.TrimRight(endpoint, "/")
	return strings.TrimRight(strings.TrimSuffix(endpoint, "/v1/observations"), "/")
}

// Parse reads the arguments of mcptap hook. What it does not know, it ignores: a
// hook never fails.
func Parse(args []string, env func(string) string) (c Call) {
	c.Env = env
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		switch {
		case !strings.HasPrefix(name, "-"):
			if c.Agent == "" {
				c.Agent = args[i]
			}
			continue
		case !joined && i+1 < len(args):
			i++
			value = args[i]
		}
		switch name {
		case "--endpoint":
			c.Endpoint = Base(value)
		case "--otlp-endpoint":
			c.OTLP = Base(value)
		case "--headers":
			c.Headers = value
		}
	}
	return c
}

// Send posts the input of the hook and reads the answer. Only its caller cares
// for errors; the agent does not.
func (c *Call) Send(ctx context.Context, input io.Reader) error {
	body, err := io.ReadAll(io.LimitReader(input, maxInput+1))
	if err != nil || len(body) > maxInput || len(bytes.TrimSpace(body)) == 0 {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	if headers, _ := Headers(c.Headers); len(headers) > 0 {
		request.Header = headers
	}
	request.Header.Set("Content-Type", "application/json")
	for name, variable := range map[string]string{"Traceparent": "TRACEPARENT", "Tracestate": "TRACESTATE", "Authorization": authorizationEnv} {
		if value := c.Env(variable); value != "" && !strings.ContainsAny(value, "\r\n") {
			request.Header.Set(name, value)
		}
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	return err
}

func (c *Call) url() string {
	query := url.Values{"time": {strconv.FormatInt(c.Now.UnixNano(), 10)}}
	if signals := c.telemetry(); len(signals) > 0 {
		query.Set("otel", strings.Join(signals, ","))
	}
	return c.Endpoint + "/v1/hooks/" + url.PathEscape(c.Agent) + "?" + strings.ReplaceAll(query.Encode(), "%2C", ",")
}

// client follows no redirect: a way in has none.
var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport: &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		DialContext:       (&net.Dialer{}).DialContext,
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS12},
	},
}
