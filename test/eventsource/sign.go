package eventsource

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// sign signs a delivery with both secrets; either may be empty.
func sign(generation int, h http.Header, id string, at time.Time, body []byte, secret, old string) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	var signatures []string
	for _, key := range []string{old, secret} {
		switch {
		case key == "":
		case generation == 1:
			mac := hmac.New(sha256.New, []byte(key))
			mac.Write([]byte(stamp + "." + string(body)))
			signatures = append(signatures, "sha256="+hex.EncodeToString(mac.Sum(nil)))
		default:
			raw, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
			signer, _ := standardwebhooks.NewWebhookRaw(raw)
			signature, _ := signer.Sign(id, at, body)
			signatures = append(signatures, signature)
		}
	}
	if generation == 1 {
		h.Set("X-MCP-Timestamp", stamp)
		h.Set("X-MCP-Signature", strings.Join(signatures, " "))
		return
	}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", strings.Join(signatures, " "))
}
