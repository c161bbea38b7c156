package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// player uses an agent in a terminal as a person does.
type player struct {
	agent     *agent
	configure func(t *testing.T, s *scene) // nil: the agent's
	start     []string                     // arguments before the first prompt
	resume    []string                     // arguments that go on with the last session
	asks      func(command string) model.Call
	runs      func(command string) model.Call // a command that is allowed
	mcp       model.Call
	child     []model.Turn // what the main thread does to start a sub-agent and wait for it
	tool      string       // the name that the board has of the tool that asks
	question  string       // on the screen when the agent asks, without spaces
	yes, no   string       // keys, with | where the agent needs time
	refused   string       // on the screen after the no, without spaces
	escapes   int          // how often Esc has to be pressed
	compact   string
	commands  []string // which are no turns
	leave     []string
}

// play is one session of a person with an agent.
type play struct {
	*player
	t     *testing.T
	s     *scene
	w     *watch
	term  *terminal
	asked int // prompts so far

	turns, tools, errors, refusals int // what there was
	add                            func(result)
}

// result is when the board showed a fact.
type result struct {
	fact  string
	delay time.Duration // from the fact
	got   string        // instead of the fact
}

func (r result) String() string {
	if r.got != "" {
		return "NO"
	}
	return fmt.Sprintf("%.1f", r.delay.Seconds())
}

// factPatience bounds how long a fact may take to show.
const factPatience = 8 * time.Second

// see waits until the agent's row shows a fact that is true since then.
func (p *play) see(fact string, since time.Time, is func(r row) bool) {
	p.t.Helper()
	p.seeBoard(fact, since, func(b board) bool { return is(b.main()) })
}

func (p *play) seeBoard(fact string, since time.Time, is func(b board) bool) {
	p.t.Helper()
	tick := time.NewTicker(boardEvery)
	defer tick.Stop()
	for {
		for _, b := range p.w.since(since) {
			if is(b) {
				p.add(result{fact: fact, delay: b.at.Sub(since)})
				return
			}
		}
		if time.Since(since) > factPatience {
			break
		}
		<-tick.C
	}
	all := p.w.since(since)
	last := all[len(all)-1].main()
	p.add(result{fact: fact, got: brief(last)})
	p.t.Logf("%s: %s: the board says %s", p.agent.name, fact, brief(last))
}

// never wants that no row shows something from then on.
func (p *play) never(fact string, since time.Time, is func(r row) bool) {
	for _, b := range p.w.since(since) {
		if r := b.main(); is(r) {
			p.add(result{fact: fact, got: brief(r)})
			p.t.Logf("%s: %s: the board says %s", p.agent.name, fact, brief(r))
			return
		}
	}
	p.add(result{fact: fact})
}

func brief(r row) string {
	return fmt.Sprintf("%s/%s %q turns %d tools %d calls %d errors %d refusals %d agents %d in %d out %d used %d/%d waiting %+v open %d end %q",
		r.State, r.Phase, r.Title, r.Turns, r.ToolCalls, r.LLMCalls, r.Errors, r.Refusals, r.Agents, r.Usage.Input, r.Usage.Output,
		r.Tokens.Used, r.Tokens.Limit, r.Waiting, len(r.Open), r.EndReason)
}

// step is a part of a play, with what the model says in it.
type step struct {
	name  string
	turns func(p *player) []model.Turn
	do    func(p *play)
}

func steps() []step {
	return []step{
		{"tools", func(p *player) []model.Turn {
			return []model.Turn{{Text: "I begin.", Calls: []model.Call{p.runs("sleep 2")}}, {Calls: []model.Call{p.mcp}}, {After: time.Second, Text: "Part 1 is done."}}
		}, (*play).withTools},
		{"approval, yes", func(p *player) []model.Turn {
			return []model.Turn{{Calls: []model.Call{p.asks("touch allowed.txt; sleep 4")}}, {Text: "Part 2 is done."}}
		}, (*play).allow},
		{"approval, no", func(p *player) []model.Turn {
			return []model.Turn{{Calls: []model.Call{p.asks("touch forbidden.txt")}}, {Text: "Part 3 is done."}}
		}, (*play).refuse},
		{"Esc in a tool", func(p *player) []model.Turn {
			return []model.Turn{{Calls: []model.Call{p.runs("sleep 61")}}}
		}, (*play).interruptTool},
		{"Esc in an answer", func(*player) []model.Turn {
			return []model.Turn{{After: time.Minute, Text: "Too late."}}
		}, (*play).interruptAnswer},
		{"Esc at an approval", func(p *player) []model.Turn {
			return []model.Turn{{Calls: []model.Call{p.asks("touch never.txt")}}}
		}, (*play).interruptQuestion},
		{"sub-agent", func(p *player) []model.Turn {
			return append(slices.Clone(p.child), model.Turn{Text: "Part 7 is done."})
		}, (*play).withChild},
		{"compaction", nil, (*play).compaction},
		{"commands", nil, (*play).ownCommands},
		{"exit", nil, (*play).exit},
		{"resume", func(p *player) []model.Turn {
			return []model.Turn{{Calls: []model.Call{p.runs("sleep 1")}}, {Text: "Part 8 is done."}}
		}, (*play).goOn},
		{"exit again", nil, (*play).exit},
	}
}

