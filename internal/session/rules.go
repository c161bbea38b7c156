package session

// What events cause, by what they are about. Each family is the transaction with
// the rules of one subject; a rule that needs another family's asks for that.

type (
	// arrivals find the session of a message of JSON-RPC.
	arrivals struct{ *Tx }
	// calls are requests, replies, cancellation and progress.
	calls struct{ *Tx }
	// tasks are calls whose result comes from a task.
	tasks struct{ *Tx }
	// acpTools are tool calls of ACP agents, reported in updates.
	acpTools struct{ *Tx }
	// notices are notifications, logs and reminders.
	notices struct{ *Tx }
	// hosts are heartbeats and reports of agent hosts.
	hosts struct{ *Tx }
	// workflows are sessions of the Inspector.
	workflows struct{ *Tx }
	// transports are what is reported around messages.
	transports struct{ *Tx }
	// parts are servers' connections that are part of an agent's session.
	parts struct{ *Tx }
)

func (tx *Tx) arrivals() arrivals     { return arrivals{tx} }
func (tx *Tx) calls() calls           { return calls{tx} }
func (tx *Tx) tasks() tasks           { return tasks{tx} }
func (tx *Tx) acpTools() acpTools     { return acpTools{tx} }
func (tx *Tx) notices() notices       { return notices{tx} }
func (tx *Tx) hosts() hosts           { return hosts{tx} }
func (tx *Tx) workflows() workflows   { return workflows{tx} }
func (tx *Tx) transports() transports { return transports{tx} }
func (tx *Tx) parts() parts           { return parts{tx} }
