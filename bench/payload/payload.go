// Package payload makes what the benchmarks send: payloads as tools return them.
package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// lines is the material of payloads: code and prose as tools return them.
var lines = strings.Split(strings.TrimSpace(`
func (s *Server) handle(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost {
		return fmt.Errorf("method %q is not allowed", r.Method)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBytes))
		log.Printf("cannot read the body: %v", err)
	defer cancel()
	for i, item := range items {
		if item == nil || item.Name == "" {
			continue
		}
	}
	return nil
}

import { readFile, writeFile } from "node:fs/promises";
export async function load(path: string): Promise<Config> {
  const text = await readFile(path, "utf8");
  const config = JSON.parse(text) as Config;
  if (!config.name) throw new Error("config.name is missing in " + path);
  return { ...defaults, ...config };
  expect(screen.getByRole("button", { name: "Save" })).toBeEnabled();
def total(rows: list[dict[str, Any]]) -> Decimal:
    """Sum up what the rows cost, without those that were cancelled."""
    return sum((Decimal(r["price"]) for r in rows if r["state"] != "cancelled"), Decimal(0))
SELECT id, name, created_at FROM customers WHERE country = 'DE' AND deleted_at IS NULL ORDER BY name;
<a class="button button--primary" href="/docs/getting-started" title="Get started">Get started</a>
The function returns the first matching element, or null when no element satisfies the condition.
Requests that take longer than the configured timeout are cancelled and reported as failed.
Before you begin, make sure that the command line tools are installed and that you are logged in.
She said “it works on my machine”, which – as we all know – does not help anyone.
Der Bericht enthält die Zahlen für das zweite Quartal; die Abweichungen sind im Anhang erläutert.
2026-02-19T16:00:00Z INFO  worker 12 finished job 4711 in 182 ms (attempt 1 of 3)
error: src/parser.c:218:17: expected ';' before '}' token
`), "\n")

// Prose is about n bytes of lines in an order without a period, for a predictor
// must not learn it.
func Prose(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(lines[random.IntN(len(lines))])
		b.WriteByte('\n')
	}
	return strings.ToValidUTF8(b.String()[:n], "")
}

// Plain is text in which nothing must be escaped, and all is ASCII.
func Plain(n int) string {
	keep := func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return ' '
		}
		return r
	}
	return strings.Map(keep, Prose(n))
}

// quoted is the text as a JSON string, as JSON.stringify writes it.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// Quoted is a JSON string of about n bytes.
func Quoted(text func(int) string, n int) string {
	whole := quoted(text(n))
	return quoted(text(n * n / len(whole)))
}

// Structured is a JSON object of about n bytes in small members, some levels
// deep, as an API returns it.
func Structured(n int) string {
	random := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i := 0; b.Len() < n-40; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"item-%d","state":{"open":%t,"labels":["bug","p%d"],`+
			`"owner":{"login":"user%d","site_admin":false}},"size":[%d,%d.5,null],"ratio":0.%d}`,
			random.IntN(1e9), i, i%3 == 0, i%5, random.IntN(1000), random.IntN(100), random.IntN(10), random.IntN(1e6))
	}
	b.WriteString(`],"next_cursor":"b2Zmc2V0"}`)
	return b.String()
}
