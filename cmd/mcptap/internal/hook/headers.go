package hook

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// headersEnv are headers of hooks, as [Headers] reads them.
const headersEnv = "MCPTAP_HEADERS"

// HeadersOf are the headers that the environment says, "" if it says none.
func HeadersOf(env func(string) string) string { return env(headersEnv) }

// Headers reads NAME=VALUE,NAME=VALUE, with values in percent-encoding, as in
// OTEL_EXPORTER_OTLP_HEADERS. What it accepts means nothing to a shell within quotes. The
// headers are those that are valid, whatever the error.
func Headers(text string) (headers http.Header, err error) {
	headers = http.Header{}
	for pair := range strings.SplitSeq(text, ",") {
		if pair == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		decoded, bad := url.PathUnescape(value)
		switch {
		case !found:
			err = fmt.Errorf("%q has no =: write NAME=VALUE, such as X-Organization-Id=acme", nameIn(pair))
		case name == "" || strings.Trim(name, letters+"-_") != "":
			err = fmt.Errorf("%q is not the name of a header: write NAME=VALUE, such as X-Organization-Id=acme", nameIn(name))
		case value == "" || bad != nil || strings.Trim(value, letters+"-._~:/@+%") != "" || strings.ContainsFunc(decoded, isControl):
			err = fmt.Errorf("the value of %s may have letters, digits and -._~:/@+, and others in percent-encoding, such as %%20 for a space", name)
		case identity.IsSecretHeader(name):
			err = fmt.Errorf("%s would stand in the settings: set %s in the environment of the agent, if that is for the collector", name, authorizationEnv)
		default:
			headers.Set(name, decoded)
		}
	}
	return headers, err
}

// nameIn returns the possible name in a pair, without a value, which may be a secret.
func nameIn(pair string) string {
	if at := strings.IndexAny(pair, ":= \t"); at >= 0 {
		return pair[:at] + "…"
	}
	return pair
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
