package inspectorwire

import "time"

// layouts are tried on times that are not as the Inspector writes them.
var layouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05"}

// ParseTime reads an ISO 8601 time as Unix ns; without a zone it is UTC. Not ok,
// and 0, outside the years 1970 to 2261 and at the epoch itself.
func ParseTime(s string) (ns int64, ok bool) { return parseTime(s) }

// parseTime reads an ISO 8601 time as Unix ns; without a zone it is UTC. Not ok,
// and 0, outside the years 1970 to 2261 and at the epoch itself.
func parseTime(s string) (ns int64, ok bool) {
	t, ok := fixedTime(s)
	for i := 0; !ok && i < len(layouts); i++ {
		var err error
		t, err = time.Parse(layouts[i], s)
		ok = err == nil
	}
	if !ok || t.Unix() < 0 || t.UTC().Year() > 2261 || t.UnixNano() == 0 {
		return 0, false
	}
	return t.UnixNano(), true
}

// fixedTime is time.Parse for the usual layout, several times as fast.
func fixedTime(s string) (t time.Time, ok bool) {
	const seconds = len("2006-01-02T15:04:05")
	if len(s) < seconds || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return t, false
	}
	year, month, day := digits(s[0:4]), digits(s[5:7]), digits(s[8:10])
	hour, minute, second := digits(s[11:13]), digits(s[14:16]), digits(s[17:19])
	nanos, rest := fraction(s[seconds:])
	east, ok := zone(rest)
	if !ok || nanos < 0 || year < 0 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return t, false
	}
	t = time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	ok = t.Day() == day && int(t.Month()) == month // Date makes March of the 30th of February
	return t.Add(-east), ok
}

// zone reads nothing, Z, or an offset like +02:00.
func zone(s string) (east time.Duration, ok bool) {
	if s == "" || s == "Z" {
		return 0, true
	}
	if len(s) != len("+02:00") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	hours, minutes := digits(s[1:3]), digits(s[4:6])
	east = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if s[0] == '-' {
		east = -east
	}
	return east, hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60
}

// fraction reads up to nine digits behind a point as ns; rest is what follows.
// It is -1 for a bare point.
func fraction(s string) (nanos int, rest string) {
	if s == "" || s[0] != '.' {
		return 0, s
	}
	n := 1
	for n < len(s) && n < 10 && s[n]-'0' <= 9 {
		n++
	}
	nanos = digits(s[1:n])
	for i := n; i < 10; i++ {
		nanos *= 10
	}
	return nanos, s[n:]
}

// digits is the value of a decimal number, or -1 if s is none.
func digits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	if s == "" {
		return -1
	}
	return n
}
