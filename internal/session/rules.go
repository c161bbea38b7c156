package session

// Each rule has one subject. It sees what all rules share, and the rules that it names.

type (
	// acpTools: tool calls that ACP agents report in updates.
	acpTools struct {
		*core
		calls  *calls
		stalls *stalls
	}
	// agentCalls: what calls of an agent's tools and models have in common.
	agentCalls struct {
		*core
		calls *calls
	}
	// agentModels: calls of language models, as agents report them.
	agentModels struct {
		*core
		agentCalls  *agentCalls
		calls       *calls
		joins       *joins
		selfReports *selfReports
		usage       *usage
	}
	// agentTools: tool calls, as agents report them.
	agentTools struct {
		*core
		agentCalls  *agentCalls
		calls       *calls
		joins       *joins
		pauses      *pauses
		phases      *phases
		selfReports *selfReports
	}
	// agentTurns: turns, as agents report them.
	agentTurns struct {
		*core
		agentTools  *agentTools
		joins       *joins
		pauses      *pauses
		phases      *phases
		selfReports *selfReports
		turns       *turns
		usage       *usage
	}
	// arrivals: the session of a message of JSON-RPC.
	arrivals struct {
		*core
		ends     *ends
		parts    *parts
		sessions *sessions
		stalls   *stalls
	}
	// calls: the place, the start and the end of every call.
	calls struct {
		*core
		reports *reports
		inBand  *inBand
		joins   *joins
		stalls  *stalls
		usage   *usage
		waits   *waits
	}
	// ends: the ends of sessions, and what is due.
	ends struct {
		*core
		calls     *calls
		joins     *joins
		phases    *phases
		rows      *rows
		stalls    *stalls
		subAgents *subAgents
		turns     *turns
		usage     *usage
		waits     *waits
	}
	// reports: what is reported of facts.
	reports struct {
		*core
	}
	// hosts: heartbeats and reports of agent hosts.
	hosts struct {
		*core
		arrivals  *arrivals
		notices   *notices
		phases    *phases
		requests  *requests
		sessions  *sessions
		stalls    *stalls
		subAgents *subAgents
	}
	// inBand: spans that servers send along with messages.
	inBand struct {
		*core
	}
	// joins: what several sources report of one call: whose span it gets, and when.
	joins struct {
		*core
		calls     *calls
		notices   *notices
		stalls    *stalls
		subAgents *subAgents
		usage     *usage
	}
	// notices: notices, each a span at once.
	notices struct {
		*core
	}
	// notifications: notifications, logs and reminders.
	notifications struct {
		*core
		acpTools *acpTools
		arrivals *arrivals
		hosts    *hosts
		inBand   *inBand
		notices  *notices
		requests *requests
		tasks    *tasks
	}
	// parts: connections of servers that are part of an agent's session.
	parts struct {
		*core
		calls      *calls
		ends       *ends
		sessions   *sessions
		transports *transports
	}
	// pauses: pauses of an agent: approvals, compaction, changes of its servers.
	pauses struct {
		*core
		notices *notices
		phases  *phases
	}
	// phases: phases of a host.
	phases struct {
		*core
	}
	// requests: requests, replies, cancellation and progress.
	requests struct {
		*core
		acpTools      *acpTools
		arrivals      *arrivals
		calls         *calls
		inBand        *inBand
		notices       *notices
		notifications *notifications
		stalls        *stalls
		tasks         *tasks
		waits         *waits
	}
	// rows: the state of a session, as its row shows it.
	rows struct {
		*core
	}
	// selfReports: reports of an agent on itself: the session and which rule applies.
	selfReports struct {
		*core
		agentModels     *agentModels
		agentTools      *agentTools
		agentTurns      *agentTurns
		reports         *reports
		joins           *joins
		notices         *notices
		pauses          *pauses
		phases          *phases
		sessions        *sessions
		stalls          *stalls
		subAgentReports *subAgentReports
		subAgents       *subAgents
		traces          *traces
		turns           *turns
	}
	// sessions: sessions and their epochs.
	sessions struct {
		*core
		ends *ends
	}
	// stalls: hosts and calls that do not move.
	stalls struct {
		*core
		phases *phases
	}
	// subAgentReports: sub-agents that have sessions of their own.
	subAgentReports struct {
		*core
		ends        *ends
		selfReports *selfReports
		sessions    *sessions
	}
	// subAgents: sub-agents of a session.
	subAgents struct {
		*core
		reports *reports
		joins   *joins
		notices *notices
	}
	// tasks: calls whose result comes from a task.
	tasks struct {
		*core
		calls  *calls
		inBand *inBand
	}
	// transports: what is reported around messages.
	transports struct {
		*core
		ends      *ends
		notices   *notices
		parts     *parts
		sessions  *sessions
		workflows *workflows
	}
	// traces: sessions of programs that name none.
	traces struct {
		*core
		agentTools *agentTools
		calls      *calls
		ends       *ends
		turns      *turns
	}
	// turns: turns of an agent.
	turns struct {
		*core
		ends  *ends
		joins *joins
	}
	// usage: tokens and cost, counted once.
	usage struct {
		*core
		turns *turns
	}
	// waits: waits for a signal or an answer.
	waits struct {
		*core
	}
	// workflows: sessions of the Inspector.
	workflows struct {
		*core
		ends       *ends
		notices    *notices
		sessions   *sessions
		stalls     *stalls
		transports *transports
		waits      *waits
	}
)