func (p *player) script() []model.Script {
	all := []model.Script{{Marker: childMarker, Turns: []model.Turn{{Calls: []model.Call{p.runs("sleep 1")}}, {Text: "The child is done."}}}}
	n := 0
	for _, one := range steps() {
		if one.turns != nil {
			n++
			all = slices.Insert(all, 1, model.Script{Marker: part(n), Turns: one.turns(p)})
		}
	}
	return all
}

var players = []*player{claudePlayer, codexPlayer, geminiPlayer, opencodePlayer, copilotPlayer}

// TestPlays uses agents as a person does, and holds the board against what happened. The table has the
// seconds from a fact to the row that shows it. AGENTS_CAPTURES keeps the reports.
func TestPlays(t *testing.T) {
	table := map[string]map[string]result{}
	var facts []string
	for _, p := range players {
		t.Run(p.agent.name, func(t *testing.T) {
			p.play(t, func(r result) {
				if table[r.fact] == nil {
					table[r.fact] = map[string]result{}
					facts = append(facts, r.fact)
				}
				table[r.fact][p.agent.name] = r
			})
		})
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	fmt.Fprint(w, "| fact")
	for _, p := range players {
		fmt.Fprintf(w, "\t| %s", p.agent.name)
	}
	for _, fact := range facts {
		fmt.Fprintf(w, "\t|\n| %s", fact)
		for _, p := range players {
			mark := "not run"
			if r, ok := table[fact][p.agent.name]; ok {
				mark = r.String()
			}
			fmt.Fprintf(w, "\t| %s", mark)
		}
	}
	fmt.Fprintln(w, "\t|")
	_ = w.Flush()
	t.Log("\n" + b.String())
}

func (p *player) play(t *testing.T, add func(result)) {
	a := *p.agent
	a.path(t)
	a.scripts = p.script
	a.configure = cmpConfigure(p.configure, a.configure)
	s := stage(t, &a)
	s.model.SlowSummary(3 * time.Second)
	w := startWatch(t, startCollector(t))
	s.connect(t, w.base, w.otlp, modes[3])
	run := &play{player: p, t: t, s: s, w: w, add: add}
	dir := os.Getenv(captures)
	defer func() {
		if dir != "" {
			w.write(t, s, filepath.Join(dir, a.name, "reports.jsonl"))
			require.NoError(t, os.WriteFile(filepath.Join(dir, a.name, "screen.txt"), []byte(plain(s.output.String())), 0o600))
		}
		if t.Failed() {
			text := plain(s.output.String())
			t.Logf("the screen: %s", text[max(len(text)-3000, 0):])
		}
	}()
	for _, one := range steps() {
		t.Logf("%6d ms %s", time.Since(w.began).Milliseconds(), one.name)
		one.do(run)
	}
}

func cmpConfigure(own, agents func(*testing.T, *scene)) func(*testing.T, *scene) {
	if own != nil {
		return own
	}
	return agents
}

// escapeCodes matches the escape codes of terminals.
var escapeCodes = regexp.MustCompile(`\x1b(\[[0-9;:?<>=]*[\x20-\x2f]*[\x40-\x7e]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|[=>78NOM])`)

func plain(text string) string { return escapeCodes.ReplaceAllString(text, "") }

// squeezed is text as the screen shows it, without spaces, since terminals may be told to move instead.
func squeezed(text string) string { return strings.Join(strings.Fields(plain(text)), "") }

// shows waits until the screen shows a text behind the first n bytes.
func (p *play) shows(n int, text string) time.Time {
	p.t.Helper()
	want := strings.ReplaceAll(text, " ", "")
	harness.Eventually(p.t, "the screen does not show "+text, func() bool { return strings.Contains(squeezed(p.s.output.from(n)), want) })
	return time.Now()
}

// prompt types a prompt, as soon as the agent takes one, and returns when it was sent.
func (p *play) prompt() time.Time {
	p.t.Helper()
	p.asked++
	text := "Please do " + part(p.asked) + "."
	before := len(p.main())
	if p.term == nil {
		p.term = p.s.open(p.t, append(slices.Clone(p.start), text)...)
		p.start = p.resume
		p.answered(before + 1)
	} else {
		p.line(text, func() bool { return len(p.main()) > before })
	}
	p.turns++
	return time.Now()
}

// part is in the n-th prompt. The newest one in a conversation decides what the model says.
func part(n int) string { return fmt.Sprintf("part %d of the %s", n, marker) }

// line types a line, and sends it when it is on the screen, until it has an effect.
func (p *play) line(text string, done func() bool) {
	p.t.Helper()
	at := p.s.output.size()
	p.term.press(p.t, text)
	p.shows(at, text)
	p.answer("\r", done)
}

// main are the answers of the model to the main thread.
func (p *play) main() (all []model.Answer) {
	for _, a := range p.s.model.Answers() {
		if strings.HasSuffix(a.Marker, marker) {
			all = append(all, a)
		}
	}
	return all
}

// said waits until the model has said the last of the part.
func (p *play) said() (at time.Time) {
	p.t.Helper()
	harness.Eventually(p.t, "the model is not asked to the end of "+part(p.asked), func() bool {
		all := p.main()
		last := all[len(all)-1]
		at = last.Sent
		return last.Marker == part(p.asked) && len(last.Calls) == 0 && !at.IsZero()
	})
	return at
}

// answered waits until the model was asked that often in the main thread.
func (p *play) answered(n int) time.Time {
	p.t.Helper()
	harness.Eventually(p.t, fmt.Sprintf("the model is not asked for answer %d", n), func() bool { return len(p.main()) >= n })
	return time.Now()
}

// answer presses keys until they have an effect: the agent may not take them yet.
func (p *play) answer(keys string, done func() bool) time.Time {
	p.t.Helper()
	var pressed time.Time
	harness.Eventually(p.t, "the answer "+keys+" has no effect", func() bool {
		if done() {
			return true
		}
		if time.Since(pressed) > time.Second {
			pressed = time.Now()
			for key := range strings.SplitSeq(keys, "|") {
				p.term.press(p.t, key)
				<-time.After(200 * time.Millisecond)
			}
		}
		return false
	})
	return time.Now()
}

func (p *play) escape(at time.Time) time.Time {
	p.t.Helper()
	for range max(p.escapes, 1) {
		p.term.press(p.t, "\x1b")
		<-time.After(300 * time.Millisecond)
	}
	return at
}

func inPhase(phase string) func(row) bool { return func(r row) bool { return r.Phase == phase } }

// counts wants what there was so far, but for tokens.
func (p *play) counts(fact string, since time.Time) {
	p.t.Helper()
	p.see(fact+": turns", since, func(r row) bool { return r.Turns == p.turns })
	p.see(fact+": tool calls", since, func(r row) bool { return r.ToolCalls == p.tools })
	p.see(fact+": errors", since, func(r row) bool { return r.Errors == p.errors })
	p.see(fact+": refusals", since, func(r row) bool { return r.Refusals == p.refusals })
}

// tokens wants those of all answers.
func (p *play) tokens(fact string, since time.Time) {
	p.t.Helper()
	var want model.Usage
	n := 0
	for _, a := range p.s.model.Answers() {
		if a.Status == 200 && !a.Unanswered {
			want = want.Add(a.Usage)
			n++
		}
	}
	p.see(fact+": model calls", since, func(r row) bool { return r.LLMCalls == n })
	p.see(fact+": tokens", since, func(r row) bool { return r.Usage.Input == want.Input && r.Usage.Output == want.Output })
}

func (p *play) withTools() {
	at := p.prompt()
	p.see("prompt: working", at, inPhase("working"))
	p.see("prompt: turns", at, func(r row) bool { return r.Turns == 1 })
	p.see("prompt: title", at, func(r row) bool { return strings.HasPrefix(r.Title, "Please do part 1") })
	p.see("tool: open", at, func(r row) bool { return len(r.Open) > 0 })
	p.tools++
	at = p.answered(2)
	p.see("tool: counted", at, func(r row) bool { return r.ToolCalls >= 1 })
	p.tools++
	at = p.answered(3)
	p.see("MCP tool: counted", at, func(r row) bool { return r.ToolCalls == p.tools })
	at = p.said()
	p.see("rest: idle", at, inPhase("idle"))
	p.counts("rest", at)
	p.tokens("rest", at)
}

func (p *play) wait(command string) {
	mark := p.s.output.size()
	p.prompt()
	at := p.shows(mark, p.question)
	p.see("asked: waiting", at, inPhase("waiting_approval"))
	p.see("asked: kind", at, func(r row) bool { return r.Waiting.Kind == "approval" })
	p.see("asked: tool", at, func(r row) bool { return r.Waiting.Tool == p.tool })
	p.see("asked: detail", at, func(r row) bool { return strings.Contains(r.Waiting.Detail, command) })
}

func (p *play) allow() {
	p.wait("touch allowed.txt")
	at := p.answer(p.yes, func() bool { return harness.IsFile(filepath.Join(p.s.project, "allowed.txt")) })
	p.see("yes: working", at, inPhase("working"))
	p.tools++
	at = p.said()
	p.see("yes: idle", at, inPhase("idle"))
	p.counts("yes", at)
	p.never("yes: waits once", at, inPhase("waiting_approval"))
}

func (p *play) refuse() {
	p.wait("touch forbidden.txt")
	mark := p.s.output.size()
	at := p.answer(p.no, func() bool { return p.gone(mark) })
	p.refusals++
	p.tools++
	p.see("no: not waiting", at, func(r row) bool { return r.Phase != "waiting_approval" })
	p.see("no: refusals", at, func(r row) bool { return r.Refusals == p.refusals })
	p.see("no: idle", at, inPhase("idle"))
	p.counts("no", at)
}

// gone reports whether the screen says behind the first n bytes that the question was answered with no.
func (p *play) gone(n int) bool { return strings.Contains(squeezed(p.s.output.from(n)), p.refused) }

func (p *play) interruptTool() {
	at := p.prompt()
	p.see("in a tool: open", at, func(r row) bool { return len(r.Open) > 0 })
	at = p.escape(time.Now())
	p.tools++
	p.see("Esc in a tool: idle", at, inPhase("idle"))
	p.counts("Esc in a tool", at)
	p.never("Esc in a tool: no error", at, func(r row) bool { return r.Phase == "error" || r.Errors > p.errors })
}

func (p *play) interruptAnswer() {
	at := p.prompt()
	p.see("in an answer: working", at, inPhase("working"))
	at = p.escape(time.Now())
	p.see("Esc in an answer: idle", at, inPhase("idle"))
	p.counts("Esc in an answer", at)
	p.never("Esc in an answer: no error", at, func(r row) bool { return r.Phase == "error" || r.Errors > p.errors })
}

func (p *play) interruptQuestion() {
	p.wait("touch never.txt")
	at := p.escape(time.Now())
	p.tools++
	p.refusals++
	p.see("Esc at a question: idle", at, inPhase("idle"))
	p.counts("Esc at a question", at)
	p.never("Esc at a question: no error", at, func(r row) bool { return r.Phase == "error" || r.Errors > p.errors })
}

func (p *play) withChild() {
	at := p.prompt()
	p.see("sub-agent: one", at, func(r row) bool { return r.Agents == 1 })
	at = p.said()
	p.tools += 2
	for _, turn := range p.child[1:] {
		p.tools += len(turn.Calls)
	}
	p.see("sub-agent: idle", at, inPhase("idle"))
	p.counts("sub-agent", at)
	p.tokens("sub-agent", at)
	p.seeBoard("one row", at, func(b board) bool { return len(b.rows) == 1 })
}

func (p *play) compaction() {
	before := p.summaries()
	p.line(p.compact, func() bool { return p.summaries() > before })
	at := time.Now()
	p.see("compaction: compacting", at, inPhase("compacting"))
	at = at.Add(3 * time.Second)
	p.see("compaction: idle", at, inPhase("idle"))
	p.counts("compaction", at)
	p.tokens("compaction", at)
}

func (p *play) summaries() (n int) {
	for _, a := range p.s.model.Answers() {
		if a.Marker == "summary" {
			n++
		}
	}
	return n
}

func (p *play) ownCommands() {
	for _, command := range p.commands {
		typed := time.Now()
		p.line(command, func() bool { return time.Since(typed) > 2*time.Second })
		p.term.press(p.t, "\x1b")
		<-time.After(time.Second)
	}
	at := time.Now()
	p.see("commands: idle", at, inPhase("idle"))
	p.counts("commands", at)
}

func (p *play) exit() {
	p.term.leave(p.t, p.leave)
	p.term = nil
	at := time.Now()
	p.see("exit: done", at, func(r row) bool { return r.State == "done" })
	p.see("exit: finished", at, func(r row) bool { return r.EndReason == "finished" })
	p.counts("exit", at)
	p.tokens("exit", at)
	p.see("exit: title", at, func(r row) bool { return strings.HasPrefix(r.Title, "Please do part 1") })
	p.seeBoard("exit: one row", at, func(b board) bool { return len(b.rows) == 1 })
}

func (p *play) goOn() {
	at := p.prompt()
	p.see("resume: working", at, inPhase("working"))
	p.see("resume: turns", at, func(r row) bool { return r.Turns == p.turns })
	p.seeBoard("resume: one row", at, func(b board) bool { return len(b.rows) == 1 })
	p.tools++
	at = p.said()
	p.see("resume: idle", at, inPhase("idle"))
	p.counts("resume", at)
	p.tokens("resume", at)
}
