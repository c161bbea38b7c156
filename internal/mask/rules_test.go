package mask

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is replaced names the rule, and what is around it stays.
func TestRules(t *testing.T) {
	secret := random(rand.New(rand.NewPCG(5, 5)), alnum, 36)
	for text, want := range map[string]string{
		"use gh" + "p_" + secret + ".":                          "use [masked: github-pat].",
		`{"a":"s` + `k-ant-` + secret + `"}`:                    `{"a":"[masked: anthropic-key]"}`,
		`{"password":"` + secret + `","a":1}`:                   `{"password":"[masked: secret-value]","a":1}`,
		`{"passcode":123456,"a":1}`:                             `{"passcode":"[masked: secret-value]","a":1}`,
		nest(`{"passcode":123456}`):                             nest(`{"passcode":"[masked: secret-value]"}`),
		`{"Authorization":["Bearer ` + secret + `","x1"]}`:      `{"Authorization":["[masked: authorization]"]}`,
		"Authorization: Bearer " + secret + " x":                "Authorization: Bearer [masked: authorization] x",
		"Cookie: a=1; b=" + secret + "\r\nX: y":                 "Cookie: [masked: cookie]\r\nX: y",
		"postgres://me:" + secret + "@db:5432/x":                "postgres://me:[masked: url-password]@db:5432/x",
		`{"password":"a\"b` + secret + `\\","after":"kept"}`:    `{"password":"[masked: secret-value]","after":"kept"}`,
		`{"a":1,"password":"` + secret + ` is cut here, the`:    `{"a":1,"password":"[masked: secret-value]`,
		`a="-----BEGIN ` + `PRIVATE KEY-----\n` + secret + `\n`: `a="[masked: private-key]\n`,
	} {
		counts := Counts{}
		assert.Equal(t, want, masker(t).Text(text, counts))
		assert.Len(t, counts, 1)
		for _, n := range counts {
			assert.Equal(t, 1, n)
		}
	}
}

func TestMember(t *testing.T) {
	m, err := New(Options{Keys: []string{"Patient.Name"}})
	require.NoError(t, err)
	for _, c := range []struct{ key, value, want string }{
		{"http.request.header.authorization", "Bearer x", For(RuleAuthorization)},
		{"db.password", "hunter", For(RuleSecret)},
		{"mcp.progress.token", "p-1", "p-1"},
		{"gen_ai.usage.input_tokens", "123", "123"},
		{"patient.name", "Jane Doe", For(RuleKey)},
		{"patient.name", For(RuleKey), For(RuleKey)},
		{"user.name", "Jane Doe", "Jane Doe"},
	} {
		got, _ := m.Member(c.key, c.value, nil)
		assert.Equal(t, c.want, got, c.key)
	}
	assert.Equal(t, `{"patient.name":"`+For(RuleKey)+`"}`, m.Text(`{"patient.name":"Jane Doe"}`, nil))
}

func TestOptions(t *testing.T) {
	m, err := New(Options{Rules: map[string]string{"ticket": `TICKET-[0-9]+`}, Disable: []string{RuleURL}})
	require.NoError(t, err)
	counts := Counts{}
	assert.Equal(t, "see [masked: ticket] and [masked: ticket]", m.Text("see TICKET-12 and TICKET-3", counts))
	assert.Equal(t, Counts{"ticket": 2}, counts)
	url := "https://me:abc12345@example.com"
	assert.Equal(t, url, m.Text(url, nil))

	_, err = New(Options{
		Rules: map[string]string{"Bad Name": "a", "open": "(", "empty": "a*", "jwt": "x"}, Disable: []string{"no-rule"}, Keys: []string{""},
	})
	for _, text := range []string{"rules::Bad Name", "rules::open", "rules::empty", "rules::jwt", `disable::0: "no-rule"`, "keys::0"} {
		require.ErrorContains(t, err, text)
	}
}

// A pattern of the configuration may match what makes JSON JSON: nothing of it is let out then.
func TestOwnRuleKeepsJSON(t *testing.T) {
	m, err := New(Options{Rules: map[string]string{"greedy": `"x.*`}})
	require.NoError(t, err)
	assert.Equal(t, `"[masked: greedy]"`, m.Text(`{"a":"x1"}`, nil))
}
