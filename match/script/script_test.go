package script

import (
	"fmt"
	"strings"
	"testing"
)

var table = &Table{
	Events:  []Event{{"tick", []string{"w"}}, {"died", []string{"w", "unit"}}, {"ready", []string{"w"}}},
	Effects: []EffectDef{{"heal", []Param{{"unit", FormUnit, false}, {"amount", FormWhole, false}}}, {"note", []Param{{"text", FormText, false}, {"loud", FormFlag, true}}}},
}

// place is an object with units around it.
type place struct{ units int }

func (p place) Parts() []string { return []string{"n", "units", "near"} }

func (p place) Part(name string) Value {
	switch name {
	case "n":
		return Whole(p.units)
	case "units":
		return List(p.all())
	case "near":
		return nearby
	}
	return nil
}

var nearby = Func("near", []Param{{"radius", FormWhole, false}}, func(p place, a Args) (Value, error) {
	return List(p.all()), a.Spend(p.units)
})

func (p place) all() []Value {
	out := make([]Value, p.units)
	for i := range out {
		out[i] = &Object{"unit", uint64(i + 1), unit(i)}
	}
	return out
}

type unit int

func (u unit) Parts() []string { return []string{"hp", "max"} }

func (u unit) Part(name string) Value {
	switch name {
	case "hp":
		return Whole(int(u) % 3)
	case "max":
		return Whole(2)
	}
	return nil
}

func world(units int) Value { return &Object{"world", 0, place{units}} }

func compiled(t testing.TB, source string) *Program {
	t.Helper()
	p, faults := Compile("test.star", source, table, table.EffectNames())
	if len(faults) > 0 {
		t.Fatal(faults[0])
	}
	return p
}

func TestCall(t *testing.T) {
	p := compiled(t, `
AMOUNTS = {"small": 2, "large": 5}
def _hurt(u):
    return u.hp < u.max
def tick(w):
    out = [heal(u, AMOUNTS["small"] * 2) for u in w.near(4 * TILE) if _hurt(u)]
    n = 0
    for i in range(3):
        n += i
    if n == 3 and "small" in AMOUNTS and 7 // -2 == -4 and -7 % 3 == 2:
        out.append(note("n is " + str(n), loud = True))
    best = sorted(w.units, key = lambda u: (-u.hp, u.max))[0]
    if best.hp != 2 or best != best or max([u.hp for u in w.units]) != 2:
        fail("sorted")
    return out
def ready(w):
    return w.n > 3
`)
	effects, steps, fault := p.Call(new(Thread), "tick", world(4))
	if fault != nil || len(effects) != 4 || steps == 0 {
		t.Fatal(effects, steps, fault)
	}
	if e := effects[0]; e.Name != "heal" || e.Unit(0) != 1 || e.Whole(1) != 4 {
		t.Errorf("the first effect is %s of %d, %d", e.Name, e.Unit(0), e.Whole(1))
	}
	if e := effects[3]; e.Name != "note" || e.Args.Text(0) != "n is 3" || !e.Flag(1) {
		t.Errorf("the last effect is %s of %q, %v", e.Name, e.Args.Text(0), e.Flag(1))
	}
	for units, want := range map[int]bool{3: false, 4: true} {
		if yes, _, fault := p.Ask(new(Thread), "ready", world(units)); yes != want || fault != nil {
			t.Errorf("with %d units it is ready: %v, %v", units, yes, fault)
		}
	}
	if _, again, _ := p.Call(new(Thread), "tick", world(4)); again != steps {
		t.Errorf("%d steps, then %d", steps, again)
	}
	if effects, _, fault := p.Call(new(Thread), "died", world(1), world(1)); effects != nil || fault != nil || p.Handles("died") {
		t.Errorf("an event without a handler: %v, %v", effects, fault)
	}
}

func TestCompileRefuses(t *testing.T) {
	handler := func(line string) string { return "def tick(w):\n    " + line }
	for source, want := range map[string]string{
		handler("return 1.5"):                            `test.star:2: 1.5: there are whole numbers only`,
		handler("return 1 / 2"):                          `test.star:2: / makes fractions`,
		handler("return float(1)"):                       `test.star:2: scripts have no float`,
		handler("x /= 2"):                                `test.star:2: / makes fractions`,
		handler("return 1 << 400"):                       `no operator <<`,
		handler("return ~1"):                             `no operator ~`,
		handler("return w.x[1:]"):                        `no slices`,
		handler("return [].extend"):                      `no method extend`,
		handler(`return "{}".format(1)`):                 `no method format`,
		handler("return [].append"):                      `append has to be called`,
		handler("return heal(*w.units)"):                 `no arguments with *`,
		handler("return getattr(w, 'n')"):                `no getattr`,
		handler("return 99999999999"):                    `below 2147483648`,
		handler("return b'x'"):                           `no bytes`,
		handler("return " + strings.Repeat("(", 60)):     `brackets`,
		handler("while True: pass"):                      `while`,
		handler("w.n = 5"):                               `cannot be assigned`,
		handler("len = 5"):                               `"len" is taken`,
		handler("w.units[0].hp += 5"):                    `left side`,
		handler("return heals(1, 2)"):                    `undefined: heals`,
		"load('other.star', 'x')\n" + handler("return"):  `test.star:1: a script loads no other`,
		"def tik(w):\n    return":                        `no event "tik"; there are tick, died, ready`,
		"def tick():\n    return":                        `has the parameters (w)`,
		"def tick(w, *rest):\n    return":                `no parameters with *`,
		"def tick(w=1):\n    return":                     `has the parameters (w)`,
		"X = [0] * 5":                                    `want two numbers`,
		"X = 5":                                          `no handler`,
		"def tick(w):\nreturn":                           `test.star:2`,
		"X = [i for i in range(4096) for j in range(9)]": `more than 20000 steps`,
		"# " + strings.Repeat("x", SourceMax):            `at most 65536`,
	} {
		p, faults := Compile("test.star", source, table, table.EffectNames())
		if p != nil || len(faults) == 0 || !strings.Contains(faults[0].Error(), want) {
			t.Errorf("%q: %v, want %s", source[:min(len(source), 60)], faults, want)
		}
	}
	if _, faults := Compile("test.star", handler("return heal(w, 1)"), table, []string{"note"}); len(faults) == 0 {
		t.Error("a script uses an effect that it does not declare")
	}
}

