package sim

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// scripted is a mode whose calls a test gives. The tests of this file do not run at the
// same time as others.
type scripted struct{}

var called struct {
	begin func(w ModeWorld) error
	tick  func(w ModeWorld)
}

func (scripted) Check(o Options) error {
	if o.ScoreLimit != 0 {
		return errors.New("no score limit")
	}
	return nil
}

func (scripted) Begin(w ModeWorld) error {
	if called.begin != nil {
		return called.begin(w)
	}
	return nil
}

func (scripted) Tick(w ModeWorld) {
	if called.tick != nil {
		called.tick(w)
	}
}

func init() { RegisterMode("scripted", 3, scripted{}) }

func scriptedSetup(t *testing.T) Setup {
	t.Helper()
	t.Cleanup(func() { called.begin, called.tick = nil, nil })
	rs, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("field", 48, 48)
	m.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 37, Y: 37}, {X: 10, Y: 37}}
	m.Resources = []grid.Tile{{X: 14, Y: 10}}
	return Setup{Map: m, Rules: rs, Seed: 9, TickRate: 20, Options: Options{Mode: "scripted"},
		Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 1, Start: 2}}}
}

// during runs f as the mode's call of one tick.
func during(w *World, f func(m ModeWorld)) {
	called.tick = f
	w.Step(nil)
	called.tick = nil
}

func TestRegisterModeRefusesMisuse(t *testing.T) {
	modeOf(nil, "skirmish") // closes the table
	for what, c := range map[string]struct {
		name    string
		version uint32
		mode    Mode
		why     string
	}{
		"a shipped name": {"skirmish", 1, scripted{}, "fogkeep itself"},
		"version 0":      {"other", 0, scripted{}, "version"},
		"nil":            {"other", 1, nil, "nil"},
		"a bad name":     {"Other Mode", 1, scripted{}, "name"},
		"too late":       {"other", 1, scripted{}, "too late"},
	} {
		func() {
			defer func() {
				if r := recover(); !strings.Contains(fmt.Sprint(r), c.why) {
					t.Errorf("%s: %v", what, r)
				}
			}()
			RegisterMode(c.name, c.version, c.mode)
			t.Errorf("%s is registered", what)
		}()
	}
	if err := CheckMode("scripted", 3); err != nil {
		t.Error(err)
	}
	if err := CheckMode("skirmish", 0); err != nil {
		t.Error(err)
	}
	for name, version := range map[string]uint32{"scripted": 2, "unheard-of": 1, "deathmatch": 1} {
		var refused *ModeError
		if err := CheckMode(name, version); !errors.As(err, &refused) || !strings.Contains(err.Error(), `"`+name+`"`) {
			t.Errorf("%s of version %d: %v", name, version, err)
		}
	}
}

func TestAModesOptionsAreChecked(t *testing.T) {
	s := scriptedSetup(t)
	s.Options.ScoreLimit = 5
	var refused *OptionError
	if err := s.Check(); !errors.As(err, &refused) || refused.Option != "mode" {
		t.Errorf("a score limit: %v", err)
	}
}

func TestAModesBeginFails(t *testing.T) {
	s := scriptedSetup(t)
	called.begin = func(ModeWorld) error { return errors.New("no hill") }
	if _, err := New(s); err == nil || !strings.Contains(err.Error(), `mode "scripted": no hill`) {
		t.Errorf("%v", err)
	}
}

