package mask

// A shape is a credential that is recognized by how it looks. The pattern (RE2) is matched at the keyword, or before it by
// lead bytes, and has to begin and end at the border of a word.
type shape struct {
	name, keyword, pattern string
	// lead is the number of bytes of the pattern before the keyword; leadDigits means any number of digits.
	lead int
	// digit is true if a text without a digit is no credential.
	digit bool
}

const leadDigits = -1

// The lines around a private key.
const (
	keyHeader = `-{5}BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-{5}`
	keyFooter = `-{5}END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-{5}`
)

// shapes are tried in this order for each keyword.
var shapes = []shape{
	{name: "github-pat", keyword: "github_pat_", pattern: `github_pat_[A-Za-z0-9_]{20,}`},
	{name: "github-pat", keyword: "ghp_", pattern: `ghp_[A-Za-z0-9]{20,}`},
	{name: "github-oauth", keyword: "gho_", pattern: `gho_[A-Za-z0-9]{20,}`},
	{name: "github-app", keyword: "ghu_", pattern: `ghu_[A-Za-z0-9]{20,}`},
	{name: "github-app", keyword: "ghs_", pattern: `ghs_[A-Za-z0-9._-]{20,}`},
	{name: "github-app", keyword: "ghr_", pattern: `ghr_[A-Za-z0-9]{20,}`},
	{name: "gitlab-token", keyword: "glpat-", pattern: `glpat-[A-Za-z0-9_.-]{16,}`},
	{name: "gitlab-token", keyword: "gldt-", pattern: `gldt-[A-Za-z0-9_-]{16,}`},
	{name: "gitlab-token", keyword: "glrt-", pattern: `glrt-[A-Za-z0-9_.-]{16,}`},
	{name: "gitlab-token", keyword: "glcbt-", pattern: `glcbt-[A-Za-z0-9_-]{16,}`},
	{name: "gitlab-token", keyword: "glptt-", pattern: `glptt-[A-Za-z0-9_-]{16,}`},
	{name: "gitlab-token", keyword: "glsoat-", pattern: `glsoat-[A-Za-z0-9_-]{16,}`},
	{name: "bitbucket-token", keyword: "ATBB", pattern: `ATBB[A-Za-z0-9]{28,}`},
	{name: "atlassian-token", keyword: "ATATT3", pattern: `ATATT3[A-Za-z0-9_=-]{20,}`},
	{name: "aws-access-key", keyword: "AKIA", pattern: `AKIA[A-Z0-9]{16}`},
	{name: "aws-access-key", keyword: "ASIA", pattern: `ASIA[A-Z0-9]{16}`},
	{name: "gcp-api-key", keyword: "AIza", pattern: `AIza[A-Za-z0-9_-]{30,}`},
	{name: "gcp-oauth", keyword: "ya29.", pattern: `ya29\.[A-Za-z0-9_.-]{20,}`},
	{name: "gcp-client-secret", keyword: "GOCSPX-", pattern: `GOCSPX-[A-Za-z0-9_-]{20,}`},
	{name: "azure-client-secret", keyword: "Q~", pattern: `[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}`, lead: 4},
	{name: "slack-token", keyword: "xoxb-", pattern: `xoxb-[A-Za-z0-9-]{8,}`},
	{name: "slack-token", keyword: "xoxp-", pattern: `xoxp-[A-Za-z0-9-]{8,}`},
	{name: "slack-token", keyword: "xoxa-", pattern: `xoxa-[A-Za-z0-9-]{8,}`},
	{name: "slack-token", keyword: "xoxr-", pattern: `xoxr-[A-Za-z0-9-]{8,}`},
	{name: "slack-token", keyword: "xoxs-", pattern: `xoxs-[A-Za-z0-9-]{8,}`},
	{name: "slack-token", keyword: "xoxc-", pattern: `xoxc-[A-Za-z0-9-]{8,}`},
	{name: "slack-token", keyword: "xoxd-", pattern: `xoxd-[A-Za-z0-9%_-]{8,}`},
	{name: "slack-token", keyword: "xoxe", pattern: `xoxe[.-][A-Za-z0-9.-]{8,}`},
	{name: "slack-token", keyword: "xapp-", pattern: `xapp-[A-Za-z0-9-]{8,}`},
	{name: "slack-webhook", keyword: "hooks.slack.com/", pattern: `hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{12,}`},
	{name: "stripe-key", keyword: "sk_live_", pattern: `sk_live_[A-Za-z0-9]{10,}`},
	{name: "stripe-key", keyword: "sk_test_", pattern: `sk_test_[A-Za-z0-9]{10,}`},
	{name: "stripe-key", keyword: "rk_live_", pattern: `rk_live_[A-Za-z0-9]{10,}`},
	{name: "stripe-key", keyword: "rk_test_", pattern: `rk_test_[A-Za-z0-9]{10,}`},
	{name: "stripe-webhook", keyword: "whsec_", pattern: `whsec_[A-Za-z0-9+/]{24,}=*`},
	{name: "anthropic-key", keyword: "sk-", pattern: `sk-ant-[A-Za-z0-9_-]{16,}`},
	{name: "openrouter-key", keyword: "sk-", pattern: `sk-or-[A-Za-z0-9_-]{16,}`},
	{name: "openai-key", keyword: "sk-", pattern: `sk-[A-Za-z0-9_-]{16,}`, digit: true},
	{name: "groq-key", keyword: "gsk_", pattern: `gsk_[A-Za-z0-9]{30,}`},
	{name: "xai-key", keyword: "xai-", pattern: `xai-[A-Za-z0-9]{40,}`},
	{name: "perplexity-key", keyword: "pplx-", pattern: `pplx-[A-Za-z0-9]{32,}`},
	{name: "replicate-token", keyword: "r8_", pattern: `r8_[A-Za-z0-9]{30,}`},
	{name: "huggingface-token", keyword: "hf_", pattern: `hf_[A-Za-z0-9]{20,}`},
	{name: "pinecone-key", keyword: "pcsk_", pattern: `pcsk_[A-Za-z0-9_]{30,}`},
	{name: "langsmith-key", keyword: "lsv2_", pattern: `lsv2_[a-z]{2}_[a-f0-9_]{30,}`},
	{name: "tavily-key", keyword: "tvly-", pattern: `tvly-[A-Za-z0-9-]{20,}`},
	{name: "npm-token", keyword: "npm_", pattern: `npm_[A-Za-z0-9]{30,}`},
	{name: "pypi-token", keyword: "pypi-", pattern: `pypi-[A-Za-z0-9_-]{40,}`},
	{name: "rubygems-key", keyword: "rubygems_", pattern: `rubygems_[a-f0-9]{40,}`},
	{name: "docker-token", keyword: "dckr_pat_", pattern: `dckr_pat_[A-Za-z0-9_-]{20,}`},
	{name: "docker-token", keyword: "dckr_oat_", pattern: `dckr_oat_[A-Za-z0-9_-]{20,}`},
	{name: "sendgrid-key", keyword: "SG.", pattern: `SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}`},
	{name: "twilio-key", keyword: "SK", pattern: `SK[0-9a-f]{32}`},
	{name: "mailgun-key", keyword: "key-", pattern: `key-[0-9a-f]{32}`},
	{name: "mailchimp-key", keyword: "-us", pattern: `[0-9a-f]{32}-us[0-9]{1,2}`, lead: 32},
	{name: "telegram-token", keyword: ":AA", pattern: `[0-9]{8,10}:AA[A-Za-z0-9_-]{30,36}`, lead: leadDigits},
	{name: "discord-webhook", keyword: "/api/webhooks/", pattern: `/api/webhooks/[0-9]{15,20}/[A-Za-z0-9_-]{40,}`},
	{name: "shopify-token", keyword: "shpat_", pattern: `shpat_[A-Fa-f0-9]{32}`},
	{name: "shopify-token", keyword: "shpca_", pattern: `shpca_[A-Fa-f0-9]{32}`},
	{name: "shopify-token", keyword: "shppa_", pattern: `shppa_[A-Fa-f0-9]{32}`},
	{name: "shopify-token", keyword: "shpss_", pattern: `shpss_[A-Fa-f0-9]{32}`},
	{name: "square-token", keyword: "sq0", pattern: `sq0(?:csp|atp|idp)-[A-Za-z0-9_-]{20,}`},
	{name: "digitalocean-token", keyword: "dop_v1_", pattern: `dop_v1_[a-f0-9]{64}`},
	{name: "digitalocean-token", keyword: "doo_v1_", pattern: `doo_v1_[a-f0-9]{64}`},
	{name: "digitalocean-token", keyword: "dor_v1_", pattern: `dor_v1_[a-f0-9]{64}`},
	{name: "vault-token", keyword: "hvs.", pattern: `hvs\.[A-Za-z0-9_-]{20,}`},
	{name: "vault-token", keyword: "hvb.", pattern: `hvb\.[A-Za-z0-9_-]{20,}`},
	{name: "terraform-token", keyword: ".atlasv1.", pattern: `[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}`, lead: 14},
	{name: "databricks-token", keyword: "dapi", pattern: `dapi[a-f0-9]{32}(?:-[0-9])?`},
	{name: "grafana-token", keyword: "glsa_", pattern: `glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}`},
	{name: "grafana-token", keyword: "glc_", pattern: `glc_[A-Za-z0-9+/]{32,}=*`},
	{name: "newrelic-key", keyword: "NRAK-", pattern: `NRAK-[A-Z0-9]{20,}`},
	{name: "sentry-token", keyword: "sntrys_", pattern: `sntrys_[A-Za-z0-9+/=_-]{40,}`},
	{name: "sentry-token", keyword: "sntryu_", pattern: `sntryu_[a-f0-9]{40,}`},
	{name: "doppler-token", keyword: "dp.", pattern: `dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{32,}`},
	{name: "planetscale-token", keyword: "pscale_", pattern: `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}`},
	{name: "supabase-token", keyword: "sbp_", pattern: `sbp_[a-f0-9]{40,}`},
	{name: "netlify-token", keyword: "nfp_", pattern: `nfp_[A-Za-z0-9]{30,}`},
	{name: "linear-key", keyword: "lin_api_", pattern: `lin_api_[A-Za-z0-9]{32,}`},
	{name: "notion-token", keyword: "ntn_", pattern: `ntn_[A-Za-z0-9]{40,}`},
	{name: "figma-token", keyword: "figd_", pattern: `figd_[A-Za-z0-9_-]{30,}`},
	{name: "postman-key", keyword: "PMAK-", pattern: `PMAK-[a-f0-9]{24}-[a-f0-9]{34}`},
	{name: "airtable-token", keyword: "pat", pattern: `pat[A-Za-z0-9]{14}\.[a-f0-9]{64}`},
	{name: "tailscale-key", keyword: "tskey-", pattern: `tskey-[a-z]+-[A-Za-z0-9-]{16,}`},
	{name: "pulumi-token", keyword: "pul-", pattern: `pul-[a-f0-9]{40}`},
	{name: "posthog-key", keyword: "phx_", pattern: `phx_[A-Za-z0-9]{40,}`},
	{name: "age-key", keyword: "AGE-SECRET-KEY-1", pattern: `AGE-SECRET-KEY-1[A-Z0-9]{58}`},
	{name: "jwt", keyword: "eyJ", pattern: `eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){2,4}`},
}