// Each handler would take much time or memory in one step without its guard.
func TestCallIsBounded(t *testing.T) {
	var on Thread // for all calls: one that fails leaves no trace
	for body, want := range map[string]string{
		"x = [0, 1]\n    for i in range(40): x = x + x":                             "at most 4096",
		"x = [0]\n    for i in range(40): x += x":                                   "at most 4096",
		"x = 'ab'\n    for i in range(40): x = x + x":                               "at most 256",
		"x = 3\n    for i in range(40): x = x * x":                                  "a number above",
		"x = 3\n    for i in range(90): x = x + x":                                  "a number above",
		"x = (1, 1)\n    for i in range(40): x = (x, x)\n    return {x: 1}":         "want a number or a text",
		"x = (1, 1)\n    for i in range(40): x = (x, x)\n    return {}.get(x)":      "want a number or a text",
		"x = (1, 1)\n    for i in range(40): x = (x, x)\n    return x == x":         "want a number or a text",
		"x = w.units\n    return x == w.units":                                      "want a number or a text",
		"x = (1, 1)\n    for i in range(40): x = (x, x)\n    return x in [x]":       "want a number or a text",
		"x = (1, 1)\n    for i in range(40): x = (x, x)\n    return sorted([x, x])": "want a number or a text",
		"x = (1, 1)\n    for i in range(40): x = (x, x)\n    return max([x, x])":    "want a number or a text",
		"x = (1, 1)\n    for i in range(40): x = (x, x)\n    return str(x)":         "want one number or text",
		"return list(range(1000 * 1000))":                                           "a range of 1000000",
		"for i in range(1000): list(range(4000))":                                   "more than 20000 steps",
		"x = range(4000)\n    for i in range(1000): -1 in x":                        "more than 20000 steps",
		"for i in range(4000):\n        for j in range(4000): i = j":                "test.star:3: more than 20000 steps",
		"for i in range(1000): sorted(range(4000))":                                 "more than 20000 steps",
		"for i in range(1500): w.near(1)":                                           "more than 20000 steps",
		"return tick(w)":                                                            "called recursively",
		"return [note('x') for i in range(300)]":                                    "300 effects, at most 256",
		"return [5]":                                                                "returns int, want effects",
		"return w.m":                                                                "world has no .m",
		"return heal(w, 1)":                                                         `"unit" is world, want a unit`,
		"return heal(w.units[0])":                                                   `"amount" is missing`,
		"return heal(w.units[0], 3000000000 - 1)":                                   "below",
		"return heal(w.units[0], amount = 1, more = 2)":                             `no argument "more"`,
		"return note(w.n)":                                                          `"text" is int, want a text`,
		"fail('by hand')":                                                           "test.star:2: by hand",
		"return w.units[9]":                                                         "out of range",
		"return 1 % 0":                                                              "division by 0",
	} {
		p, faults := Compile("test.star", "def tick(w):\n    "+body, table, table.EffectNames())
		if p == nil {
			if !strings.Contains(faults[0].Why, want) {
				t.Errorf("%q: %v, want %s", body, faults, want)
			}
			continue
		}
		effects, steps, fault := p.Call(&on, "tick", world(8))
		if fault == nil || effects != nil || !strings.Contains(fault.Error(), want) || steps > StepsMax+ListMax*8 {
			t.Errorf("%q: %v after %d steps, want %s", body, fault, steps, want)
		}
	}
}

// A handler keeps nothing: a global cannot be changed by a call.
func TestGlobalsAreFrozen(t *testing.T) {
	p := compiled(t, "SEEN = []\ndef tick(w):\n    SEEN.append(1)")
	if _, _, fault := p.Call(new(Thread), "tick", world(1)); fault == nil || !strings.Contains(fault.Why, "frozen") {
		t.Error(fault)
	}
}

func BenchmarkCall(b *testing.B) {
	for _, units := range []int{0, 10, 100} {
		b.Run(fmt.Sprint("units-", units), func(b *testing.B) {
			p := compiled(b, "def tick(w):\n    return [heal(u, 5) for u in w.near(4096) if u.hp < u.max]")
			w := world(units)
			var on Thread
			b.ReportAllocs()
			for b.Loop() {
				if _, _, fault := p.Call(&on, "tick", w); fault != nil {
					b.Fatal(fault)
				}
			}
		})
	}
}
