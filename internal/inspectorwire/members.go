package inspectorwire

import "github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"

// member numbers the members that are read. Unknown ones share number 0, which
// nobody looks at.
type member uint8

const (
	mUnknown member = iota
	mType
	mSessionID
	mTimestamp
	mEventID
	mEngine
	mTitle
	mStartTime
	mStatus
	mEndTime
	mError
	mDurationMS
	mLLMCallsDelta
	mTokensDelta
	mToolCallsDelta
	mSignalName
	mPrompt
	mSchema
	mSignalSchema
	mURI
	mMimeType
	mBytes
	mTemplateID
	mParameters
	mProgressToken
	mPercent
	mMessage
	memberCount
)

var names = [memberCount]string{
	mType:           "type",
	mSessionID:      "session_id",
	mTimestamp:      "timestamp",
	mEventID:        "event_id",
	mEngine:         "engine",
	mTitle:          "title",
	mStartTime:      "start_time",
	mStatus:         "status",
	mEndTime:        "end_time",
	mError:          "error",
	mDurationMS:     "duration_ms",
	mLLMCallsDelta:  "llm_calls_delta",
	mTokensDelta:    "tokens_delta",
	mToolCallsDelta: "tool_calls_delta",
	mSignalName:     "signal_name",
	mPrompt:         "prompt",
	mSchema:         "schema",
	mSignalSchema:   "signal_schema",
	mURI:            "uri",
	mMimeType:       "mime_type",
	mBytes:          "bytes",
	mTemplateID:     "template_id",
	mParameters:     "parameters",
	mProgressToken:  "progress_token",
	mPercent:        "percent",
	mMessage:        "message",
}

var members = numbers()

func numbers() map[string]member {
	m := make(map[string]member, memberCount)
	for i, name := range names {
		m[name] = member(i)
	}
	return m
}

// maxMilliseconds keeps durations within an int64 of nanoseconds.
const maxMilliseconds = 9e12

// value is the member's text; a null counts as absent.
func (d *decoder) value(m member) jsonscan.Value {
	if v := d.values[m]; !v.IsNull() {
		return v
	}
	return ""
}

// text is a string's content. Of any other kind it is the JSON, so that nothing
// is lost.
func (d *decoder) text(m member) string {
	v := d.value(m)
	if v != "" && !v.IsString() {
		d.blame(m, "is not a string")
	}
	return v.Text()
}

// name is a string's content, or a number's text, and nothing else: names are
// written even where payloads are not, and anything may be in an object.
func (d *decoder) name(m member) string {
	v := d.value(m)
	if v != "" && !v.IsString() {
		d.blame(m, "is not a string")
	}
	if v.IsNumber() {
		return string(v)
	}
	return v.Str()
}

// token is a string's content or a number's text.
func (d *decoder) token(m member) string {
	if v := d.value(m); v.IsNumber() {
		return string(v)
	}
	return d.name(m)
}

func (d *decoder) int(m member) (n int64, ok bool) {
	v := d.value(m)
	if v == "" {
		return 0, false
	}
	if n, ok = v.Int(); !ok {
		d.blame(m, "is not an integer")
	}
	return n, ok
}

func (d *decoder) float(m member) (f float64, ok bool) {
	v := d.value(m)
	if v == "" {
		return 0, false
	}
	if f, ok = v.Float(); !ok {
		d.blame(m, "is not a number")
		return 0, false
	}
	return f, true
}

func (d *decoder) milliseconds(m member) float64 {
	f, _ := d.float(m)
	if f < 0 || f > maxMilliseconds {
		d.blame(m, "is out of range")
		return 0
	}
	return f
}

func (d *decoder) time(m member) int64 {
	v := d.value(m)
	if v == "" {
		return 0
	}
	ns, ok := parseTime(v.Str())
	if !ok {
		d.blame(m, "is not an ISO 8601 time of the years 1970 to 2261")
	}
	return ns
}

func (d *decoder) require(m member, text string) {
	if text == "" {
		d.blame(m, "is missing")
	}
}

func (d *decoder) blame(m member, why string) {
	if d.invalid == "" {
		d.invalid = names[m] + " " + why
	}
}