// nameKind is the kind of secret that a name announces.
type nameKind uint8

const (
	// noSecret names are harmless.
	noSecret nameKind = iota
	// password names: every value that is no placeholder and no sentence.
	password
	// credential names: the same without spaces.
	credential
	// header names: everything up to the end of the line.
	header
)

// names are ends of names of members, variables, headers and flags with a secret value: lower case, _ between words.
var names = map[string]nameKind{
	"password": password, "passwd": password, "passphrase": password, "passcode": password, "pwd": password, "passwort": password,
	"db_pass": password, "user_pass": password, "smtp_pass": password, "mysql_pass": password, "admin_pass": password,
	"redis_pass": password, "ftp_pass": password, "mail_pass": password, "email_pass": password, "root_pass": password,
	"pass": credential, "pw": credential, "secret": password, "secrets": credential, "secret_key_base": credential,

	"token": credential, "authtoken": credential, "accesstoken": credential, "refreshtoken": credential, "apitoken": credential,
	"access_tokens": credential, "api_tokens": credential, "auth_tokens": credential, "refresh_tokens": credential,
	"apikey": credential, "api_key": credential, "api_keys": credential, "apikeys": credential, "access_key": credential, "accesskey": credential,
	"secret_key": credential, "secretkey": credential, "private_key": credential, "privatekey": credential,
	"signing_key": credential, "encryption_key": credential, "auth_key": credential, "authkey": credential,
	"account_key": credential, "accountkey": credential, "storage_key": credential, "shared_key": credential,
	"master_key": credential, "deploy_key": credential, "license_key": credential, "jwt_key": credential, "hmac_key": credential,
	"consumer_key": credential, "service_key": credential, "app_key": credential, "application_key": credential,
	"admin_key": credential, "subscription_key": credential, "webhook_key": credential, "ssh_key": credential,
	"openai_key": credential, "anthropic_key": credential, "stripe_key": credential, "session_key": credential,
	"credential": credential, "credentials": credential, "auth": credential, "connection_string": credential,
	"connectionstring": credential, "sig": credential, "amz_signature": credential, "goog_signature": credential, "app_secret": credential,

	"authorization": header, "cookie": header, "cookies": header,
}

