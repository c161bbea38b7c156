package sessions

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Time is a time in Unix ns; in JSON RFC 3339 in UTC. 0 is none.
type Time int64

// lastTime is the end of the year 2261: later ones are none.
const lastTime = 9_214_646_399_999_999_999

// when is a time of telemetry.
func when(t pcommon.Timestamp) Time { return Time(min(t, lastTime)) }

// MarshalText implements encoding.TextMarshaler.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *Time) UnmarshalText(text []byte) error {
	at, err := time.Parse(time.RFC3339Nano, string(text))
	*t = Time(at.UnixNano())
	return err
}

// String is the time as in JSON.
func (t Time) String() string { return time.Unix(0, int64(t)).UTC().Format(time.RFC3339Nano) }
