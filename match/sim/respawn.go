package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// A mode of the ruleset brings units back: the end of a unit starts a wait, and the mode's tick makes the unit anew.

// waitsMax bounds the waits of a match. A unit that ends while there are so many does not come back.
const waitsMax = 256

// wait is the time between the end of a unit and its return.
type wait struct {
	end  grid.Tick
	at   grid.Tile // of the end
	slot grid.Slot
	rule uint8 // in the mode's respawns
}

// respawns returns the mode's respawns.
func (w *World) respawns() []rules.Respawn {
	if def := w.declared(); def != nil {
		return def.Respawns
	}
	return nil
}

// await starts the wait of a unit that was removed, if its type comes back and its player has returns left.
func (w *World) await(e *Entity) {
	list := w.respawns()
	i := slices.IndexFunc(list, func(r rules.Respawn) bool { return r.Type == e.typ })
	if i < 0 || int(e.slot) >= len(w.players) || !w.players[e.slot].alive || len(w.guest.waits) >= waitsMax {
		return
	}
	used := &w.guest.returns[i][e.slot]
	if *used >= list[i].Limit {
		return
	}
	*used++
	w.guest.waits = append(w.guest.waits, wait{w.tick + grid.Tick(int64(list[i].DelayMs)*int64(w.rate)/1000), e.Tile(), e.slot, uint8(i)})
}

// awaits reports whether a unit of the player comes back.
func (w *World) awaits(p *player) bool {
	return slices.ContainsFunc(w.guest.waits, func(x wait) bool { return x.slot == p.slot })
}

// comeBack makes the units whose wait is over, and shows their teams the seconds until the next return. A unit without
// room waits for another second.
func (m rulesetMode) comeBack(w *World) {
	for i := range m.def.Respawns {
		if v := m.def.Respawns[i].Value; v >= 0 {
			w.guest.values[v] = [grid.TeamsMax]int32{}
		}
	}
	w.guest.waits = slices.DeleteFunc(w.guest.waits, func(x wait) bool { return !w.players[x.slot].alive })
	for i := 0; i < len(w.guest.waits); {
		x := &w.guest.waits[i]
		r := &m.def.Respawns[x.rule]
		if x.end <= w.tick {
			if at, radius := w.returnPlace(m.def, x); w.spawnAround(r.Type, 1, x.slot, at, radius) {
				w.guest.waits = slices.Delete(w.guest.waits, i, i+1)
				continue
			}
			x.end = w.tick + grid.Tick(w.rate)
		}
		if r.Value >= 0 {
			left := (int32(x.end-w.tick) + w.rate - 1) / w.rate
			if v := &w.guest.values[r.Value][w.players[x.slot].team]; *v == 0 || left < *v {
				*v = left
			}
		}
		i++
	}
}

// returnPlace returns the circle, in tiles, in which a unit comes back: around the player's finished structure nearest to
// its end, if the mode names a type and the player has one; else the area.
func (w *World) returnPlace(def *rules.Mode, x *wait) (out grid.Tile, radius int16) {
	r := &def.Respawns[x.rule]
	a := &def.Areas[r.Area]
	out, radius = areaMiddle(w.m, a), int16(a.Radius/grid.WUPerTile)
	if a.AtStart {
		out = w.m.Starts[w.players[x.slot].start]
	}
	nearest := -1
	for _, e := range w.all {
		if int(e.typ) != r.Near || e.slot != x.slot || e.unbuilt || e.dying {
			continue
		}
		if d := int(e.Tile().Dist2(x.at)); nearest < 0 || d < nearest {
			t := &w.rules.Types[e.typ]
			out, radius, nearest = e.Tile(), int16(t.FootW)+int16(t.FootH), d
		}
	}
	return out, radius
}

// respawnState is state of modes with respawns.
func (w *World) respawnState(a *archive.Archive) {
	list := w.respawns()
	if len(list) == 0 {
		return
	}
	for i := range list {
		for s := range w.players {
			archive.Half(a, &w.guest.returns[i][s])
		}
	}
	archive.List(a, &w.guest.waits, 14, func(x *wait) {
		archive.Word(a, &x.end)
		saveTile(a, &x.at)
		archive.Octet(a, &x.slot)
		if archive.Octet(a, &x.rule); int(x.slot) >= len(w.players) || int(x.rule) >= len(list) {
			a.Fail("a unit of player %d waits for its return by rule %d", x.slot, x.rule)
		}
	})
	if len(w.guest.waits) > waitsMax {
		a.Fail("%d units wait for their return, at most %d", len(w.guest.waits), waitsMax)
	}
}
