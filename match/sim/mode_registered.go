package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/internal/registry"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// Mode is the rules of a kind of match that another module adds. One value serves all
// matches, from several goroutines: it must have no state that changes. Its memory goes
// into [ModeWorld.SetBlob].
//
// A mode must be a pure function of its world: no clock, no random numbers but
// [ModeWorld.Rand], no order of a Go map, no goroutines, no floats. Otherwise a recovered
// match differs from the played match.
//
// In every mode, the world places the ruleset's resources, start units and landmarks before
// Begin. Before each Tick it defeats a departed player, or hands the player's entities to a
// team-mate. After each Tick the match ends by itself if one team is left of several, or at
// its time limit.
type Mode interface {
	// Check returns the fault in a match's options, or nil. It runs before the match
	// exists. Players see the error.
	Check(o Options) error
	// Begin adds to the start of the match. Of the acting methods, only Spawn, Give,
	// AddScore, SetValue and SetBlob work in it. With an error there is no match: players see
	// the error's text, and that another try is of no use.
	Begin(w ModeWorld) error
	// Tick is called once a tick, after everything else but sight. A panic ends the
	// match, and no other.
	Tick(w ModeWorld)
}

// OpenScores marks a [Mode] whose scores all players see. A team sees the scores of its own
// players in every mode, and all scores once the match is over.
type OpenScores interface{ OpenScores() }

// ShowsValues marks a [Mode] with values that players are shown, such as how long a team
// has held a hill. Each team has its own, 0 at first: see [ModeWorld.SetValue].
type ShowsValues interface {
	// Values lists at most [ModeValuesMax], always the same. Open ones come first.
	Values() []ModeValue
}

// ModeValue is one value of a mode, a whole number.
type ModeValue struct {
	Name string // of a-z, 0-9 and hyphens
	Open bool   // all players are shown all teams'; else each team its own until the end
}

// ModeValuesMax bounds the values of a mode.
const ModeValuesMax = 8

// ShowsAreas marks a [Mode] with areas of the map that players are shown, such as a hill to hold.
type ShowsAreas interface {
	// Areas lists at most [ModeAreasMax] areas of a map, always the same. Further areas, and areas off the map, are left out.
	Areas(m *grid.Map) []ModeArea
}

// ModeArea is a circle of the map.
type ModeArea struct {
	Name   string
	At     grid.Tile // the middle
	Radius grid.Dist
}

// ModeAreasMax bounds the areas of a mode that players are shown.
const ModeAreasMax = rules.AreasMax

// valuesOf returns the values of a mode, nil if it shows no values.
func valuesOf(m GameMode) []ModeValue {
	if r, ok := m.(registeredMode); ok {
		return r.values
	}
	return nil
}

func checkValues(list []ModeValue) error {
	if len(list) > ModeValuesMax {
		return fmt.Errorf("%d values, at most %d", len(list), ModeValuesMax)
	}
	for i, v := range list {
		switch {
		case !registry.GoodName(v.Name) || slices.ContainsFunc(list[:i], func(o ModeValue) bool { return o.Name == v.Name }):
			return fmt.Errorf("the value %q: it needs a unique name of a-z, 0-9 and hyphens", v.Name)
		case i > 0 && v.Open && !list[i-1].Open:
			return fmt.Errorf("the value %q is open: open values come first", v.Name)
		}
	}
	return nil
}

// ModeBlobMax is how many bytes a mode can keep.
const ModeBlobMax = 4096

// ModeError says that this program lacks the mode of a played match, or has another
// version.
type ModeError struct {
	Mode string
	Want uint32 // the version it was played by
	Have uint32 // 0: no version
}

func (e *ModeError) Error() string {
	if e.Have == 0 {
		return fmt.Sprintf("the match is of mode %q, which this program has not registered; it has %v", e.Mode, Modes())
	}
	return fmt.Sprintf("the match was played by version %d of mode %q, this program has registered version %d", e.Want, e.Mode, e.Have)
}

// BeginError is why a registered mode's Begin refuses a match.
type BeginError struct {
	Mode string
	Err  error
}

func (e *BeginError) Error() string { return fmt.Sprintf("mode %q: %v", e.Mode, e.Err) }

func (e *BeginError) Unwrap() error { return e.Err }

var registered registry.Table[registeredMode]

// RegisterMode adds a mode. Options name it by name: 1 to 32 of a-z, 0-9 and hyphens.
// version is above 0. It must change with everything that makes the mode do something
// else: journals name it, and a match is continued by the same version only.
//
// Call it in init, or at the start of main. It panics if the name is taken, if
// something of this is not so, or if a match was checked or made already.
func RegisterMode(name string, version uint32, m Mode) {
	var values []ModeValue
	if x, ok := m.(ShowsValues); ok {
		values = slices.Clone(x.Values())
	}
	err := errors.New("the version is 0")
	switch bad := checkValues(values); {
	case m == nil:
		err = errors.New("it is nil")
	case slices.ContainsFunc(shippedModes, func(s GameMode) bool { return s.Name() == name }):
		err = fmt.Errorf("%q is a mode of fogkeep itself", name)
	case bad != nil:
		err = bad
	case version > 0:
		_, open := m.(OpenScores)
		err = registered.Add(name, registeredMode{name, version, m, values, open})
	}
	if err != nil {
		panic("sim: register a mode: " + err.Error())
	}
}

