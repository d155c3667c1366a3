package match

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// vectorReader is the client of the vectors in Go: bytes in, state out.
type vectorReader struct {
	*client.State
	players object
	names   object
}

func newVectorReader(m *grid.Map, derives bool) *vectorReader {
	return &vectorReader{client.New(client.Config{Map: client.OneMap(m), DerivesFog: derives}), object{}, object{}}
}

// take takes in one message and returns its content besides the state.
func (r *vectorReader) take(b []byte) (told object, err error) {
	f, err := r.Receive(b)
	if err != nil {
		return nil, err
	}
	told = object{}
	switch {
	case f.Welcome != nil:
		told["welcome"] = messageJSON(f.Welcome)
		if len(r.players) == 0 { // else it is back on its seat
			for i, p := range f.Welcome.Players {
				r.players[strconv.Itoa(i)] = int(p.State)
				r.names[strconv.Itoa(i)] = p.Name
			}
		}
		return told, nil
	case f.Waiting != nil:
		told["waiting"] = messageJSON(f.Waiting)
		if f.Speed != nil {
			told["speed"] = messageJSON(f.Speed)
		}
		if f.Votes != nil {
			told["votes"] = messageJSON(f.Votes)
		}
		r.tell(told, f)
		return told, nil
	case f.Closing != nil:
		told["closing"] = messageJSON(f.Closing)
		return told, nil
	}
	if r.MaskDiffers {
		return nil, fmt.Errorf("tick %d: the mask's hash is %d, the frame says %d", r.Tick(), r.MaskHash(), f.Diff.Hash)
	}
	for _, p := range f.Diff.Players {
		r.players[strconv.Itoa(int(p.Slot))] = int(p.State)
		if p.Name != "" {
			r.names[strconv.Itoa(int(p.Slot))] = p.Name
		}
	}
	if f.Budget != nil {
		told["budget"] = messageJSON(f.Budget)
	}
	if f.Speed != nil {
		told["speed"] = messageJSON(f.Speed)
	}
	if f.Votes != nil {
		told["votes"] = messageJSON(f.Votes)
	}
	r.tell(told, f)
	return told, nil
}

// messageJSON returns a message as protobuf's own JSON, with the names and
// numbers of the .proto file; fields with their zero value are left out.
func messageJSON(m proto.Message) any {
	b, err := protojson.MarshalOptions{UseProtoNames: true, UseEnumNumbers: true}.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return plain(json.RawMessage(b))
}

// tell notes the parts of a frame outside the held state.
func (r *vectorReader) tell(told object, f *wire.ServerFrame) {
	d := &f.Diff
	put := func(name string, rows []any) {
		if len(rows) > 0 {
			told[name] = rows
		}
	}
	if d.Skipped != 0 {
		told["skipped"] = d.Skipped
	}
	if d.Partial {
		told["partial"] = true
	}
	if d.HasHash {
		told["mask_hash"] = d.Hash
	}
	var sights []any
	for _, x := range d.Sights {
		sights = append(sights, object{"x": x.Tile.X, "y": x.Tile.Y, "radius": x.Radius, "flyer": x.Flyer, "level_bonus": x.LevelBonus, "ticks": x.Until})
	}
	put("sights", sights)
	var fire, events, said, handed, pinged, answers, cancelled, started []any
	for _, x := range d.Fire {
		fire = append(fire, object{"unit": x.Handle, "target": x.Target})
	}
	for _, e := range d.Events {
		events = append(events, object{"kind": e.Kind, "x": e.At.X, "y": e.At.Y, "what": e.What, "source": e.Source, "target": e.Target})
	}
	for _, s := range f.Said {
		if s.Handed != 0 {
			handed = append(handed, object{"slot": s.Slot, "back": sim.Handed(s.Handed) == sim.HandedBack, "units": s.Units})
			continue
		}
		said = append(said, object{"slot": s.Slot, "all": s.All, "text": s.Text})
	}
	for _, p := range f.Pinged {
		pinged = append(pinged, object{"slot": p.Slot, "kind": int32(p.Kind), "x": p.GetAt().GetX(), "y": p.GetAt().GetY()})
	}
	for _, a := range f.Answers {
		left := []any{}
		for i, unit := range a.LeftOut {
			code := uint32(0)
			if i < len(a.LeftOutCode) {
				code = a.LeftOutCode[i]
			}
			left = append(left, object{"unit": unit, "code": code})
		}
		answers = append(answers, object{"seq": a.Seq, "code": a.Code, "left_out": left})
	}
	if f.Own != nil {
		for _, c := range f.Own.Cancelled {
			cancelled = append(cancelled, object{"unit": c.Unit, "code": c.Code})
		}
		for _, s := range f.Own.Started {
			started = append(started, object{"request": s.Request, "handle": s.Handle})
		}
	}
	put("fire", fire)
	put("events", events)
	put("said", said)
	put("handed", handed)
	put("pinged", pinged)
	put("answers", answers)
	put("cancelled", cancelled)
	put("started", started)
}

