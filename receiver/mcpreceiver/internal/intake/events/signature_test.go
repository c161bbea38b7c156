package events

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The body, keys and values were computed with standardwebhooks 1.1.1 (npm) and
// OpenSSL; test/peers compares with the former again.
const (
	vectorBody   = `{"eventId":"ev-0042","name":"build.finished","timestamp":"2026-03-04T09:14:58Z","data":{"buildId":"b-77","result":"red"},"cursor":"pos-19"}`
	vectorStamp  = "1772615700"
	vectorSecret = "whsec_" + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" // bytes 0 to 31
	highStandard = "whsec_" + "4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8=" // bytes 224 to 255
	highURL      = "whsec_" + "4OHi4-Tl5ufo6err7O3u7_Dx8vP09fb3-Pn6-_z9_v8"  // the same
)

func standard(signature string) http.Header {
	h := http.Header{}
	h.Set("webhook-id", "ev-0042")
	h.Set("webhook-timestamp", vectorStamp)
	h.Set("webhook-signature", signature)
	return h
}

func ofDraft1(signature string) http.Header {
	h := http.Header{}
	h.Set(headerTimestamp, vectorStamp)
	h.Set(headerSignature, signature)
	return h
}

// at runs f when the clock shows the time of the vectors, or so much later.
func at(t *testing.T, later time.Duration, f func(t *testing.T)) {
	stamp, err := strconv.ParseInt(vectorStamp, 10, 64)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Unix(stamp, 0).Add(later)))
		f(t)
	})
}

func TestSignatures(t *testing.T) {
	for name, c := range map[string]struct {
		header   http.Header
		secret   string
		encoding Encoding
		good     bool
	}{
		"standard":               {standard("v1,ri0SZTL4ONXBjhJlLN/oHc6bNAyOFvyCLr87RE5uvdg="), vectorSecret, Base64, true},
		"several":                {standard("v1a,x v1,AAAA v1,ri0SZTL4ONXBjhJlLN/oHc6bNAyOFvyCLr87RE5uvdg="), vectorSecret, Base64, true},
		"another version":        {standard("v2,ri0SZTL4ONXBjhJlLN/oHc6bNAyOFvyCLr87RE5uvdg="), vectorSecret, Base64, false},
		"standard read literal":  {standard("v1,ri0SZTL4ONXBjhJlLN/oHc6bNAyOFvyCLr87RE5uvdg="), vectorSecret, Literal, false},
		"literal":                {standard("v1,z+cjOB8NHSMBW6dItHzWjFoxxDFvfG0WXvuqpeO/4lg="), vectorSecret, Literal, true},
		"literal read as base64": {standard("v1,z+cjOB8NHSMBW6dItHzWjFoxxDFvfG0WXvuqpeO/4lg="), vectorSecret, Base64, false},
		"standard alphabet":      {standard("v1,F1NUwgS+d+vAO8UJTvM9fsPdg5MbBicYBSR1dYSwh9M="), highStandard, Base64, true},
		"URL alphabet":           {standard("v1,F1NUwgS+d+vAO8UJTvM9fsPdg5MbBicYBSR1dYSwh9M="), highURL, Base64, true},
		"g1":                     {ofDraft1("sha256=bf8db89b04b32d0693e957637f0531e7a40da48a7dd15cdba9156cdff6e4c3bc"), vectorSecret, Base64, true},
		"g1 several":             {ofDraft1("sha256=00 sha256=bf8db89b04b32d0693e957637f0531e7a40da48a7dd15cdba9156cdff6e4c3bc"), vectorSecret, Base64, true},
		"g1 with decoded key":    {ofDraft1("sha256=6bb94878a3cc214ac40c217081f382057d61b262986f5b5446fb25d5a2cb65bd"), vectorSecret, Base64, false},
		"g1 with a plain secret": {ofDraft1("sha256=d3e99fb291a88e633b61e80970ba3cc6d3830199d4442ef55f5c5f2122f1c4f2"), "plain-secret-42", Base64, true},
		"no signature":           {http.Header{}, vectorSecret, Base64, false},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, 0, func(t *testing.T) {
				s := newSigningKey(c.secret, c.encoding)
				assert.Equal(t, c.good, s.Verify(c.header, []byte(vectorBody)))
				assert.False(t, s.Verify(c.header, []byte(vectorBody+" ")), "the raw bytes count")
			})
			for _, off := range []time.Duration{tolerance, -tolerance, tolerance + 2*time.Second, -tolerance - 2*time.Second} {
				at(t, off, func(t *testing.T) {
					near := off.Abs() <= tolerance
					assert.Equal(t, c.good && near, newSigningKey(c.secret, c.encoding).Verify(c.header, []byte(vectorBody)), off)
				})
			}
		})
	}
}

