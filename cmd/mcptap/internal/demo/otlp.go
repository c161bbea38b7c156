package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// telemetry simulates an agent that reports its model calls over OTLP, as Claude Code
// does: tokens and cost by model come from nowhere else.
func (d *play) telemetry(ctx context.Context) error {
	session := SessionPrefix + "pair-" + d.run
	d.say(session, "reports its model calls over OTLP")
	models := []string{"claude-sonnet-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"}
	for i := range 9 {
		if err := d.pause(ctx, 1); err != nil {
			return err
		}
		input, output := 1500+300*i, 60+40*i
		err := d.event(ctx, session, map[string]any{
			"event.name": "api_request", "event.sequence": strconv.Itoa(i + 1), "prompt.id": "prompt-1",
			"model": models[i%len(models)], "request_id": "req-" + d.run + "-" + strconv.Itoa(i), "query_source": "sdk",
			"input_tokens": strconv.Itoa(input), "output_tokens": strconv.Itoa(output),
			"cache_read_tokens": strconv.Itoa(400 * i), "cache_creation_tokens": "95",
			"cost_usd": 0.004 + 0.001*float64(i), "duration_ms": strconv.Itoa(700 + 150*i), "ttft_ms": "130",
		})
		if err != nil {
			return fmt.Errorf("session %s: %w", session, err)
		}
	}
	return nil
}

// event sends one log record of Claude Code.
func (d *play) event(ctx context.Context, session string, attributes map[string]any) error {
	now := time.Now().UTC()
	attributes["session.id"], attributes["event.timestamp"] = session, now.Format(time.RFC3339Nano)
	name := fmt.Sprint("claude_code.", attributes["event.name"])
	body, err := json.Marshal(map[string]any{"resourceLogs": []any{map[string]any{
		"resource": map[string]any{"attributes": keyValues(map[string]any{"service.name": "claude-code"})},
		"scopeLogs": []any{map[string]any{
			"scope": map[string]any{"name": "com.anthropic.claude_code.events"},
			"logRecords": []any{map[string]any{
				"timeUnixNano": strconv.FormatInt(now.UnixNano(), 10), "body": map[string]any{"stringValue": name},
				"attributes": keyValues(attributes),
			}},
		}},
	}}})
	if err != nil {
		return err
	}
	return post(ctx, d.OTLP+"/v1/logs", "application/json", string(body), http.StatusOK)
}

// keyValues are attributes in OTLP's JSON.
func keyValues(attributes map[string]any) (list []any) {
	for key, value := range attributes {
		kind := "stringValue"
		if _, ok := value.(float64); ok {
			kind = "doubleValue"
		}
		list = append(list, map[string]any{"key": key, "value": map[string]any{kind: value}})
	}
	return list
}
