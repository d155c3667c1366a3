package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Bounds of scripts.
const (
	SourceMax  = 64 << 10 // bytes
	StepsMax   = 20_000   // of a call
	NumberMax  = 1 << 53  // of a number, above and below 0
	ListMax    = 4096     // members of a range, or of the sum of two lists
	TextMax    = 256      // bytes of a sum of texts
	EffectsMax = 256      // of a call
	depthMax   = 50       // brackets in brackets
)

// Fault is an error at a place of a script.
type Fault struct {
	Script  string
	Line    int
	Why     string
	Handler string // the event of the call; "" of a script that does not compile
}

func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.Script, f.Line, f.Why) }

// Program is a compiled script. It is read-only.
type Program struct {
	Name     string
	handlers map[string]*starlark.Function
}

// fileOptions is the dialect: Starlark as its specification has it, without options.
var fileOptions = &syntax.FileOptions{}

// Compile compiles a script for the events and effects of a table. Its handlers have the names of events. Names of other
// functions begin with _.
func Compile(name, source string, on *Table, effects []string) (*Program, []*Fault) {
	fault := func(line int, format string, args ...any) []*Fault {
		return []*Fault{{Script: name, Line: max(1, line), Why: fmt.Sprintf(format, args...)}}
	}
	if len(source) > SourceMax {
		return nil, fault(1, "%d bytes, at most %d", len(source), SourceMax)
	}
	if line := tooDeep(source); line > 0 {
		return nil, fault(line, "more than %d brackets inside each other", depthMax)
	}
	f, err := fileOptions.Parse(name, source, 0)
	if err != nil {
		return nil, faultsOf(name, err)
	}
	g := guard{name: name}
	if g.file(f); len(g.faults) > 0 {
		return nil, g.faults
	}
	offered := on.offered(effects)
	program, err := starlark.FileProgram(f, offered.Has)
	if err != nil {
		return nil, faultsOf(name, err)
	}
	globals, err := program.Init(new(Thread).begin(), offered)
	if err != nil {
		return nil, []*Fault{runtimeFault(name, err)}
	}
	globals.Freeze()
	p := &Program{name, map[string]*starlark.Function{}}
	var faults []*Fault
	for _, key := range globals.Keys() {
		fn, ok := globals[key].(*starlark.Function)
		if !ok || strings.HasPrefix(key, "_") {
			continue
		}
		line := int(fn.Position().Line)
		i := slices.IndexFunc(on.Events, func(e Event) bool { return e.Name == key })
		switch {
		case i < 0:
			faults = append(faults, fault(line, "no event %q; there are %s. The names of other functions begin with _", key, strings.Join(on.eventNames(), ", "))...)
		case fn.NumParams() != len(on.Events[i].Params) || fn.NumKwonlyParams() > 0 || fn.ParamDefault(0) != nil:
			faults = append(faults, fault(line, "a handler of %q has the parameters (%s)", key, strings.Join(on.Events[i].Params, ", "))...)
		default:
			p.handlers[key] = fn
		}
	}
	if len(p.handlers) == 0 && len(faults) == 0 {
		faults = fault(1, "it has no handler; the events are %s", strings.Join(on.eventNames(), ", "))
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return p, nil
}

// tooDeep returns the line in which brackets are nested too deep, 0 without such a line.
func tooDeep(source string) int {
	depth, line := 0, 1
	for _, c := range []byte(source) {
		switch c {
		case '\n':
			line++
		case '(', '[', '{':
			if depth++; depth > depthMax {
				return line
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return 0
}

func faultsOf(name string, err error) (out []*Fault) {
	var list resolve.ErrorList
	var one syntax.Error
	switch {
	case errors.As(err, &list):
		for _, e := range list {
			out = append(out, &Fault{Script: name, Line: int(e.Pos.Line), Why: e.Msg})
		}
	case errors.As(err, &one):
		out = []*Fault{{Script: name, Line: int(one.Pos.Line), Why: one.Msg}}
	default:
		out = []*Fault{{Script: name, Line: 1, Why: err.Error()}}
	}
	return out
}

// runtimeFault is the fault of a call: the line is the innermost in the script.
func runtimeFault(name string, err error) *Fault {
	f := &Fault{Script: name, Line: 1, Why: err.Error()}
	var at *starlark.EvalError
	if errors.As(err, &at) {
		f.Why = at.Msg
		for i := range at.CallStack {
			if pos := at.CallStack.At(i).Pos; pos.Line > 0 && pos.Filename() == name {
				f.Line = int(pos.Line)
				break
			}
		}
	}
	const cancelled = "Starlark computation cancelled: too many steps"
	if f.Why == cancelled {
		f.Why = fmt.Sprintf("more than %d steps", StepsMax)
	}
	return f
}

// Thread makes calls one after another. Its zero value is ready. It keeps the interpreter's stack for further calls.
type Thread struct{ own *starlark.Thread }

// begin returns the interpreter's thread for a call.
func (t *Thread) begin() *starlark.Thread {
	if t.own == nil {
		t.own = &starlark.Thread{Name: "script"}
		t.own.SetMaxExecutionSteps(StepsMax)
	}
	t.own.Steps = 0
	return t.own
}

// Handles reports whether the script has a handler of an event.
func (p *Program) Handles(event string) bool { return p != nil && p.handlers[event] != nil }

// Call calls the handler of an event, and returns its effects and the steps that it took. A [Fault] is an error of the
// script. An event without a handler has no effects.
func (p *Program) Call(on *Thread, event string, args ...Value) (effects []*Effect, steps uint64, fault *Fault) {
	v, steps, fault := p.run(on, event, args)
	if fault != nil {
		return nil, steps, fault
	}
	bad := func(v Value) ([]*Effect, uint64, *Fault) {
		return nil, steps, p.fault(event, "%s returns %s, want effects in a list", event, v.Type())
	}
	switch v := v.(type) {
	case nil, starlark.NoneType:
	case *Effect:
		effects = append(effects, v)
	case starlark.Indexable:
		if v.Len() > EffectsMax {
			return nil, steps, p.fault(event, "%s returns %d effects, at most %d", event, v.Len(), EffectsMax)
		}
		for i := range v.Len() {
			e, ok := v.Index(i).(*Effect)
			if !ok {
				return bad(v.Index(i))
			}
			effects = append(effects, e)
		}
	default:
		return bad(v)
	}
	return effects, steps, nil
}

// Ask calls a handler that answers yes or no.
func (p *Program) Ask(on *Thread, event string, args ...Value) (yes bool, steps uint64, fault *Fault) {
	v, steps, fault := p.run(on, event, args)
	return fault == nil && v != nil && bool(v.Truth()), steps, fault
}

// Wrong is the fault of a handler whose effects cannot be carried out.
func (p *Program) Wrong(event string, err error) *Fault { return p.fault(event, "%v", err) }

func (p *Program) fault(event, format string, args ...any) *Fault {
	return &Fault{Script: p.Name, Line: int(p.handlers[event].Position().Line), Why: fmt.Sprintf(format, args...), Handler: event}
}

func (p *Program) run(on *Thread, event string, args []Value) (v Value, steps uint64, fault *Fault) {
	fn := p.handlers[event]
	if fn == nil {
		return nil, 0, nil
	}
	thread := on.begin()
	defer func() {
		if broken := recover(); broken != nil {
			v, steps, fault = nil, thread.Steps, p.fault(event, "it broke: %v", broken)
		}
		if fault != nil {
			fault.Handler = event
			on.own = nil // it may be cancelled, and has no further calls
		}
	}()
	v, err := starlark.Call(thread, fn, args, nil)
	if err != nil {
		return nil, thread.Steps, runtimeFault(p.Name, err)
	}
	return v, thread.Steps, nil
}
