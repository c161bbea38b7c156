package session

import (
	"slices"
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Statuses of tasks (MCP 2025-11-25, tasks).
var taskStatuses = []string{"working", "input_required", "completed", "failed", "cancelled"}

func taskStatus(name string) string {
	if i := slices.Index(taskStatuses, name); i >= 0 {
		return taskStatuses[i]
	}
	return ""
}

// taskMax bounds how long a task may say that it is kept.
const taskMax = 366 * 24 * time.Hour

// runAsTask notes that the call's result comes from a task, whose end is the
// call's; it is false if the call must end now.
func (tx *tasks) runAsTask(s *store.Session, env *event.Envelope, c *store.Call, t *event.Task) bool {
	if len(t.ID) > idBytes || c.TaskID != "" {
		return false
	}
	id := strings.Clone(t.ID)
	if other := tx.store.Park(s, c, store.ParkedTask, id); other != nil {
		tx.store.Count(ReusedID)
		tx.calls.close(s, other, CallEnd{Time: env.Time, Incomplete: true})
		tx.store.Park(s, c, store.ParkedTask, id)
	}
	tx.store.Edit(c)
	c.TaskID = id
	tx.store.Grow(c, int64(len(id)))
	if ms, ok := t.TTL.Int(); ok && ms > 0 && ms < int64(taskMax/time.Millisecond) {
		tx.store.SetDeadline(c, tx.store.Now()+ms*int64(time.Millisecond))
	}
	tx.taskReported(s, env, c, t)
	return true
}

// polled is where the call is parked whose task the request asks for, nil if it
// asks for none.
func polled(s *store.Session, c *store.Call, task string) *store.ParkKey {
	if c.Method != mcpconv.MethodTasksGet && c.Method != mcpconv.MethodTasksResult {
		return nil
	}
	found := parkedBy(s, store.ParkedTask, c.Key.Connection, task, c.Key.FromClient)
	if found == nil {
		return nil
	}
	key := found.Parked
	return &key
}

// pollAnswered takes the reply to a poll.
func (tx *tasks) pollAnswered(s *store.Session, env *event.Envelope, e *event.CallEnded, poll *store.Call) {
	c := s.Parked[*poll.Poll]
	tx.calls.close(s, poll, CallEnd{Time: env.Time, Reply: &e.Reply})
	switch {
	case c == nil, env.Unanswered: // ended meanwhile, or asked for in vain
	case poll.Method == mcpconv.MethodTasksResult:
		tx.taskDone(s, env, c, &e.Reply)
	case !e.Reply.Failed:
		tx.taskReported(s, env, c, &e.Poll)
	}
}

// taskChanged takes a notification about a task.
func (tx *tasks) taskChanged(s *store.Session, env *event.Envelope, e *event.TaskChanged) {
	for _, fromClient := range []bool{!e.FromClient, e.FromClient} {
		if c := parkedBy(s, store.ParkedTask, env.Scope(), e.Task.ID, fromClient); c != nil {
			tx.taskReported(s, env, c, &e.Task)
			return
		}
	}
}

// taskCancelled takes the reply to tasks/cancel.
func (tx *tasks) taskCancelled(s *store.Session, env *event.Envelope, e *event.CallEnded, request *store.Call) {
	if request.Method != mcpconv.MethodTasksCancel || e.Reply.Failed {
		return
	}
	if c := parkedBy(s, store.ParkedTask, request.Key.Connection, request.TaskID, request.Key.FromClient); c != nil {
		t := e.Poll
		if t.Status == "" {
			t.Status = "cancelled"
		}
		tx.taskReported(s, env, c, &t)
	}
}

// taskReported takes a status of the call's task. A call whose task is done stays
// open for as long as a result may still be asked for; it ended when it was done.
func (tx *tasks) taskReported(s *store.Session, env *event.Envelope, c *store.Call, t *event.Task) {
	status := taskStatus(t.Status)
	if status == "" || c.TaskEnd != 0 {
		return
	}
	tx.store.Edit(c)
	c.TaskStatus = status
	if status == "cancelled" {
		tx.calls.close(s, c, CallEnd{Time: env.Time, Cancelled: true, Outcome: outcomeCancelled(c.Method, t.Message)})
		return
	}
	if status != "completed" && status != "failed" {
		return
	}
	c.TaskEnd = max(env.Time, 1)
	if tx.opt.KeepPayloads {
		c.TaskText = tx.text(t.Message)
		tx.store.Grow(c, int64(len(c.TaskText)))
	}
	if t.Outcome != nil {
		tx.taskDone(s, env, c, t.Outcome)
		return
	}
	tx.store.SetDeadline(c, tx.store.Now()+int64(tx.opt.StuckAfter))
}

// taskDone ends the call with what its task came to.
func (tx *tasks) taskDone(s *store.Session, env *event.Envelope, c *store.Call, reply *event.Reply) {
	end := CallEnd{Time: env.Time, Reply: reply, Outcome: outcomeOfReply(c.Kind, reply)}
	if c.TaskEnd != 0 {
		end.Time = c.TaskEnd
	}
	if !end.Outcome.Failed {
		end.Outcome = outcomeOfTask(&c.CallRecord)
	}
	tx.inBand.reply(s, c, reply)
	tx.calls.close(s, c, end)
}
