package eventsource

// Faults are asked before something goes well; all may be nil. They are called
// with the server locked and must not call it.
type Faults struct {
	// Answer says what becomes of a request: "" for an answer, "lost" for one that
	// is carried out and not answered, "busy" for a 429.
	Answer func(method string) string
	// Deliver says what becomes of an event on its way: "" for once, "twice",
	// "late" for after the next, "silent" for a stream that goes dead, "skewed" for
	// a delivery with a time that is too old, "forged" for a wrong signature.
	Deliver func(mode string) string
}

// answer asks what becomes of a request.
func (f *Faults) answer(method string) string {
	if f.Answer == nil {
		return ""
	}
	return f.Answer(method)
}

// deliver asks what becomes of an event.
func (f *Faults) deliver(mode string) string {
	if f.Deliver == nil {
		return ""
	}
	return f.Deliver(mode)
}