func TestSecretsThatServersTake(t *testing.T) {
	require.NoError(t, CheckSecret(vectorSecret))
	require.NoError(t, CheckSecret(highURL))
	require.NoError(t, CheckSecret(generateSecret()))
	require.Error(t, CheckSecret("whsec_AAAA"))
	require.Error(t, CheckSecret("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="))
}

func TestSecretsOfOthers(t *testing.T) {
	for _, c := range []struct {
		text     string
		encoding Encoding
		good     bool
	}{
		{vectorSecret, Base64, true},
		{highURL, Base64, true},
		{"", Base64, false},
		{"whsec_", Base64, false},
		{"whsec_====", Base64, false},
		{"whsec_AAAA", Base64, false},
		{"whsec_this is not base64, and long enough", Base64, false},
		{"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", Base64, false},
		{vectorSecret, Literal, true},
		{"any text, long enough", Literal, true},
		{"", Literal, false},
		{"whsec_", Literal, false},
		{"whsec_123456789", Literal, false},
	} {
		err := CheckForeignSecret(c.text, c.encoding)
		assert.Equal(t, c.good, err == nil, "%q %s: %v", c.text, c.encoding, err)
		if err != nil && len(c.text) > len(secretPrefix) {
			assert.NotContains(t, err.Error(), c.text)
		}
	}
}

// An empty key signs nothing: whoever delivers has it too.
func TestAnEmptyKey(t *testing.T) {
	for _, text := range []string{"", "whsec_", "whsec_=="} {
		mac := hmac.New(sha256.New, nil)
		mac.Write([]byte("ev-0042." + vectorStamp + "." + vectorBody))
		at(t, 0, func(t *testing.T) {
			h := standard("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
			assert.False(t, newSigningKey(text, Base64).Verify(h, []byte(vectorBody)), text)
		})
	}
}

// What the library signs is accepted, whatever is in it; one changed byte is not.
func TestSignaturesOfTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := generateSecret()
		hook, err := standardwebhooks.NewWebhook(text)
		require.NoError(t, err)
		id := rapid.StringMatching(`[a-z0-9.-]{1,20}`).Draw(t, "id")
		body := rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "body")
		now := time.Now()
		signature, err := hook.Sign(id, now, body)
		require.NoError(t, err)
		h := http.Header{}
		h.Set("webhook-id", id)
		h.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
		h.Set("webhook-signature", "v1,AA "+signature)
		require.True(t, newSigningKey(text, Base64).Verify(h, body))
		body[0]++
		require.False(t, newSigningKey(text, Base64).Verify(h, body))

		mac := hmac.New(sha256.New, []byte(text))
		mac.Write([]byte(strconv.FormatInt(now.Unix(), 10) + "." + string(body)))
		old := http.Header{}
		old.Set(headerTimestamp, strconv.FormatInt(now.Unix(), 10))
		old.Set(headerSignature, "sha256="+hex.EncodeToString(mac.Sum(nil)))
		require.True(t, newSigningKey(text, Base64).Verify(old, body))
	})
}