// ModeVersion returns the version of a registered mode, 0 of a mode of fogkeep or of the ruleset, for which the build
// stands. rs may be nil.
func ModeVersion(rs *rules.Ruleset, name string) (uint32, error) {
	m, err := modeOf(rs, name)
	if r, ok := m.(registeredMode); ok {
		return r.version, nil
	}
	return 0, err
}

// CheckMode returns a [ModeError] if this program cannot continue a match in that version of the mode. A match of version
// 0 may have a mode of its ruleset, which the journal holds.
func CheckMode(name string, version uint32) error {
	have, err := ModeVersion(nil, name)
	if err != nil && version == 0 {
		return nil
	}
	if err != nil || have != version {
		return &ModeError{name, version, have}
	}
	return nil
}

// registeredMode lets a Mode decide a match.
type registeredMode struct {
	name    string
	version uint32
	mode    Mode
	values  []ModeValue
	open    bool // all players are shown all scores
}

func (r registeredMode) Name() string { return r.name }

func (r registeredMode) InitGame(o Options) error {
	err := r.mode.Check(o)
	if named := (*OptionError)(nil); err == nil || errors.As(err, &named) {
		return err
	}
	return optionError("mode", "%v", err)
}

func (r registeredMode) Init(w *World) error {
	w.placeResources()
	if err := w.placeStarts(); err != nil {
		return err
	}
	w.settle()
	if err := r.call(w, r.mode.Begin); err != nil {
		return &BeginError{r.name, err}
	}
	return nil
}

func (r registeredMode) Tick(w *World) *Ending {
	w.dropTheAbsent()
	_ = r.call(w, func(m ModeWorld) error { r.mode.Tick(m); return nil })
	w.settle()
	w.deal()
	w.settle()
	if w.guest.end != nil {
		return w.guest.end
	}
	if end := w.lastTeam(w.endReason()); end != nil {
		return end
	}
	return w.timeUp()
}

// OpenScores reports whether the match's mode shows all players all scores.
func (w *World) OpenScores() bool {
	r, ok := w.mode.(registeredMode)
	return ok && r.open
}

// ModeValues lists the values that the match's mode shows.
func (w *World) ModeValues() []ModeValue { return valuesOf(w.mode) }

// ModeAreas lists the areas that the match's mode shows.
func (w *World) ModeAreas() []ModeArea {
	r, _ := w.mode.(registeredMode)
	x, ok := r.mode.(ShowsAreas)
	if !ok {
		return nil
	}
	list := slices.DeleteFunc(slices.Clone(x.Areas(w.m)), func(a ModeArea) bool { return !w.m.In(a.At) || a.Radius < 1 })
	return list[:min(len(list), ModeAreasMax)]
}

// ModeValue returns a team's value by its number in [World.ModeValues].
func (w *World) ModeValue(i int, t grid.Team) int32 { return w.guest.values[i][t] }

// resultValues puts the values into the result.
func (w *World) resultValues() {
	for i := range w.result.Players {
		p := &w.result.Players[i]
		for k, v := range w.ModeValues() {
			if k == 0 {
				p.Values = map[string]int32{}
			}
			p.Values[v.Name] = w.guest.values[k][p.Team]
		}
	}
}

// call lends the world for one call.
func (r registeredMode) call(w *World, f func(ModeWorld) error) error {
	g := &w.guest
	g.lent++
	g.spawned, g.revealed = 0, 0
	defer func() { g.lent++ }()
	return f(ModeWorld{w, g.lent})
}

// guest is a world's state for a registered mode.
type guest struct {
	blob   string // state
	values [ModeValuesMax][grid.TeamsMax]int32

	waits   []wait                                   // in the order of the deaths
	returns [rules.RespawnsMax][grid.SlotsMax]uint16 // that each player has used up

	lent              uint32 // odd while the mode is called; it counts the calls
	spawned, revealed int    // in this call
	end               *Ending
}

// modeState is the part of the state that only registered modes have. It begins with
// the mode's version, so that hashes of two versions differ.
func (w *World) modeState(a *archive.Archive) {
	r, ok := w.mode.(registeredMode)
	if !ok {
		return
	}
	version := r.version
	archive.Word(a, &version)
	if version != r.version {
		a.Fail("%w", &ModeError{r.name, version, r.version})
	}
	a.Text(&w.guest.blob)
	if len(w.guest.blob) > ModeBlobMax {
		a.Fail("a mode's blob of %d bytes, at most %d", len(w.guest.blob), ModeBlobMax)
	}
	if m, ok := r.mode.(rulesetMode); ok && a.Reading() && len(w.guest.blob) != m.memory(w) {
		a.Fail("a mode's memory of %d bytes, want %d", len(w.guest.blob), m.memory(w))
	}
	for i := range r.values {
		for t := range w.teams {
			v := &w.guest.values[i][t]
			if archive.Word(a, v); *v < 0 || *v > ModeScoreMax {
				a.Fail("a mode's value of %d", *v)
			}
		}
	}
	w.respawnState(a)
	if a.Reading() && w.result != nil {
		w.resultValues()
	}
}

// drawMode's counters are the mode's own.
func (w *World) drawMode(key uint32) uint64 { return w.draw(grid.NoSlot, key, drawGuest) }
