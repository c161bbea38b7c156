package events

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strconv"

	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
)

// WebhooksPath is where deliveries are POSTed to.
const WebhooksPath = "/v1/webhooks"

// Endpoint accepts webhook deliveries. It is an http.Handler.
type Endpoint struct {
	runner   *intake.Runner
	registry *Registry
	recorder *recorder
}

// NewEndpoint makes the handler of [WebhooksPath].
func NewEndpoint(runner *intake.Runner, registry *Registry, recorded *Seen) *Endpoint {
	return &Endpoint{runner, registry, &recorder{runner, recorded, WebhooksPath}}
}

// delivery is one that is signed.
type delivery struct {
	header http.Header
	raw    json.RawMessage
	m      members
	e      *entry  // of a subscription of ours, else nil
	theirs *Secret // of another client's, else nil
}

// ServeHTTP implements http.Handler.
func (p *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		p.fail(w, r, http.StatusMethodNotAllowed, "method", "deliver with POST")
		return
	case media != "application/json":
		p.fail(w, r, http.StatusUnsupportedMediaType, "content type", "set Content-Type to application/json")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxDelivery)
	text, err := body.Read(r, p.runner.Bodies, maxDelivery)
	if err != nil {
		p.unread(w, r, err)
		return
	}
	defer text.Release() // what is recorded may refer to it
	p.deliver(w, r, text.Bytes())
}

// unread answers a delivery that could not be read.
func (p *Endpoint) unread(w http.ResponseWriter, r *http.Request, err error) {
	code, text, refused := body.Refusal(w.Header(), err)
	var tooLarge *http.MaxBytesError
	switch {
	case refused:
		p.fail(w, r, code, body.Reason, text)
	case errors.As(err, &tooLarge):
		p.fail(w, r, http.StatusRequestEntityTooLarge, "body", "a delivery has 256 KiB at most")
	default:
		p.fail(w, r, http.StatusBadRequest, "body", "the body ended early")
	}
}

func (p *Endpoint) fail(w http.ResponseWriter, r *http.Request, code int, reason, text string) {
	p.runner.Rejected(r.Context(), WebhooksPath, reason, 1)
	http.Error(w, text, code)
}

// deliver accepts a body whose signature is good.
func (p *Endpoint) deliver(w http.ResponseWriter, r *http.Request, body []byte) {
	how, e, theirs := p.registry.find(r.Header, body)
	switch how {
	case unknown:
		w.Header().Set("Retry-After", "1")
		p.fail(w, r, http.StatusServiceUnavailable, "unknown subscription", "unknown subscription: deliver it again later")
	case unsigned:
		p.fail(w, r, http.StatusUnauthorized, "signature", "no signature matches, or the clocks are more than 5 minutes apart")
	case over:
		p.fail(w, r, http.StatusGone, "subscription over", "this subscription has ended")
	default:
		p.signed(w, r, &delivery{r.Header, body, parseMembers(body), e, theirs}, how)
	}
}

// signed handles a delivery whose signature is good.
func (p *Endpoint) signed(w http.ResponseWriter, r *http.Request, d *delivery, how standing) {
	kind := d.m.Text("type")
	switch {
	case d.m == nil:
		p.fail(w, r, http.StatusBadRequest, "malformed", "the body is not a JSON object")
	case kind == "verification":
		answerChallenge(w, d.m.Text("challenge"))
	case how == tentative:
		w.Header().Set("Retry-After", "1")
		p.fail(w, r, http.StatusServiceUnavailable, "unknown subscription", "unknown subscription: deliver it again later")
	default:
		p.answer(w, r, p.handle(r.Context(), d, kind))
	}
}

func answerChallenge(w http.ResponseWriter, nonce string) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"challenge": nonce}) // the sender is gone if this fails
}

// answer answers a delivery: success only when the
// pipelines have it.
func (p *Endpoint) answer(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case err == nil:
		p.runner.Accepted(r.Context(), WebhooksPath, 1)
		w.WriteHeader(http.StatusNoContent)
	case consumererror.IsPermanent(err):
		p.fail(w, r, http.StatusInternalServerError, "pipeline refused", "a pipeline refused this for good")
	default:
		w.Header().Set("Retry-After", strconv.Itoa(1))
		p.fail(w, r, http.StatusServiceUnavailable, "pipeline refused", "a pipeline cannot take this now: deliver it again later")
	}
}
