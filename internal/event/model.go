package event

// Usage holds what a call of a language model used, in tokens. Input includes what
// was read from and written to the provider's cache, and Output includes
// reasoning, as the semantic conventions count (gen_ai.usage.*).
type Usage struct {
	Input      int64
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Reasoning  int64
}

// ModelUse is a call of a language model as its agent reports it. What is not
// reported is empty.
type ModelUse struct {
	ID         string // that the provider gave the request
	ResponseID string
	Model      string // that was asked
	Answered   string // that answered
	Provider   string // gen_ai.provider.name; "" if it is not certain
	Usage      Usage
	HasUsage   bool
	Cost       float64 // US dollars
	HasCost    bool
	Start      int64  // Unix ns
	End        int64  // likewise
	FirstToken int64  // ns from Start to the first token
	Attempt    int64  // from 1
	Purpose    string // what the agent calls it: repl_main_thread, compact …
	Aside      bool   // it does not fill the context of the main thread: a title, a compaction, a sub-agent's call
	SubAgent   string // id of the sub-agent that made it, "" the main thread
	Finish     string // why the model stopped, as sent
	Input      JSON   // messages
	Output     JSON   // likewise
}

// ModelStarted reports that an agent is about to call a language model.
type ModelStarted struct {
	SelfReport
	Use ModelUse
}

// ModelEnded reports that the model answered, or that the call failed.
type ModelEnded struct {
	SelfReport
	Use     ModelUse
	Failed  bool
	Retries bool   // the agent tries again
	Type    string // error.type, as sent
	Status  int64  // of HTTP; 0 if it is not reported
	Text    string // of the error

	Interrupted bool // a person did not wait for the answer
}

// ServerChanged reports that the connection of an agent to an MCP server went up or
// down.
type ServerChanged struct {
	SelfReport
	Server    string // "" if it is not reported
	Status    string // connected, failed, disconnected
	Transport string
	Error     string
}

// TurnUsed holds what a turn used in all, where the agent adds it up itself. It
// repeats what the calls of its models reported.
type TurnUsed struct {
	SelfReport
	Usage   Usage
	Cost    float64 // US dollars
	HasCost bool
}