// rules are all of them, each connected with those that it names.
type rules struct {
	acpTools        acpTools
	agentCalls      agentCalls
	agentModels     agentModels
	agentTools      agentTools
	agentTurns      agentTurns
	arrivals        arrivals
	calls           calls
	ends            ends
	reports         reports
	hosts           hosts
	inBand          inBand
	joins           joins
	notices         notices
	notifications   notifications
	parts           parts
	pauses          pauses
	phases          phases
	requests        requests
	rows            rows
	selfReports     selfReports
	sessions        sessions
	stalls          stalls
	subAgentReports subAgentReports
	subAgents       subAgents
	tasks           tasks
	traces          traces
	transports      transports
	turns           turns
	usage           usage
	waits           waits
	workflows       workflows
}

// connect gives each rule what it sees.
func (r *rules) connect(c *core) {
	r.acpTools = acpTools{core: c, calls: &r.calls, stalls: &r.stalls}
	r.agentCalls = agentCalls{core: c, calls: &r.calls}
	r.agentModels = agentModels{core: c, agentCalls: &r.agentCalls, calls: &r.calls, joins: &r.joins, selfReports: &r.selfReports, usage: &r.usage}
	r.agentTools = agentTools{core: c, agentCalls: &r.agentCalls, calls: &r.calls, joins: &r.joins, pauses: &r.pauses, phases: &r.phases, selfReports: &r.selfReports}
	r.agentTurns = agentTurns{core: c, agentTools: &r.agentTools, joins: &r.joins, pauses: &r.pauses, phases: &r.phases, selfReports: &r.selfReports, turns: &r.turns, usage: &r.usage}
	r.arrivals = arrivals{core: c, ends: &r.ends, parts: &r.parts, sessions: &r.sessions, stalls: &r.stalls}
	r.calls = calls{core: c, reports: &r.reports, inBand: &r.inBand, joins: &r.joins, stalls: &r.stalls, usage: &r.usage, waits: &r.waits}
	r.ends = ends{core: c, calls: &r.calls, joins: &r.joins, phases: &r.phases, rows: &r.rows, stalls: &r.stalls, subAgents: &r.subAgents, turns: &r.turns, usage: &r.usage, waits: &r.waits}
	r.reports = reports{core: c}
	r.hosts = hosts{core: c, arrivals: &r.arrivals, notices: &r.notices, phases: &r.phases, requests: &r.requests, sessions: &r.sessions, stalls: &r.stalls, subAgents: &r.subAgents}
	r.inBand = inBand{core: c}
	r.joins = joins{core: c, calls: &r.calls, notices: &r.notices, stalls: &r.stalls, subAgents: &r.subAgents, usage: &r.usage}
	r.notices = notices{core: c}
	r.notifications = notifications{core: c, acpTools: &r.acpTools, arrivals: &r.arrivals, hosts: &r.hosts, inBand: &r.inBand, notices: &r.notices, requests: &r.requests, tasks: &r.tasks}
	r.parts = parts{core: c, calls: &r.calls, ends: &r.ends, sessions: &r.sessions, transports: &r.transports}
	r.pauses = pauses{core: c, notices: &r.notices, phases: &r.phases}
	r.phases = phases{core: c}
	r.requests = requests{core: c, acpTools: &r.acpTools, arrivals: &r.arrivals, calls: &r.calls, inBand: &r.inBand, notices: &r.notices, notifications: &r.notifications, stalls: &r.stalls, tasks: &r.tasks, waits: &r.waits}
	r.rows = rows{core: c}
	r.selfReports = selfReports{core: c, agentModels: &r.agentModels, agentTools: &r.agentTools, agentTurns: &r.agentTurns, reports: &r.reports, joins: &r.joins, notices: &r.notices, pauses: &r.pauses, phases: &r.phases, sessions: &r.sessions, stalls: &r.stalls, subAgentReports: &r.subAgentReports, subAgents: &r.subAgents, traces: &r.traces, turns: &r.turns}
	r.sessions = sessions{core: c, ends: &r.ends}
	r.stalls = stalls{core: c, phases: &r.phases}
	r.subAgentReports = subAgentReports{core: c, ends: &r.ends, selfReports: &r.selfReports, sessions: &r.sessions}
	r.subAgents = subAgents{core: c, reports: &r.reports, joins: &r.joins, notices: &r.notices}
	r.tasks = tasks{core: c, calls: &r.calls, inBand: &r.inBand}
	r.traces = traces{core: c, agentTools: &r.agentTools, calls: &r.calls, ends: &r.ends, turns: &r.turns}
	r.transports = transports{core: c, ends: &r.ends, notices: &r.notices, parts: &r.parts, sessions: &r.sessions, workflows: &r.workflows}
	r.turns = turns{core: c, ends: &r.ends, joins: &r.joins}
	r.usage = usage{core: c, turns: &r.turns}
	r.waits = waits{core: c}
	r.workflows = workflows{core: c, ends: &r.ends, notices: &r.notices, sessions: &r.sessions, stalls: &r.stalls, transports: &r.transports, waits: &r.waits}
}