// state returns all that the client holds.
func (r *vectorReader) state() object {
	out := object{"tick": 0, "entities": object{}, "ghosts": object{}, "visible": object{}, "explored": object{}, "mask_hash": 0, "players": r.players, "names": r.names, "scores": object{}, "own": object{}}
	c := r.Replica
	if c == nil {
		return out
	}
	out["tick"], out["mask_hash"], out["own"] = c.Tick, r.MaskHash(), r.ownState()
	if n := c.ShotsSeen(); n > 0 {
		out["shots_seen"] = n
	}
	for _, x := range c.Contacts {
		list, _ := out["contacts"].([]any)
		out["contacts"] = append(list, object{"class": x.Class, "x": x.Cell.X, "y": x.Cell.Y, "at": x.At})
	}
	entities, ghosts, scores, values := object{}, object{}, object{}, object{}
	for i, p := range c.Players {
		if p.Scored {
			scores[strconv.Itoa(i)] = p.Score
		}
		if p.Valued > 0 {
			values[strconv.Itoa(i)] = p.Values[:p.Valued]
			out["values"] = values
		}
	}
	out["scores"] = scores
	for h, e := range c.Entities {
		at := c.Pos(e, c.Tick)
		row := object{
			"type": e.Type, "owner": e.Owner, "x": at.X, "y": at.Y, "vx": e.Vel.X, "vy": e.Vel.Y,
		}
		for i, name := range view.ValueNames {
			if i == view.ValueHealth {
				name = "hp_missing"
			}
			row[name] = e.Values[i]
		}
		actions, effects := []any{}, []any{}
		for _, x := range e.Actions {
			actions = append(actions, object{"index": x.Index, "since": x.Since})
		}
		for _, x := range e.Effects {
			effects = append(effects, object{"kind": x.Kind, "since": x.Since, "source": x.Source})
		}
		row["actions"], row["effects"] = actions, effects
		values := object{}
		for _, v := range r.Welcome.Types[e.Type].Values {
			name := r.Welcome.Values[v.Value].Name
			if n, ok := r.Value(h, name); ok {
				values[name] = n
			}
		}
		row["values"] = values
		if shots := []uint32{e.Bursts[0].At(c.Tick), e.Bursts[1].At(c.Tick)}; shots[0]+shots[1] > 0 {
			row["shots"] = shots
		}
		if e.Course.Stands() {
			row["facing"] = e.Course.Facing()
		}
		entities[handleKey(h)] = row
	}
	for h, g := range c.Ghosts {
		ghosts[handleKey(h)] = object{
			"type": g.Type, "owner": g.Owner, "x": g.Pos.X, "y": g.Pos.Y, "facing": g.Facing, "hp_missing": g.Missing, "amount": g.Amount,
		}
	}
	out["entities"], out["ghosts"] = entities, ghosts
	out["visible"] = r.rows(r.Visible)
	out["explored"] = r.rows(r.Explored)
	if e := r.Ended; e != nil {
		winners, scores := []any{}, []any{}
		for _, t := range e.Winners {
			winners = append(winners, t)
		}
		for _, s := range e.Scores {
			scores = append(scores, object{"kills": s.Kills, "assists": s.Assists, "losses": s.Losses, "made": s.Made, "points": s.Points})
		}
		series := []any{}
		for _, s := range e.Series {
			series = append(series, object{"gathered": s.Gathered, "army": s.Army})
		}
		out["ended"] = object{"winners": winners, "reason": e.Reason, "scores": scores, "series_ticks": e.SeriesTicks, "series": series}
	}
	return out
}

func handleKey(h grid.Handle) string { return strconv.FormatUint(uint64(h), 10) }

