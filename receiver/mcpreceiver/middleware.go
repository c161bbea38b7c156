package mcpreceiver

import (
	"net/http"

	"go.opentelemetry.io/collector/config/confighttp"
)

// noteMiddleware completes what middlewares refuse, as the memory limiter does:
// their answers get a Retry-After, which our own have, and are counted. It is nil
// if there are none.
func (r *mcpReceiver) noteMiddleware(cfg *confighttp.ServerConfig, mux *http.ServeMux) func(http.Handler) http.Handler {
	if len(cfg.Middlewares) == 0 {
		return nil
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			noted := &notedWriter{ResponseWriter: w}
			next.ServeHTTP(noted, req)
			if noted.refused {
				_, endpoint := mux.Handler(req)
				r.runner.Rejected(req.Context(), endpoint, "middleware", 1)
			}
		})
	}
}

// notedWriter notices refusals without a Retry-After.
type notedWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (w *notedWriter) WriteHeader(code int) {
	retryable := code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable
	if retryable && w.Header().Get("Retry-After") == "" {
		w.refused = true
		w.Header().Set("Retry-After", "1")
	}
	w.ResponseWriter.WriteHeader(code)
}

// Flush implements http.Flusher.
func (w *notedWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() } // the client is gone if this fails

// Unwrap is for http.ResponseController.
func (w *notedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