// A mode's acts keep the world whole: each step's state can be restored, and goes on to the
// same hashes.
func TestActsOfAMode(t *testing.T) {
	s := scriptedSetup(t)
	called.begin = func(m ModeWorld) error {
		id, ok := m.Spawn(1, "barracks", grid.Tile{X: 24, Y: 24})
		if !ok || m.Kill(id) || m.Damage(id, 1) || m.Heal(id, 1) || m.SetOwner(id, 0) || m.Defeat(0) || m.End(0, "early") || m.Reveal(0, grid.Tile{}, 2, 2) {
			t.Error("in Begin a mode only adds")
		}
		return m.SetBlob([]byte("begun"))
	}
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	var soldier, barracks grid.EntityID
	during(w, func(m ModeWorld) {
		before := 0
		for range m.Entities() {
			before++
		}
		var ok bool
		at := grid.Tile{X: 30, Y: 20}
		if soldier, ok = m.Spawn(0, "soldier", at); !ok {
			t.Error("no soldier")
		}
		for what, made := range map[string]func() bool{
			"on another":      func() bool { _, ok := m.Spawn(1, "soldier", at); return ok },
			"on a structure":  func() bool { _, ok := m.Spawn(0, "soldier", grid.Tile{X: 24, Y: 24}); return ok },
			"structure on it": func() bool { _, ok := m.Spawn(0, "barracks", at); return ok },
			"on a place":      func() bool { _, ok := m.Spawn(0, "soldier", grid.Tile{X: 14, Y: 10}); return ok },
			"off the map":     func() bool { _, ok := m.Spawn(0, "soldier", grid.Tile{X: -1}); return ok },
			"of no type":      func() bool { _, ok := m.Spawn(0, "dragon", grid.Tile{X: 5, Y: 40}); return ok },
			"of a projectile": func() bool { _, ok := m.Spawn(0, "bolt", grid.Tile{X: 5, Y: 40}); return ok },
			"of a resource":   func() bool { _, ok := m.Spawn(0, "ore-field", grid.Tile{X: 5, Y: 40}); return ok },
			"of nobody":       func() bool { _, ok := m.Spawn(grid.NoSlot, "soldier", grid.Tile{X: 5, Y: 40}); return ok },
			"give too much":   func() bool { return m.Give(0, "ore", ModeStockMax) },
			"take too much":   func() bool { return m.Give(0, "ore", -1_000_000) },
			"no resource":     func() bool { return m.Give(0, "tea", 1) },
			"no slot":         func() bool { return m.AddScore(9, 1) || m.Give(9, "ore", 1) || m.Defeat(9) },
			"no entity":       func() bool { return m.Kill(0xFFFFFF) || m.Damage(0, 1) || m.Heal(1<<23, 1) },
			"a long sight": func() bool {
				return m.Reveal(0, at, 65, 5) || m.Reveal(0, at, 5, ModeRevealTicks+1) || m.Reveal(9, at, 5, 5)
			},
			"a reason in text": func() bool { return m.End(0, "The king is dead") || m.End(9, "no-such-team") },
			"sell a soldier":   func() bool { return m.SetOwner(soldier, 1) },
		} {
			if made() {
				t.Errorf("%s: done", what)
			}
		}
		if _, ok := m.Player(9); ok {
			t.Error("there is a player 9")
		}
		for e := range m.Entities() {
			before--
			if e.Type == "barracks" && e.Slot == 1 {
				barracks = e.ID
			}
		}
		if before != 0 {
			t.Error("what was made is visited in the same call")
		}
		if !m.SetOwner(barracks, 0) || !m.Give(1, "ore", 70) || !m.AddScore(1, 5) || !m.Reveal(1, grid.Tile{X: 2, Y: 40}, 8, 10) {
			t.Error("not done")
		}
		if err := m.SetBlob(make([]byte, ModeBlobMax+1)); err == nil || string(m.Blob()) != "begun" {
			t.Errorf("a big blob: %v", err)
		}
		m.Blob()[0] = 'x'
		first := m.Rand(1)
		if string(m.Blob()) != "begun" || first == m.Rand(2) || first != m.Rand(1) {
			t.Error("the blob, or what is random")
		}
	})
	if w.Player(1).Score != 5 || !w.Eyes().Visible(1, grid.Tile{X: 2, Y: 40}) || w.Entity(barracks).Team() != 0 {
		t.Errorf("%+v", w.Player(1))
	}
	during(w, func(m ModeWorld) {
		if !m.Damage(soldier, 5) || !m.Damage(barracks, 1_000_000) {
			t.Error("no damage")
		}
	})
	if e := w.Entity(soldier); e == nil || e.hp != w.Rules().Types[e.Type()].Health-5 || w.Entity(barracks) != nil {
		t.Error("the damage of a tick is not dealt in it")
	}
	during(w, func(m ModeWorld) {
		if !m.Heal(soldier, 1<<30) || !m.Defeat(2) || m.Defeat(2) || m.SetBlob([]byte("more")) != nil {
			t.Error("not done")
		}
	})
	if e := w.Entity(soldier); e.hp != w.Rules().Types[e.Type()].Health || w.Player(2).Alive {
		t.Error("not healed, or not defeated")
	}
	again, err := Restore(s, w.Save(nil))
	if err != nil || again.Hash() != w.Hash() {
		t.Fatalf("restored: %v", err)
	}
	called.tick = func(m ModeWorld) {
		if m.Tick()%7 == 0 {
			m.Spawn(0, "soldier", grid.Tile{X: int16(m.Rand(1) % 48), Y: int16(m.Rand(2) % 48)})
		}
		if m.Tick() == 60 && (!m.End(grid.NoTeam, "enough") || m.End(0, "second")) {
			t.Error("only the first end counts")
		}
	}
	for range 70 {
		w.Step(nil)
		again.Step(nil)
		if w.Hash() != again.Hash() {
			t.Fatalf("apart at tick %d", w.Tick())
		}
	}
	if r := w.Result(); r == nil || r.Reason != "enough" || r.Winner != grid.NoTeam || r.Tick != 60 {
		t.Errorf("%+v", r)
	}
}