// nameKeywords are parts that all names have.
var nameKeywords = []string{
	"pass", "pwd", "pw", "secret", "token", "key", "auth", "credential", "cookie", "connectionstring", "connection_string", "sig",
	"signature",
}

// harmlessTokens are words before token that make it no credential.
var harmlessTokens = wordSet(`progress page next continuation sync cancellation cancel start end eos bos pad sep unk cls mask stop
	special max min num total input output prompt completion cached count lexer syntax first last current resume previous prev
	reasoning thinking image audio text per new budget position`)

// harmlessKeys are words before names that end in key or secret and name something public.
var harmlessKeys = wordSet("public primary foreign")

// placeholders are values that stand for a secret, or for its type.
var placeholders = wordSet(`null none nil true false undefined string str text char varchar bytes byte bool boolean int integer
	number float any unknown object void optional required redacted masked removed omitted omit include same-origin password
	passwd secret token credential credentials key apikey api_key auth bearer basic digest oauth oauth2 jwt yes no on off default
	disabled enabled invalid missing expired empty unset unauthorized failed success ok error utf8 utf-8 sha256 sha512 md5 base64
	bcrypt argon2 identifier keyword operator punctuation comment whitespace literal eof new old user admin anonymous inherit self
	this type value env file stdin cancel progress int32 int64 uint8 uint32 uint64 uint8array secretstr securestring`)

// sentenceWords are words of sentences about a password.
var sentenceWords = wordSet(`must should shall the is are was a an your you please of to has have cannot can at least required invalid
	enter too not for with when if and or this that be use may will used must`)
