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

// tolerance bounds the error of a sender's clock.
const tolerance = 5 * time.Minute

// The headers of deliveries. The signature's is the first draft's.
const (
	headerSubscription = "X-MCP-Subscription-Id"
	headerSignature    = "X-MCP-Signature"
	headerTimestamp    = "X-MCP-Timestamp"
)

const secretPrefix = "whsec_"

// Encoding says how a secret is made the key of a Standard Webhooks signature.
type Encoding string

// The encodings. Some senders sign with the secret's text as it is.
const (
	Base64  Encoding = "base64"
	Literal Encoding = "literal"
)

// signingKey checks signatures of both schemes.
type signingKey struct {
	text string // the key of the first draft, which defines no encoding
	key  []byte // of Standard Webhooks; nil if the text is not base64, or of nothing
}

// newSigningKey is the key that a secret stands for.
func newSigningKey(text string, encoding Encoding) signingKey {
	if encoding == Literal {
		return signingKey{text, []byte(text)}
	}
	key, err := decodeSecret(text)
	if err != nil || len(key) == 0 { // anybody can sign with an empty key
		return signingKey{text: text}
	}
	return signingKey{text, key}
}

// decodeSecret reads what follows whsec_, in standard or raw-URL base64.
func decodeSecret(text string) ([]byte, error) {
	text = strings.TrimRight(strings.TrimPrefix(text, secretPrefix), "=")
	if strings.ContainsAny(text, "-_") {
		return base64.RawURLEncoding.DecodeString(text)
	}
	return base64.RawStdEncoding.DecodeString(text)
}

// CheckSecret reports whether a secret may be given to servers: whsec_ and the
// base64 of 24 to 64 bytes.
func CheckSecret(text string) error {
	key, err := decodeSecret(text)
	if err != nil || !strings.HasPrefix(text, secretPrefix) || len(key) < 24 || len(key) > 64 {
		return fmt.Errorf("must be %s and the base64 of 24 to 64 bytes, as printed by: echo %s$(openssl rand -base64 32)", secretPrefix, secretPrefix)
	}
	return nil
}

// leastLiteral is the least length of a secret that is the key as it stands. No text
// says how long; what is left of whsec_${env:SECRET} without the variable is too short.
const leastLiteral = 16

// CheckForeignSecret reports whether what others sign with can be a secret: servers must
// refuse others than those of [CheckSecret], but some make a key of any text.
func CheckForeignSecret(text string, encoding Encoding) error {
	if encoding != Literal {
		if err := CheckSecret(text); err != nil {
			return fmt.Errorf("%w; if the server signs with the text as it is, set encoding: literal", err)
		}
		return nil
	}
	if len(strings.TrimPrefix(text, secretPrefix)) < leastLiteral {
		return fmt.Errorf("must have at least %d characters, not counting %s", leastLiteral, secretPrefix)
	}
	return nil
}

// generateSecret is a secret of 32 random bytes.
func generateSecret() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails (crypto/rand)
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}

// Verify reports whether a body was signed with the secret, at most 5 minutes ago.
func (k signingKey) Verify(h http.Header, body []byte) bool {
	if h.Get(headerSignature) != "" {
		return k.verifyDraft1(h, body)
	}
	if k.key == nil {
		return false
	}
	hook, err := standardwebhooks.NewWebhookRaw(k.key)
	return err == nil && hook.Verify(body, h) == nil
}

// Text is the secret.
func (k signingKey) Text() string { return k.text }

func (k signingKey) verifyDraft1(h http.Header, body []byte) bool {
	stamp := h.Get(headerTimestamp)
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(k.text))
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

// verifyAny reports whether a body was signed with one of the keys.
func verifyAny(keys []signingKey, h http.Header, body []byte) bool {
	for _, k := range keys {
		if k.Verify(h, body) {
			return true
		}
	}
	return false
}
