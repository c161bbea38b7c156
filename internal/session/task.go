package session

import (
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Statuses of tasks (MCP 2025-11-25, tasks).
var taskStatuses = []string{"working", "input_required", "completed", "failed", "cancelled"}

func taskStatus(name string) string {
	for _, known := range taskStatuses {
		if name == known {
			return known
		}
	}
	return ""
}

// runAsTask notes that the call's result comes from a task, whose end is the
// call's; it is false if the call must end now.
func (tx *Tx) runAsTask(s *Session, o *Observation, c *Call, t jsonrpc.Task) bool {
	if len(t.ID) > taskIDBytes || c.TaskID != "" {
		return false
	}
	id := strings.Clone(t.ID)
	if other := tx.park(s, c, parkedTask, id); other != nil {
		tx.note(ReusedID)
		tx.close(s, other, CallEnd{Time: o.Time, Incomplete: true})
		tx.park(s, c, parkedTask, id)
	}
	c.TaskID = id
	tx.onUndo(func() { c.TaskID = "" })
	tx.growUndone(c, int64(len(id)))
	if ms, ok := t.TTL.Int(); ok && ms > 0 && ms < int64(taskMax/time.Millisecond) {
		tx.setDeadline(c, tx.now+ms*int64(time.Millisecond))
	}
	tx.taskMoved(s, o, c, t)
	return true
}

const (
	taskIDBytes = 1024
	taskMax     = 366 * 24 * time.Hour
)

func (tx *Tx) setDeadline(c *Call, at int64) {
	was := c.deadline
	c.deadline = at
	tx.restate(c)
	tx.onUndo(func() { c.deadline = was })
}

// polled is the call whose task the request asks for.
func (s *Session) polled(o *Observation, m *jsonrpc.Message) *Call {
	if m.Method != mcpconv.MethodTasksGet && m.Method != mcpconv.MethodTasksResult {
		return nil
	}
	return s.parkedBy(parkedTask, o.connection(), m.Params.TaskID.Str(), o.sent(m) == FromClient)
}

// pollAnswered takes the reply to a poll.
func (tx *Tx) pollAnswered(s *Session, o *Observation, m *jsonrpc.Message, poll *Call) {
	tx.close(s, poll, CallEnd{Time: o.Time, Reply: m})
	c := poll.poll
	switch {
	case c.reported:
	case poll.Method == mcpconv.MethodTasksResult:
		tx.taskDone(s, o, c, m)
	case !m.Error.Present():
		tx.taskMoved(s, o, c, m.Result.State())
	}
}

// taskTold takes a notification about a task.
func (tx *Tx) taskTold(s *Session, o *Observation, m *jsonrpc.Message) {
	if m.Method != mcpconv.NotificationTask && m.Method != mcpconv.NotificationTaskStatus {
		return
	}
	t := m.Params.State()
	for _, fromClient := range []bool{o.sent(m) != FromClient, o.sent(m) == FromClient} {
		if c := s.parkedBy(parkedTask, o.connection(), t.ID, fromClient); c != nil {
			tx.taskMoved(s, o, c, t)
			return
		}
	}
}

// taskCancelled takes the reply to tasks/cancel.
func (tx *Tx) taskCancelled(s *Session, o *Observation, m *jsonrpc.Message, request *Call) {
	if request.Method != mcpconv.MethodTasksCancel || m.Error.Present() {
		return
	}
	if c := s.parkedBy(parkedTask, request.Connection, request.TaskID, request.FromClient); c != nil {
		t := m.Result.State()
		if t.Status == "" {
			t.Status = "cancelled"
		}
		tx.taskMoved(s, o, c, t)
	}
}

// taskMoved takes what is told of a call's task. One that is done keeps the call
// open for as long as a result may still be asked for; it ended when it was done.
func (tx *Tx) taskMoved(s *Session, o *Observation, c *Call, t jsonrpc.Task) {
	status := taskStatus(t.Status)
	if status == "" || c.taskEnd != 0 {
		return
	}
	was := c.TaskStatus
	c.TaskStatus = status
	tx.changed = append(tx.changed, c)
	tx.onUndo(func() { c.TaskStatus, c.taskEnd, c.taskText = was, 0, "" })
	if status == "cancelled" {
		tx.close(s, c, CallEnd{Time: o.Time, Cancelled: true, Outcome: cancelled(c.Method, t.Message)})
		return
	}
	if status != "completed" && status != "failed" {
		return
	}
	c.taskEnd = max(o.Time, 1)
	if tx.t.opt.KeepPayloads {
		c.taskText = strings.Clone(jsonrpc.Cut(t.Message, tx.t.opt.TextBytes))
		tx.growUndone(c, int64(len(c.taskText)))
	}
	if reply, ok := t.Outcome(); ok {
		tx.taskDone(s, o, c, reply)
		return
	}
	tx.setDeadline(c, tx.now+int64(tx.t.opt.StuckAfter))
}

// taskDone ends the call with what its task came to.
func (tx *Tx) taskDone(s *Session, o *Observation, c *Call, reply *jsonrpc.Message) {
	end := CallEnd{Time: o.Time, Reply: reply, Outcome: outcomeOf(c.Method, reply)}
	if c.taskEnd != 0 {
		end.Time = c.taskEnd
	}
	if !end.Outcome.Failed {
		end.Outcome = c.taskOutcome()
	}
	tx.inBand(s, c, reply)
	tx.close(s, c, end)
}

// taskOutcome is how the task ended by its status alone.
func (c *Call) taskOutcome() Outcome {
	if c.TaskStatus != "failed" {
		return Outcome{}
	}
	return Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther, Message: c.taskText}
}

// expire ends a call at its task's deadline: nobody asked for the result, or the
// task is not kept any longer.
func (tx *Tx) expire(c *Call) {
	if c.reported {
		return
	}
	s := c.entry.s
	if c.taskEnd != 0 {
		tx.close(s, c, CallEnd{Time: c.taskEnd, Outcome: c.taskOutcome()})
		return
	}
	tx.close(s, c, CallEnd{Time: s.Last, Incomplete: true, Outcome: Outcome{
		Failed: true, Code: mcpconv.CodeTimeout, Type: mcpconv.TypeTimeout, Message: "the task's time to live is over",
	}})
}
