package inspectorwire

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// decoder holds the members of one event until its type is known, which may
// come last.
type decoder struct {
	values  [memberCount]jsonscan.Value
	invalid string // the first thing that breaks the schema
}

// scan reads the object at the cursor.
func (d *decoder) scan(c *jsonscan.Cursor) {
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		d.values[members[key]] = c.Value()
		if c.Err() != nil {
			return // another Key would move the cursor off the place of the error
		}
	}
}

func (d *decoder) event(raw string, e *Event) error {
	typ := d.values[mType].Str()
	if typ == "" {
		return ErrNoType
	}
	e.Raw, e.Type = raw, typ
	e.SessionID = d.name(mSessionID)
	e.Time = d.time(mTimestamp)
	e.EventID, _ = d.int(mEventID)
	d.body(e)
	e.Invalid = d.invalid
	return nil
}

// body reads what the type has beyond the members that all share.
func (d *decoder) body(e *Event) {
	switch e.Type {
	case TypeConnected:
		e.Message = d.text(mMessage)
		return
	case TypeHeartbeat:
		d.heartbeat(e)
		return
	case TypeSessionStarted:
		d.sessionStarted(e)
	case TypeSessionFinished:
		d.sessionFinished(e)
	case TypeWaitingOnSignal:
		d.waitingOnSignal(e)
	case TypeSignalReceived:
		e.SignalName = d.name(mSignalName)
	case TypeProgressUpdate:
		d.progressUpdate(e)
	case TypeResourceFetched:
		d.resourceFetched(e)
	case TypePromptUsed:
		d.promptUsed(e)
	default:
		return
	}
	d.require(mSessionID, e.SessionID)
}

func (d *decoder) heartbeat(e *Event) {
	e.LLMCallsDelta, _ = d.int(mLLMCallsDelta)
	e.TokensDelta, _ = d.int(mTokensDelta)
	e.ToolCallsDelta, _ = d.int(mToolCallsDelta)
}

func (d *decoder) sessionStarted(e *Event) {
	e.Engine = engine(d.name(mEngine))
	e.Title = d.text(mTitle)
	e.StartTime = d.time(mStartTime)
}

func (d *decoder) sessionFinished(e *Event) {
	e.Status = d.name(mStatus)
	e.EndTime = d.time(mEndTime)
	e.ErrorText = d.text(mError)
	e.DurationMS = d.milliseconds(mDurationMS)
	switch e.Status {
	case StatusCompleted, StatusFailed, StatusCancelled:
	default:
		d.blame(mStatus, "is not completed, failed or cancelled")
	}
}

func (d *decoder) waitingOnSignal(e *Event) {
	e.SignalName = d.name(mSignalName)
	e.Prompt = d.text(mPrompt)
	if e.Schema = d.value(mSchema); e.Schema == "" {
		e.Schema = d.value(mSignalSchema)
	}
	d.require(mSignalName, e.SignalName)
}

func (d *decoder) progressUpdate(e *Event) {
	e.ProgressToken = d.token(mProgressToken)
	e.Percent, e.HasPercent = d.float(mPercent)
	e.Message = d.text(mMessage)
	d.require(mProgressToken, e.ProgressToken)
	if !e.HasPercent {
		d.blame(mPercent, "is missing")
	}
}

func (d *decoder) resourceFetched(e *Event) {
	e.URI = d.name(mURI)
	e.MimeType = d.name(mMimeType)
	e.Bytes, e.HasBytes = d.int(mBytes)
	d.require(mURI, e.URI)
}

func (d *decoder) promptUsed(e *Event) {
	e.TemplateID = d.name(mTemplateID)
	e.Parameters = d.value(mParameters)
	d.require(mTemplateID, e.TemplateID)
	if e.Parameters != "" && !e.Parameters.IsObject() {
		d.blame(mParameters, "is not an object")
	}
}

func engine(name string) string {
	if strings.EqualFold(name, "mcp-inbound") || strings.EqualFold(name, EngineInbound) {
		return EngineInbound
	}
	return name
}
