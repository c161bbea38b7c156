package httpserver

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

func guarded(g Guard, host, origin string) int {
	r := httptest.NewRequest(http.MethodPost, "http://x/", http.NoBody)
	r.Host = host
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	w := httptest.NewRecorder()
	g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })).ServeHTTP(w, r)
	return w.Code
}

func TestHost(t *testing.T) {
	for host, mine := range map[string]bool{
		"localhost": true, "localhost:4319": true, "LOCALHOST:4319": true, "localhost.": true, "a.localhost:1": true,
		"127.0.0.1": true, "127.0.0.1:4319": true, "127.8.9.10": true, "[::1]": true, "[::1]:4319": true, "::1": true,
		"": false, ":4319": false, "evil.example": false, "evil.example:4319": false, "localhost.evil.example": false,
		"127.0.0.1.evil.example": false, "evil-localhost": false, "10.0.0.1": false, "0.0.0.0": false, "[::]": false,
		"[::ffff:10.0.0.1]:1": false, "2130706433": false, "0x7f.1": false, "localhost@evil.example": false,
	} {
		want := http.StatusForbidden
		if mine {
			want = http.StatusAccepted
		}
		assert.Equal(t, want, guarded(Guard{Loopback: true}, host, ""), "%q", host)
		assert.Equal(t, http.StatusAccepted, guarded(Guard{}, host, ""), "%q, listening to all", host)
	}
}

func TestOrigin(t *testing.T) {
	for _, tt := range []struct {
		name, host, origin string
		allowed            []string
		ok                 bool
	}{
		{"none", "localhost:4319", "", nil, true},
		{"same", "localhost:4319", "http://localhost:4319", nil, true},
		{"same in capitals", "localhost:4319", "http://LocalHost:4319", nil, true},
		{"another port", "localhost:4319", "http://localhost:8080", nil, false},
		{"foreign", "localhost:4319", "https://evil.example", nil, false},
		{"null", "localhost:4319", "null", nil, false},
		{"empty host", "", "http://", nil, false},
		{"allowed", "localhost:4319", "https://app.example", []string{"https://app.example"}, true},
		{"allowed in capitals", "localhost:4319", "https://app.example", []string{"https://APP.example"}, true},
		{"allowed with a slash", "localhost:4319", "https://app.example", []string{"https://app.example/"}, true},
		{"another scheme", "localhost:4319", "http://app.example", []string{"https://app.example"}, false},
		{"wildcard", "localhost:4319", "https://a.app.example", []string{"https://*.app.example"}, true},
		{"wildcard port", "localhost:4319", "http://localhost:5173", []string{"http://localhost:*"}, true},
		{"not under the wildcard", "localhost:4319", "https://evil.example", []string{"https://*.app.example"}, false},
		{"behind the wildcard", "localhost:4319", "https://a.app.example.evil", []string{"https://*.app.example"}, false},
		{"any", "localhost:4319", "https://evil.example", []string{"*"}, true},
		{"the second", "localhost:4319", "https://b.example", []string{"https://a.example", "https://b.example"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := http.StatusForbidden
			if tt.ok {
				want = http.StatusAccepted
			}
			assert.Equal(t, want, guarded(Guard{Origins: tt.allowed}, tt.host, tt.origin))
		})
	}
}
