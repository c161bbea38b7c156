package mask

const harmlessLines = `
max_tokens: 5
{"max_tokens":4096,"input_tokens":123,"output_tokens":45,"cache_read_input_tokens":0}
"input_tokens":123
{"usage":{"total_tokens":168,"tokens":168}}
{"progressToken":"p-1"}
{"_meta":{"progressToken":42}}
{"progress_token":"9f1c2b3a"}
progress token: abc123def
next_page_token=CAUQAA1234
the password must have at least 8 characters
The password must have an upper case letter and a digit.
{"errors":{"password":"must have at least 8 characters"}}
{"password":"Please enter your password"}
{"properties":{"password":{"type":"string","description":"The password of the user"}},"required":["password","token"]}
{"token_type":"bearer","expires_in":3600}
{"auth":"none","credentials":"include"}
fetch(url, { credentials: "same-origin" })
const token = await getToken(user);
const token = response.data.token;
password = os.environ["DB_PASSWORD"]
api_key=os.getenv("API_KEY")
apiKey: process.env.OPENAI_API_KEY,
password: ${DB_PASSWORD}
password: "${env:REDIS_PASSWORD}"
export API_KEY=$API_KEY
export TOKEN=$(gh auth token)
token: ${{ secrets.GITHUB_TOKEN }}
def login(user: str, password: str) -> bool:
def login(user, password=None, token=None):
function login(user: string, password: string): Promise<Token> {
    password: string;
  token?: string
type Config struct { Password string; Token string }
if password == "" { return errors.New("no password") }
if (token === undefined) throw new Error("token: missing");
if token != "EOF" {
self.token = token
self.api_key = api_key
client = Client(token=token, password=password)
connect(user=user, password=args.password)
return "token=" + token + "&page=" + page;
url := "https://example.com/?api_key=" + key
fmt.Sprintf("password=%s", p)
print(f"token={token}")
{"key":"value","keys":["a","b"]}
{"key":"user:1234:profile"}
{"primary_key":"user_id_1234","foreign_key":"order_id_99"}
public_key: ssh-ed25519
"public_key": "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="
key: Enter
for key, value in items.items():
monkey: banana1234
keyboard=qwerty123
author: Jane Doe 1999
{"author":"Jane Doe","authors":["x"]}
"authority": "login.example.com:8443"
authenticated: true
authentication: required
The bearer of the letter asked the secretary about basic authentication.
a basic idea, bearer bonds
Bearer authentication is required for this endpoint
Use the Authorization header: Bearer <token>
Authorization: Bearer ${TOKEN}
Authorization: required
see https://example.com:8443/a/b?page=2&sort=name and mailto:me@example.com
git@github.com:org/repo.git
ssh://git@github.com/org/repo.git
https://example.com/@user/post:12
npm install @modelcontextprotocol/server-everything@1.0.0
https://registry.npmjs.org/@types/node/-/node-20.1.0.tgz
docker run -u 1000:1000 --rm alpine
docker run --user 1000:1000 --rm alpine
ls -la | grep --token-less
git commit --author 'Jane Doe <jane@example.com>'
use --token to pass a token
gh auth login --with-token
passed: 12, failed: 0, skipped: 1
{"pass":true,"passed":12}
PASS ok github.com/org/repo 1.234s
--- PASS: TestPassword (0.00s)
compass=north passage: 12
cookie: the browser stores it
This site uses cookies. Cookies: accept all
the secret of success: patience
secretary: Jane
secretName: my-app-config
secretKeyRef: {name: app, key: password}
tokenizer: cl100k_base
{"tokenizer":"cl100k","eos_token":"</s>","pad_token":"<pad>"}
token_count = len(tokens)
tokens = text.split()
SyntaxError: Unexpected token } in JSON at position 123
unexpected token: 'identifier'
{"token":"identifier","line":12}
signature: (a: string) => void
signal: SIGTERM
design=modern2024
config: sig=none
task-0123456789abcdef0123456789abcdef
sk-learn-and-other-words-with-hyphens
risk-assessment-with-many-words-in-it
disk-usage-of-the-whole-machine
pip install sk-video scikit-learn
-rw-r--r-- 1 root root 4096 Nov 24 12:00 /usr/share/doc/password-store/README
/usr/local/lib/python3.12/site-packages/django/contrib/auth/password_validation.py:42
import { TokenService } from './auth/token.service';
import passwordRules from "@org/password-rules";
from django.contrib.auth import authenticate
package auth // import "example.com/auth"
KeyError: 'password'
ValueError: invalid token: expected string
ERROR: password authentication failed for user "postgres"
WARN token expired at 2026-11-24T12:00:00Z
{"level":"info","msg":"token refreshed","expires":"2026-11-24T12:00:00Z"}
{"name":"login","arguments":{"user":"me"}}
{"toolCallId":"call_9pw1qnYScqvGrCH58HWCvFH6"}
{"id":"chatcmpl-8fXn1jN3gq2L0p9xK7sT5vW4"}
{"model":"claude-opus-4-5-20251101","stop_reason":"end_turn"}
arn:aws:iam::123456789012:role/admin
ami-0abcdef1234567890
x-request-id: 4bf92f3577b34da6a3ce929d0e0e4736
traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
xsrf cookie name: XSRF
"data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
2026-11-24T12:00:00Z INFO [main] o.s.s.web.DefaultSecurityFilterChain : Will secure any request
time: 12:34:56 key: 0
foo(key=lambda x: x.name)
sorted(items, key=itemgetter(1))
map[string]string{"key": "value"}
<input type="password" name="password" placeholder="Password">
<label for="password">Password</label>
"scripts": {"auth": "node auth.js"}
{"authorization_endpoint":"https://example.com/oauth2/authorize"}
{"token_endpoint":"https://example.com/oauth2/token"}
password_min_length: 12
PASSWORD_RESET_TIMEOUT=3600
TOKEN_TTL=3600
KEY_COUNT=12
AUTH_URL=https://auth.example.com/login
password_hash_algorithm = bcrypt
password: [redacted]
"password": "********"
"api_key": "<your-api-key>"
API_KEY=your_api_key_here
"token": null, "password": null
cache-key: linux-node-20
cacheKey = "v1:users:list"
- key: node-role.kubernetes.io/master
`

var harmlessTexts = []string{
	"func (s *Server) Auth(token string) error {\n\tif token == \"\" {\n\t\treturn errNoToken\n\t}\n\treturn s.verify(token)\n}\n",
	"class Settings:\n    password: str\n    token: Optional[str] = None\n    api_key: SecretStr\n",
	"interface Props {\n  password: string\n  token: string | null\n  apiKey?: string\n}\n",
	"auth:\n  type: oauth2\n  credentials:\n    secretRef: app\n",
	"Usage: tool [flags]\n  --token string     API token\n  --password string  password of the user\n  --key file         private key file\n",
	"| Name | Type |\n| --- | --- |\n| password | string |\n| token | string |\n",
	`{"note: password=":1,"x":"the password: ","y":"token=","z":"api_key: "}`,
	`{"a":"enter password:","b":"c"}`,
}