// rows returns the rows of a mask that are not dark, in hexadecimal: eight tiles
// a byte, the western one in the low bit.
func (r *vectorReader) rows(has func(grid.Tile) bool) object {
	out := object{}
	row := make([]byte, (r.Map.W+7)/8)
	for y := range r.Map.H {
		clear(row)
		for x := range r.Map.W {
			if has(grid.Tile{X: int16(x), Y: int16(y)}) {
				row[x>>3] |= 1 << (x & 7)
			}
		}
		if len(bytes.Trim(row, "\x00")) > 0 {
			out[strconv.Itoa(y)] = hex.EncodeToString(row)
		}
	}
	return out
}

func (r *vectorReader) ownState() object {
	o, now := r.Own, r.Replica.Tick
	queues, rallies, tasks, ready, running, grants := object{}, object{}, object{}, object{}, object{}, object{}
	for h, q := range o.Queues {
		build := uint32(1)
		if t := q.Types[0]; int(t) < len(r.Welcome.Types) {
			build = max(1, r.Welcome.Types[t].BuildTicks)
		}
		queues[handleKey(h)] = object{"types": q.Types, "progress": min(255, uint64(q.Progress)+uint64(now-q.At)*255/uint64(build))}
	}
	for h, at := range o.Rallies {
		rallies[handleKey(h)] = object{"x": at.X, "y": at.Y}
	}
	for h, t := range o.Tasks {
		row := object{"kind": int32(wire.WireKind(orders.Kind(t.Doing)))}
		if t.HasTo {
			row["x"], row["y"] = t.To.X, t.To.Y
		}
		tasks[handleKey(h)] = row
	}
	for a, at := range o.Ready {
		if at <= now {
			continue
		}
		byAbility(ready, a, at)
	}
	for a, x := range o.Running {
		byAbility(running, a, object{"until": x.Until, "request": x.Request})
	}
	for a, grant := range o.Grants {
		byAbility(grants, a, grant)
	}
	resources := o.Resources
	if resources == nil {
		resources = []uint32{}
	}
	out := object{
		"resources": resources, "population": o.Population, "population_max": o.PopulationMax,
		"queues": queues, "rallies": rallies, "tasks": tasks, "ready": ready, "running": running, "grants": grants,
	}
	if len(o.Upgrades) > 0 {
		out["upgrades"] = o.Upgrades
	}
	if len(o.Passengers) > 0 {
		all := object{}
		for h, list := range o.Passengers {
			var rows [][2]uint32
			for _, p := range list {
				rows = append(rows, [2]uint32{uint32(p.Type), p.Missing})
			}
			all[handleKey(h)] = rows
		}
		out["passengers"] = all
	}
	for i, name := range view.OwnerValueNames {
		values := object{}
		for h, n := range o.Values[i] {
			values[handleKey(h)] = n
		}
		out[name] = values
	}
	return out
}

// byAbility puts a unit's held ability under its handle and index.
func byAbility(out object, a client.Ability, what any) {
	of, ok := out[handleKey(a.Unit)].(object)
	if !ok {
		of = object{}
		out[handleKey(a.Unit)] = of
	}
	of[strconv.Itoa(int(a.Index))] = what
}

// readStream plays a stream to a client and compares its events and state after each
// message from number `from` on.
func readStream(m *grid.Map, s *vectorStream, from int) error {
	r := newVectorReader(m, s.DerivesFog)
	var held any = object{}
	for i := range s.Messages {
		msg := &s.Messages[i]
		if msg.Server == nil {
			continue
		}
		told, err := r.take(msg.Server)
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		var patch any = object{}
		if msg.State != nil {
			if err := json.Unmarshal(msg.State, &patch); err != nil {
				return fmt.Errorf("message %d: state: %w", i, err)
			}
		}
		held = mergePatch(held, patch)
		if i < from {
			continue
		}
		want := msg.Told
		if want == nil {
			want = json.RawMessage("{}")
		}
		if got, want := jsonOf(told), jsonOf(plain(want)); !bytes.Equal(got, want) {
			return fmt.Errorf("message %d told %s, not %s", i, got, want)
		}
		if p, differs := patchOf(held, plain(r.state())); differs {
			return fmt.Errorf("message %d: the state differs by %s", i, jsonOf(p))
		}
	}
	return nil
}
