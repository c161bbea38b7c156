package events

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// tolerance is how far a sender's clock may be off.
const tolerance = 5 * time.Minute

// The headers of deliveries.
const (
	headerSubscription = "X-MCP-Subscription-Id"
	headerTimestamp    = "X-MCP-Timestamp"
	headerSignature    = "X-MCP-Signature"
	secretPrefix       = "whsec_"
)

// Encoding says how a secret is made the key of a Standard Webhooks signature.
type Encoding string

// The encodings. Some senders sign with the secret's text as it is.
const (
	Base64  Encoding = "base64"
	Literal Encoding = "literal"
)

// secret checks signatures of both schemes.
type secret struct {
	text string // the key of G1, which defines no encoding
	key  []byte // of Standard Webhooks; nil if the text is not base64
}

func newSecret(text string, encoding Encoding) secret {
	if encoding == Literal {
		return secret{text, []byte(text)}
	}
	key, err := decodeSecret(text)
	if err != nil {
		return secret{text: text}
	}
	return secret{text, key}
}

// decodeSecret reads what follows whsec_, in standard or raw-URL base64.
func decodeSecret(text string) ([]byte, error) {
	text = strings.TrimRight(strings.TrimPrefix(text, secretPrefix), "=")
	if strings.ContainsAny(text, "-_") {
		return base64.RawURLEncoding.DecodeString(text)
	}
	return base64.RawStdEncoding.DecodeString(text)
}

// CheckSecret tells whether a secret may be given to servers: whsec_ and the
// base64 of 24 to 64 bytes.
func CheckSecret(text string) error {
	key, err := decodeSecret(text)
	if err != nil || !strings.HasPrefix(text, secretPrefix) || len(key) < 24 || len(key) > 64 {
		return fmt.Errorf("must be %s and the base64 of 24 to 64 bytes, as printed by: echo %s$(openssl rand -base64 32)", secretPrefix, secretPrefix)
	}
	return nil
}

// madeUp is a secret of 32 random bytes.
func madeUp() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails (crypto/rand)
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}

// signed tells whether a body comes from somebody who has the secret, and lately.
func (s secret) signed(h http.Header, body []byte) bool {
	if h.Get(headerSignature) != "" {
		return s.signedG1(h, body)
	}
	if s.key == nil {
		return false
	}
	hook, err := standardwebhooks.NewWebhookRaw(s.key)
	return err == nil && hook.Verify(body, h) == nil
}

func (s secret) signedG1(h http.Header, body []byte) bool {
	stamp := h.Get(headerTimestamp)
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(s.text))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	want := []byte("sha256=" + hex.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.FieldsFunc(h.Get(headerSignature), func(r rune) bool { return r == ' ' || r == ',' }) {
		if hmac.Equal([]byte(signature), want) {
			return true
		}
	}
	return false
}

func anySigned(secrets []secret, h http.Header, body []byte) bool {
	for _, s := range secrets {
		if s.signed(h, body) {
			return true
		}
	}
	return false
}