func TestAModeIsBounded(t *testing.T) {
	s := scriptedSetup(t)
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	during(w, func(m ModeWorld) {
		spawned, revealed := 0, 0
		for i := range 48 * 48 {
			at := grid.Tile{X: int16(i % 48), Y: int16(i / 48)}
			if _, ok := m.Spawn(0, "soldier", at); ok {
				spawned++
			}
			if m.Reveal(0, at, 1, 1) {
				revealed++
			}
		}
		if spawned != ModeSpawnsMax || revealed != ModeRevealsMax {
			t.Errorf("%d spawned, %d revealed", spawned, revealed)
		}
	})
}

// The world is lent for a call. A mode that keeps it is found out, and stops its match
// alone.
func TestAModeCannotKeepItsWorld(t *testing.T) {
	w, err := New(scriptedSetup(t))
	if err != nil {
		t.Fatal(err)
	}
	var kept ModeWorld
	during(w, func(m ModeWorld) { kept = m })
	defer func() {
		if r := recover(); !strings.Contains(fmt.Sprint(r), "after the call") {
			t.Errorf("%v", r)
		}
	}()
	kept.Give(0, "ore", 100)
	t.Error("it still acts")
}

// A state of another version of the mode is refused, and its hash is another one.
func TestAModesVersionIsInTheState(t *testing.T) {
	s := scriptedSetup(t)
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	during(w, func(m ModeWorld) { _ = m.SetBlob([]byte("kept")) })
	saved := w.Save(nil)
	w.mode = registeredMode{name: "scripted", version: 4, mode: scripted{}}
	other := w.Save(nil)
	if bytes.Equal(saved, other) {
		t.Error("two versions have one state")
	}
	var refused *ModeError
	if _, err := Restore(s, other); !errors.As(err, &refused) || refused.Want != 4 || refused.Have != 3 {
		t.Errorf("version 4: %v", err)
	}
	long := append(saved[:len(saved)-8:len(saved)-8], 1, 16, 0, 0)
	if _, err := Restore(s, append(long, make([]byte, ModeBlobMax+1)...)); err == nil || !strings.Contains(err.Error(), "4097") {
		t.Errorf("a long blob: %v", err)
	}
}

// A player who leaves is out, and the last team wins, in every mode.
func TestARegisteredModeHandlesThoseWhoLeave(t *testing.T) {
	w, err := New(scriptedSetup(t))
	if err != nil {
		t.Fatal(err)
	}
	w.Step([]Input{{Kind: InputLeft, Slot: 0}})
	for range 3 {
		w.Step(nil)
	}
	if r := w.Result(); r == nil || r.Winner != 1 || r.Reason != "surrender" {
		t.Errorf("%+v", r)
	}
}

// A mode's values are bounded, saved, in the hash and in the result.
func TestAModesValues(t *testing.T) {
	s := scriptedSetup(t)
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	mode := registeredMode{name: "scripted", version: 3, mode: scripted{}, values: []ModeValue{{Name: "wave", Open: true}, {Name: "held"}}}
	w.mode = mode
	before := w.Hash()
	during(w, func(m ModeWorld) {
		if !m.SetValue("wave", grid.NoTeam, 4) || !m.SetValue("held", 1, 7) || m.SetValue("other", 0, 1) || m.SetValue("held", 2, 1) || m.SetValue("held", 0, -1) || m.SetValue("held", 0, ModeScoreMax+1) {
			t.Error("a value is set that may not be, or is not set")
		}
		if m.Value("held", 1) != 7 || m.Value("held", 0) != 0 || m.Value("other", 0) != 0 || m.Value("held", 9) != 0 {
			t.Error("it reads other values")
		}
		m.End(1, "held")
	})
	want := []map[string]int32{{"wave": 4, "held": 0}, {"wave": 4, "held": 7}, {"wave": 4, "held": 7}}
	restored := *w // of a program whose mode has the values
	restored.result, restored.guest.values = nil, [ModeValuesMax][grid.TeamsMax]int32{}
	a := archive.Writer(nil)
	w.resultState(a)
	w.modeState(a)
	b := archive.Reader(a.Bytes())
	restored.resultState(b)
	restored.modeState(b)
	if err := b.End(); err != nil || w.Hash() == before || restored.guest.values != w.guest.values {
		t.Errorf("restored: %v, %v", err, restored.guest.values)
	}
	for i := range want {
		if got := w.Result().Players[i].Values; !maps.Equal(got, want[i]) || !maps.Equal(restored.Result().Players[i].Values, got) {
			t.Errorf("player %d: the result has %v", i, got)
		}
	}
	w.guest.values[1][0] = -1
	a = archive.Writer(nil)
	w.modeState(a)
	b = archive.Reader(a.Bytes())
	if restored.modeState(b); b.End() == nil {
		t.Error("a value below 0 is read")
	}
	for why, list := range map[string][]ModeValue{
		"at most 8": make([]ModeValue, 9), "open values come first": {{Name: "a"}, {Name: "b", Open: true}}, `"a"`: {{Name: "a"}, {Name: "a"}}, `"A b"`: {{Name: "A b"}},
	} {
		if err := checkValues(list); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v: %v", list, err)
		}
	}
}
