package mask

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	hexa  = "0123456789abcdef"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// random is text of that length; the same for the same generator.
func random(r *rand.Rand, charset string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = charset[r.IntN(len(charset))]
	}
	b[n-1], b[n/2] = '7', '3' // never without a digit
	return string(b)
}

// issued are credentials with a shape of their own, put together here so that no scanner of repositories reports them.
func issued(r *rand.Rand) map[string]string {
	a := func(prefix string, n int) string { return prefix + random(r, alnum, n) }
	h := func(prefix string, n int) string { return prefix + random(r, hexa, n) }
	b64 := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return map[string]string{
		"github":         a("gh"+"p_", 36),
		"github pat":     a("github"+"_pat_", 82),
		"github app":     a("gh"+"s_", 36),
		"gitlab":         a("gl"+"pat-", 20),
		"atlassian":      a("ATA"+"TT3xFfGF0", 60),
		"aws":            "AK" + "IA" + random(r, upper, 14) + "QQ",
		"gcp":            a("AI"+"za", 35),
		"gcp oauth":      a("ya"+"29.", 80),
		"gcp client":     a("GOC"+"SPX-", 28),
		"azure":          random(r, alnum, 3) + "8" + "Q~" + random(r, alnum, 34),
		"slack":          "xo" + "xb-123456789012-" + random(r, alnum, 24),
		"slack hook":     "https://hooks.slack" + ".com/services/T" + random(r, alnum, 8) + "/B" + random(r, alnum, 8) + "/" + random(r, alnum, 24),
		"stripe":         a("sk"+"_live_", 24),
		"stripe hook":    a("wh"+"sec_", 32),
		"openai":         a("s"+"k-proj-", 48),
		"openai old":     a("s"+"k-", 48),
		"anthropic":      a("s"+"k-ant-api03-", 93),
		"openrouter":     h("s"+"k-or-v1-", 64),
		"groq":           a("gs"+"k_", 52),
		"hugging face":   a("h"+"f_", 34),
		"npm":            a("np"+"m_", 36),
		"pypi":           a("py"+"pi-AgEIcHlwaS5vcmc", 80),
		"docker":         a("dckr"+"_pat_", 27),
		"sendgrid":       "S" + "G." + random(r, alnum, 22) + "." + random(r, alnum, 43),
		"twilio":         h("S"+"K", 32),
		"mailgun":        h("ke"+"y-", 32),
		"telegram":       "1234567890" + ":A" + "A" + random(r, alnum, 33),
		"discord":        "M" + random(r, alnum, 25) + "." + random(r, alnum, 6) + "." + random(r, alnum, 38),
		"discord hook":   "https://discord.com/api/web" + "hooks/123456789012345678/" + random(r, alnum, 68),
		"shopify":        h("shp"+"at_", 32),
		"digitalocean":   h("do"+"p_v1_", 64),
		"vault":          a("hv"+"s.", 90),
		"terraform":      random(r, alnum, 14) + ".atlas" + "v1." + random(r, alnum, 60),
		"databricks":     h("da"+"pi", 32),
		"grafana":        "gl" + "sa_" + random(r, alnum, 32) + "_" + random(r, hexa, 8),
		"new relic":      "NR" + "AK-" + random(r, upper, 27),
		"postman":        "PM" + "AK-" + random(r, hexa, 24) + "-" + random(r, hexa, 34),
		"linear":         a("li"+"n_api_", 40),
		"notion":         a("nt"+"n_", 46),
		"jwt":            b64(`{"alg":"HS256","typ":"JWT"}`) + "." + b64(`{"sub":"1234567890"}`) + "." + random(r, alnum, 43),
		"tailscale":      "ts" + "key-auth-" + random(r, alnum, 17) + "-" + random(r, alnum, 32),
		"planetscale":    a("psc"+"ale_tkn_", 43),
		"private key":    "-----BEGIN " + "RSA PRIVATE KEY-----\n" + random(r, alnum, 64) + "\n" + random(r, alnum, 64) + "\n-----END RSA PRIVATE KEY-----",
		"ssh key":        "-----BEGIN " + "OPENSSH PRIVATE KEY-----\n" + random(r, alnum, 70) + "\n-----END OPENSSH PRIVATE KEY-----\n",
		"cut key":        "-----BEGIN " + "PRIVATE KEY-----\n" + random(r, alnum, 64),
		"mailchimp":      random(r, hexa, 32) + "-u" + "s12",
		"age":            "AGE-SEC" + "RET-KEY-1" + random(r, upper, 58),
		"gitlab runner":  a("gl"+"rt-", 20),
		"slack app":      "xa" + "pp-1-A0123456789-" + random(r, alnum, 24),
		"supabase":       h("sb"+"p_", 40),
		"sentry":         h("sntr"+"yu_", 64),
		"langsmith":      "ls" + "v2_pt_" + random(r, hexa, 32) + "_" + random(r, hexa, 10),
		"github refresh": a("gh"+"r_", 76),
	}
}

