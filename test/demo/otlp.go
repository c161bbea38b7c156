package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// telemetry plays an agent that reports its model calls over OTLP, as Claude Code
// does: tokens and cost by model come from nowhere else.
func (d *demo) telemetry(ctx context.Context) error {
	if d.otlp == "" {
		return nil
	}
	session := "pair-" + d.run
	fmt.Printf("  %-24s %s\n", session, "reports its model calls over OTLP")
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
func (d *demo) event(ctx context.Context, session string, attributes map[string]any) error {
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
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.otlp+"/v1/logs", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("is otelcol-mcp running (make run)? %w", err)
	}
	answer, _ := io.ReadAll(io.LimitReader(res.Body, 1000)) // only for the message
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("refused: %s %s", res.Status, answer)
	}
	return nil
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
