package mcpconv

// Methods of MCP (revisions 2024-11-05 to 2026-07-28) and ACP that are treated
// in a way of their own.
const (
	MethodInitialize      = "initialize"
	MethodDiscover        = "server/discover"
	MethodPing            = "ping"
	MethodToolsCall       = "tools/call"
	MethodToolsList       = "tools/list"
	MethodResourcesRead   = "resources/read"
	MethodPromptsGet      = "prompts/get"
	MethodSampling        = "sampling/createMessage"
	MethodElicitation     = "elicitation/create"
	MethodRootsList       = "roots/list"
	MethodEventsStream    = "events/stream"
	MethodSubscriptions   = "subscriptions/listen"
	MethodTasksResult     = "tasks/result"
	MethodTasksGet        = "tasks/get"
	MethodTasksCancel     = "tasks/cancel"
	TasksPrefix           = "tasks/"
	MethodSessionPrompt   = "session/prompt"
	MethodRequestPermit   = "session/request_permission"
	MethodSessionUpdate   = "session/update"
	MethodACPLog          = "log"
	MethodRemind          = "session/remind"
	MethodSetLevel        = "logging/setLevel"
	NotificationCancelled = "notifications/cancelled"
	NotificationProgress  = "notifications/progress"
	NotificationMessage   = "notifications/message"
	NotificationResource  = "notifications/resources/updated"
	NotificationBeat      = "notifications/events/heartbeat"
	NotificationReminder  = "notifications/reminder"

	NotificationTask       = "notifications/tasks"
	NotificationTaskStatus = "notifications/tasks/status"
	NotificationOTelTrace  = "notifications/otel/trace"
	NotificationTapDropped = "notifications/mcptap/dropped"
)

// Notifications of agent hosts (host telemetry, section Messages).
const (
	HostPrefix         = "notifications/host."
	HostHeartbeat      = "notifications/host.heartbeat"
	HostCompacting     = "notifications/host.compacting"
	HostAgentSpawned   = "notifications/host.subagent_spawned"
	HostAgentCompleted = "notifications/host.subagent_completed"
	HostTokenPressure  = "notifications/host.token_pressure"
	HostError          = "notifications/host.error"
)

// Tools that hosts and agents call to tell how they are: Eywa's, and ours with
// the same arguments under a neutral name.
const (
	ToolHostHeartbeat = "host_heartbeat"
	ToolEywaHeartbeat = "eywa_heartbeat"
)

// HeartbeatTool tells whether a call of the tool is a heartbeat.
func HeartbeatTool(name string) bool { return name == ToolHostHeartbeat || name == ToolEywaHeartbeat }

// known maps every method in the specifications to itself, so that a name that
// is kept needs no copy.
var known = func() map[string]string {
	m := map[string]string{}
	for _, name := range []string{
		MethodInitialize, MethodDiscover, MethodPing, MethodToolsCall, MethodToolsList,
		MethodResourcesRead, MethodPromptsGet, MethodSampling, MethodElicitation, MethodRootsList,
		MethodEventsStream, MethodSubscriptions, MethodTasksResult, MethodSessionPrompt,
		MethodRequestPermit, MethodSessionUpdate, MethodACPLog, NotificationCancelled,
		NotificationProgress, NotificationMessage, NotificationResource, NotificationBeat,
		"completion/complete", "events/list", "events/poll", "events/subscribe", "events/unsubscribe",
		"fs/read_text_file", "fs/write_text_file", MethodSetLevel, "prompts/list", "resources/list",
		"resources/subscribe", "resources/templates/list", "resources/unsubscribe", "session/cancel",
		"session/load", "session/new", MethodTasksCancel, MethodTasksGet, "tasks/list", "tasks/update",
		"terminal/create", "terminal/kill", "terminal/output", "terminal/release",
		"notifications/elicitation/complete", "notifications/events/active", "notifications/events/error",
		"notifications/events/event", "notifications/events/terminated",
		HostCompacting, HostError, HostHeartbeat, HostAgentCompleted, HostAgentSpawned,
		HostTokenPressure, "notifications/initialized",
		"notifications/prompts/list_changed", NotificationReminder, MethodRemind,
		"notifications/resources/list_changed", "notifications/roots/list_changed",
		"notifications/subscriptions/acknowledged", NotificationTask, NotificationTaskStatus, NotificationOTelTrace,
		NotificationTapDropped, "notifications/tools/list_changed",
	} {
		m[name] = name
	}
	return m
}()

// Known is the method as a constant, and whether the specifications name it.
func Known(method string) (string, bool) {
	name, ok := known[method]
	return name, ok
}

// Phases of agent hosts (host telemetry, host.heartbeat).
const (
	PhaseWorking    = "working"
	PhaseThinking   = "thinking"
	PhaseCompacting = "compacting"
	PhaseApproval   = "waiting_approval"
	PhaseIdle       = "idle"
	PhaseError      = "error"
)

// Phases lists them all.
var Phases = []string{PhaseWorking, PhaseThinking, PhaseCompacting, PhaseApproval, PhaseIdle, PhaseError}

// Phase is the phase as a constant, and whether the specification names it.
func Phase(name string) (string, bool) {
	for _, phase := range Phases {
		if name == phase {
			return phase, true
		}
	}
	return "", false
}

// fromServer lists what only servers (in ACP: agents) send.
var fromServer = map[string]bool{
	MethodSampling: true, MethodElicitation: true, MethodRootsList: true,
	MethodRequestPermit: true, MethodSessionUpdate: true, MethodACPLog: true,
	"fs/read_text_file": true, "fs/write_text_file": true,
	"terminal/create": true, "terminal/kill": true, "terminal/output": true, "terminal/release": true,
	"terminal/wait_for_exit": true,
	NotificationProgress:     true, NotificationMessage: true, NotificationResource: true, NotificationBeat: true,
	"notifications/elicitation/complete": true, "notifications/events/active": true,
	"notifications/events/error": true, "notifications/events/event": true,
	"notifications/events/terminated": true, "notifications/events/list_changed": true,
	"notifications/prompts/list_changed": true, NotificationReminder: true,
	"notifications/resources/list_changed": true, "notifications/subscriptions/acknowledged": true,
	NotificationTask: true, NotificationTaskStatus: true, NotificationOTelTrace: true,
	"notifications/tools/list_changed": true, MethodRemind: true,
}

// FromServer tells whether the method is one that only a server sends.
func FromServer(method string) bool { return fromServer[method] }

// patient lists the requests that may stay open for long by their nature.
var patient = map[string]bool{
	MethodEventsStream: true, MethodSubscriptions: true, MethodElicitation: true, MethodSampling: true,
	MethodSessionPrompt: true, MethodRequestPermit: true, MethodTasksResult: true,
}

// Patient tells whether a request with this method never times out.
func Patient(method string) bool { return patient[method] }

// Stream tells whether cancelling is the normal end of a request with this method.
func Stream(method string) bool {
	return method == MethodEventsStream || method == MethodSubscriptions
}

// PhaseIndex is the place of a phase in [Phases] from 1 on, 0 if it has none.
func PhaseIndex(name string) uint8 {
	for i, phase := range Phases {
		if name == phase {
			return uint8(i) + 1
		}
	}
	return 0
}