// around are texts with a credential that has a shape.
var around = map[string]string{
	"alone":    "%s",
	"prose":    "use %s and go on",
	"code":     "client := New(%q)",
	"line":     "first line\n%s\nlast line",
	"markdown": "Your key is `%s`.",
	"query":    "curl 'https://example.com/api?x=%s&page=2'",
}

// named are texts with a secret that has no shape, but a name or a place.
var places = map[string]string{
	"json password":   `{"password":"%s","user":"me"}`,
	"json spaced":     "{\n  \"password\" :\n    \"%s\",\n  \"after\": 1\n}",
	"json camel":      `{"apiKey":"%s"}`,
	"json kebab":      `{"x-api-key":"%s"}`,
	"json client":     `{"client_secret":"%s"}`,
	"json refresh":    `{"refreshToken":"%s","expires":3600}`,
	"json auth":       `{"headers":{"Authorization":"Bearer %s"}}`,
	"json auth list":  `{"Authorization":["Bearer %s"],"Accept":["*/*"]}`,
	"json cookie":     `{"cookie":"sid=%s; theme=dark"}`,
	"json env":        `{"env":{"DB_PASSWORD":"%s"}}`,
	"json name value": `{"env":[{"name":"API_KEY","value":"%s"}]}`,
	"json args":       `{"args":["--password","%s","-v"]}`,
	"json args =":     `{"args":["--api-key=%s","-v"]}`,
	"json header arg": `{"args":["-H","X-Api-Key: %s"]}`,
	"json in text":    `response was {"ok":true,"access_token":"%s"} after 3 s`,
	"env":             "HOME=/root\nDB_PASSWORD=%s\nUSER=me",
	"env export":      "export GITHUB_TOKEN=%s\nls",
	"env quotes":      "export SECRET_KEY=\"%s\"\nls",
	"env single":      "API_KEY='%s' npm start",
	"ini":             "[db]\npassword = %s\nhost = localhost",
	"ini joined":      "[db]\nuser=me\npassword=%s\n",
	"properties":      "spring.datasource.password=%s\nspring.name=x",
	"npmrc":           "//registry.npmjs.org/:_authToken=%s",
	"toml":            "[auth]\ntoken = \"%s\"\n",
	"yaml":            "db:\n  password: %s\n  port: 5432\n",
	"yaml quotes":     "db:\n  password: \"%s\"\n  port: 5432\n",
	"yaml single":     "api_key: '%s'\n",
	"yaml token":      "auth:\n  token: %s\n",
	"python dict":     "{'user': 'me', 'password': '%s'}",
	"python call":     "connect(host=\"db\", password=\"%s\")",
	"python const":    "API_KEY = '%s'",
	"go":              "Password: \"%s\",",
	"js":              "const apiKey = '%s';",
	"ruby":            ":password => \"%s\"",
	"index":           "config['secret'] = '%s'",
	"xml":             "<server><password>%s</password></server>",
	"xml attribute":   "<user name=\"me\" password=\"%s\"/>",
	"header":          "Authorization: Bearer %s\r\nAccept: */*",
	"header token":    "curl -H 'Authorization: token %s' https://example.com",
	"header key":      "X-Api-Key: %s\nAccept: */*",
	"header cookie":   "GET / HTTP/1.1\r\nCookie: a=1; session=%s\r\n\r\n",
	"header set":      "Set-Cookie: sid=%s; HttpOnly",
	"bearer":          "then it sent bearer %s to the server",
	"url":             "postgres://app:%s@db.example.com:5432/prod?sslmode=disable",
	"url user":        "git clone https://me:%s@github.com/org/repo.git",
	"redis":           "redis://:%s@cache:6379/0",
	"query token":     "https://example.com/cb?access_token=%s&state=1",
	"query key":       "GET /v1?api_key=%s HTTP/1.1",
	"flag":            "deploy --token %s --verbose",
	"flag joined":     "deploy --password=%s --verbose",
	"connection":      "Server=db;User Id=sa;Password=%s;Encrypt=true",
	"azure storage":   "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%s;EndpointSuffix=core.windows.net",
	"curl":            "curl -u me:%s https://example.com",
	"netrc":           "machine example.com login me password %s",
	"aws file":        "[default]\naws_secret_access_key = %s\n",
	"log":             "time=12:00 level=info msg=login user=me password=%s ok=true",
	"kubernetes":      "  - name: DB_PASSWORD\n    value: %s\n",
	"powershell":      "$env:API_TOKEN = \"%s\"",
	"docker":          "docker run -e POSTGRES_PASSWORD=%s postgres",
	"sql":             "CREATE USER app WITH PASSWORD '%s';",
}

