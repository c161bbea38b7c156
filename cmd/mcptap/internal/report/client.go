package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Client posts batches to a collector.
type Client struct {
	endpoint      string
	authorization string
	http          *http.Client
}

// NewClient posts to endpoint, an http or https URL. authorization is the value
// of that header, "" for none.
func NewClient(endpoint, authorization string) (*Client, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("--endpoint %q is not an http or https URL, such as http://localhost:4319/v1/observations", endpoint)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/observations" // the default, if only the collector is named
		endpoint = u.String()
	}
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 2 * time.Second}).DialContext,
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: 10 * time.Second,
		IdleConnTimeout:       time.Minute,
		MaxIdleConnsPerHost:   1,
		ReadBufferSize:        2 << 10,
		WriteBufferSize:       16 << 10,
	}
	client := &http.Client{Transport: transport, Timeout: 15 * time.Second, CheckRedirect: keepRedirect}
	return &Client{endpoint: endpoint, authorization: authorization, http: client}, nil
}

// keepRedirect returns the redirect itself as the response. Following it would
// turn the POST into a GET and lose the records, or send them to another host.
func keepRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// refusal is an answer other than 202, or none.
type refusal struct {
	why   error
	retry bool
	all   bool          // it was not about what was sent: so would anything else be
	away  bool          // there was no answer
	after time.Duration // 0: as the sender likes
}

func (r *refusal) Error() string { return r.why.Error() }

// rejection is an error about some records of a batch; the others were accepted.
type rejection struct {
	records int64
	written int    // lines that were accepted, if all others were not; 0 if that is not known
	first   string // error of the first of them
	why     error
}

func (r *rejection) Error() string { return r.why.Error() }

// post sends lines of one session. The error is a *refusal or a *rejection.
func (c *Client) post(ctx context.Context, session string, lines []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(lines))
	if err != nil {
		return &refusal{why: err}
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("User-Agent", "mcptap")
	if session != "" {
		request.Header.Set("X-Session-Id", headerText(session))
	}
	if c.authorization != "" {
		request.Header.Set("Authorization", c.authorization)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return &refusal{why: unwrapURL(err), retry: true, away: true}
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	return verdict(response, answer, int64(bytes.Count(lines, []byte{'\n'})))
}

// verdict reads the answer to so many records.
func verdict(response *http.Response, answer []byte, records int64) error {
	why := errors.New(response.Status)
	switch code := response.StatusCode; code {
	case http.StatusAccepted, http.StatusOK, http.StatusNoContent:
		return rejected(answer, records)
	case http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout:
		return &refusal{why: why, retry: true, after: retryAfter(response.Header.Get("Retry-After"))}
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return &refusal{why: redirected(response), all: true}
	case http.StatusUnauthorized:
		return &refusal{why: fmt.Errorf("%w: set MCPTAP_AUTHORIZATION to the Authorization header that the collector expects", why), all: true}
	case http.StatusForbidden:
		return &refusal{why: said(response, answer), all: true}
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType:
		return &refusal{why: fmt.Errorf("%w: the mcp receiver accepts records at /v1/observations: check --endpoint", why), all: true}
	case http.StatusBadRequest:
		if some, ok := errors.AsType[*rejection](rejected(answer, records)); ok {
			return &refusal{why: fmt.Errorf("%w: %s", why, some.first)}
		}
	}
	return &refusal{why: said(response, answer)}
}

// redirected names where a redirect leads, without what may be secret in it.
func redirected(response *http.Response) error {
	where := "another address"
	if u, err := response.Location(); err == nil {
		where = (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	}
	return fmt.Errorf("%s: the endpoint redirects to %s: set --endpoint to the collector's own address", response.Status, where)
}

// said is the status and what a plain answer says about it, if that is short.
func said(response *http.Response, answer []byte) error {
	text := strings.TrimSpace(string(answer))
	plain := strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain")
	if !plain || text == "" || len(text) > 200 || strings.ContainsFunc(text, unicode.IsControl) {
		return errors.New(response.Status)
	}
	return errors.New(response.Status + ": " + text)
}

// rejected reads which of the records were bad; the answer names the first ones
// only, and how many were good.
func rejected(answer []byte, records int64) error {
	var body struct {
		Accepted int64 `json:"accepted"`
		Rejected []struct {
			Error string `json:"error"`
		} `json:"rejected"`
	}
	if len(answer) == 0 || json.Unmarshal(answer, &body) != nil || len(body.Rejected) == 0 {
		return nil
	}
	n, first := max(records-body.Accepted, int64(len(body.Rejected))), body.Rejected[0].Error
	return &rejection{records: n, first: first, why: fmt.Errorf("the collector rejected %d records: %s", n, first)}
}

// retryAfter reads seconds or a date (RFC 9110, 10.2.3); 0 if there is neither.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil && seconds > 0 {
		return min(time.Duration(seconds)*time.Second, longest)
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, min(time.Until(date), longest))
	}
	return 0
}

// headerText leaves out what a header must not hold.
func headerText(s string) string {
	clean := make([]byte, 0, len(s))
	for i := range len(s) {
		if s[i] >= ' ' && s[i] != 0x7f {
			clean = append(clean, s[i])
		}
	}
	return string(clean)
}

// unwrapURL leaves out the method and address, which the message has already.
func unwrapURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
