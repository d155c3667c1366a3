package view

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// activity are the rows that the team's clients have received about an entity's abilities and effects. Few entities
// have any, so it is kept apart from their records.
type activity struct {
	actions              []Action
	effects              []Effect
	actionsAt, effectsAt grid.Tick // of the last change; 0: none since it came into sight
}

// activityReader walks a view's actions and effects along with its units.
type activityReader struct {
	actions []Action
	effects []Effect
}

// has reports whether the next rows are of h.
func (a *activityReader) has(h grid.Handle) bool {
	return len(a.actions) > 0 && a.actions[0].Handle == h || len(a.effects) > 0 && a.effects[0].Handle == h
}

// of returns a handle's rows. The handles of the calls rise; one without rows may be left out.
func (a *activityReader) of(h grid.Handle) (actions []Action, effects []Effect) {
	n := 0
	for n < len(a.actions) && a.actions[n].Handle == h {
		n++
	}
	actions, a.actions = a.actions[:n], a.actions[n:]
	for n = 0; n < len(a.effects) && a.effects[n].Handle == h; {
		n++
	}
	effects, a.effects = a.effects[:n], a.effects[n:]
	return actions, effects
}

// setActivity takes over an entity's abilities and effects, and reports whether they have changed.
func (t *Tracker) setActivity(h grid.Handle, r *record, from *activityReader) bool {
	actions, effects := from.of(h)
	if len(actions)+len(effects) == 0 && !r.active {
		return false
	}
	a := t.acting[h]
	if a == nil {
		a = &activity{}
		t.acting[h] = a
	}
	r.active = len(actions)+len(effects) > 0
	changed := false
	if !slices.Equal(a.actions, actions) {
		a.actions, a.actionsAt, changed = append(a.actions[:0], actions...), t.tick, true
	}
	if !slices.Equal(a.effects, effects) {
		if sees := func(x Effect) bool { return x.Sees }; r.exact && t.tick != t.beat && (slices.ContainsFunc(a.effects, sees) || slices.ContainsFunc(effects, sees)) {
			t.wrong = t.tick // the next beat gives clients its sight
		}
		a.effects, a.effectsAt, changed = append(a.effects[:0], effects...), t.tick, true
	}
	if changed {
		r.acted = t.tick
	}
	return changed
}

// forgetActivity drops the activity of an entity that left sight: its next stay starts from zero.
func (t *Tracker) forgetActivity(h grid.Handle, r *record) {
	if r.acted != 0 {
		delete(t.acting, h)
		r.acted, r.active = 0, false
	}
}

// ActionRow is an ability that an entity runs. The rows of an entity are all that it
// runs.
type ActionRow struct {
	Handle  grid.Handle
	Ability uint32 // 0: the entity runs none; else 1 + the index in its type's list
	When    uint32 // 0: it began out of sight; else 1 + ticks before the diff's tick
}

// EffectRow is an effect on a unit. The rows of a unit are all that it has.
type EffectRow struct {
	Handle grid.Handle
	Effect uint32 // 0: the unit has none; else 1 + the ruleset's number
	When   uint32 // as of an ActionRow
	Source grid.Handle
}

// appendActivity appends the activity of an entity if it changed since base.
func (t *Tracker) appendActivity(d *Diff, h grid.Handle, base grid.Tick) {
	a := t.acting[h]
	if a.actionsAt > base {
		for i := range a.actions {
			x := &a.actions[i]
			d.Actions = append(d.Actions, ActionRow{h, 1 + uint32(x.Index), t.when(x.Since)})
		}
		if len(a.actions) == 0 && base != 0 {
			d.Actions = append(d.Actions, ActionRow{Handle: h})
		}
	}
	if a.effectsAt > base {
		for i := range a.effects {
			x := &a.effects[i]
			d.Effects = append(d.Effects, EffectRow{h, 1 + uint32(x.Kind), t.when(x.Since), x.Source})
		}
		if len(a.effects) == 0 && base != 0 {
			d.Effects = append(d.Effects, EffectRow{Handle: h})
		}
	}
}

func (t *Tracker) when(since grid.Tick) uint32 {
	if since == 0 {
		return 0
	}
	return 1 + uint32(t.tick-since)
}