// wraps put a text where tool results have it.
var wraps = map[string]func(string) string{
	"plain":  func(s string) string { return s },
	"json":   nest,
	"nested": func(s string) string { return nest(nest(s)) },
	"deep":   func(s string) string { return nest(nest(nest(s))) },
	"base64": func(s string) string {
		return "data: " + base64.StdEncoding.EncodeToString([]byte(s)) + "\nend"
	},
	"base64 url": func(s string) string {
		return `{"content":"` + base64.RawURLEncoding.EncodeToString([]byte(s)) + `"}`
	},
}

func nest(text string) string {
	inner, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return `{"content":[{"type":"text","text":` + string(inner) + `}]}`
}

type sample struct{ name, text, secret string }

// corpus are texts with a secret each.
func corpus(seed uint64) (all []sample) {
	r := rand.New(rand.NewPCG(seed, 1))
	for name, secret := range issued(r) {
		for where, text := range around {
			all = append(all, sample{name + ", " + where, fmt.Sprintf(text, secret), secret})
		}
	}
	for where, text := range places {
		for kind, secret := range map[string]string{
			"random": random(r, alnum, 24), "short": random(r, alnum, 10), "symbols": "Tr0ub4" + random(r, alnum, 4) + "!x+9",
			"hex": random(r, hexa, 32),
		} {
			all = append(all, sample{where + ", " + kind, fmt.Sprintf(text, secret), secret})
		}
	}
	return all
}

func masker(tb testing.TB) *Masker {
	tb.Helper()
	m, err := New(Options{})
	require.NoError(tb, err)
	return m
}

// leaks reports whether enough of a secret is left to use it.
func leaks(out, secret string) bool {
	for line := range strings.SplitSeq(secret, "\n") {
		if n := len(line); n >= 8 && !strings.HasPrefix(line, "-----") && strings.Contains(out, line[n/4:n-n/4]) {
			return true
		}
	}
	return false
}

func TestRecall(t *testing.T) {
	m := masker(t)
	found, total := 0, 0
	missed := map[string]int{}
	for seed := range uint64(3) {
		for _, s := range corpus(seed) {
			for how, wrap := range wraps {
				text := wrap(s.text)
				out := m.Text(text, nil)
				ok := !leaks(out, s.secret) && out != text
				total++
				if ok {
					found++
				} else {
					missed[s.name+", "+how]++
				}
				if json.Valid([]byte(text)) {
					assert.True(t, json.Valid([]byte(out)), "%s: %s", s.name, out)
					assert.True(t, json.Valid([]byte(m.mask(text, nil, 0))), "%s: %s", s.name, text)
				}
				assert.Equal(t, out, m.Text(out, nil), s.name)
			}
		}
	}
	t.Logf("recall %.2f %% of %d", 100*float64(found)/float64(total), total)
	for name, n := range missed {
		t.Logf("missed %d: %s", n, name)
	}
	assert.GreaterOrEqual(t, float64(found)/float64(total), 0.95)
}

// harmless are texts that have to stay as they are.
func harmless() (all []string) {
	r := rand.New(rand.NewPCG(7, 7))
	all = strings.Split(strings.TrimSpace(harmlessLines), "\n")
	all = append(all, harmlessTexts...)
	for range 40 {
		uuid := random(r, hexa, 32)
		uuid = uuid[:8] + "-" + uuid[8:12] + "-4" + uuid[13:16] + "-" + uuid[16:20] + "-" + uuid[20:]
		binary, err := hex.DecodeString(random(r, hexa, 128))
		if err != nil {
			panic(err)
		}
		all = append(all,
			`{"id":"`+uuid+`","session_id":"`+random(r, alnum, 22)+`"}`,
			"commit "+random(r, hexa, 40),
			`"integrity": "sha512-`+base64.StdEncoding.EncodeToString(binary)+`",`,
			"sha256:"+random(r, hexa, 64),
			`{"traceId":"`+random(r, hexa, 32)+`","spanId":"`+random(r, hexa, 16)+`"}`,
			`{"tool_use_id":"toolu_`+random(r, alnum, 24)+`"}`,
			`{"progressToken":"`+uuid+`"}`,
			`{"nextPageToken":"`+random(r, alnum, 30)+`","cursor":"`+random(r, alnum, 30)+`"}`,
			`{"type":"image","data":"`+base64.StdEncoding.EncodeToString(binary)+`"}`,
		)
	}
	return all
}

func TestHarmless(t *testing.T) {
	m := masker(t)
	changed, total := 0, 0
	for _, text := range harmless() {
		for how, wrap := range wraps {
			total++
			if out := m.Text(wrap(text), nil); out != wrap(text) {
				changed++
				t.Logf("changed, %s: %s\n → %s", how, text, out)
			}
		}
	}
	t.Logf("changed %.2f %% of %d harmless texts", 100*float64(changed)/float64(total), total)
	assert.LessOrEqual(t, float64(changed)/float64(total), 0.01)
}
