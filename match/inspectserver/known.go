package inspectserver

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspect"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// contactsMax bounds the contacts of one answer.
const contactsMax = 2000

// behindSeconds is how old an acknowledged frame may be for its tick to be compared.
const behindSeconds = 30

// known compares a team's knowledge with the frames of its clients.
func (o *opening) known(ctx context.Context, t *uint32, team int) (out Known, err error) {
	var now *inspect.Seen
	if err = o.at(ctx, t, func(c *cursor, l *inspect.Look) error {
		if err := c.hasTeam(team); err != nil {
			return err
		}
		s := l.State(team, false)
		out = Known{Tick: s.Tick, Team: team, Entities: s.Counts, Contacts: l.Contacts(grid.Team(team)), Radar: l.Radar(grid.Team(team)), Clients: []Client{}}
		out.Contacts = append([]inspect.Contact{}, out.Contacts[:min(len(out.Contacts), contactsMax)]...)
		now = l.Seen(team)
		return nil
	}); err != nil {
		return out, err
	}
	defer func() {
		if err == nil {
			err = o.reports(&out)
		}
	}()
	if t == nil && o.s.cfg.Live != nil && !o.rec.Over() {
		tick, list, err := o.s.cfg.Live.Holdings(ctx, o.id, grid.Team(team))
		if err == nil {
			for i := range list {
				out.Clients = append(out.Clients, o.clientOf(tick, &list[i]))
			}
			return out, o.compare(ctx, &out, now, list, grid.Team(team))
		}
		if !errors.Is(err, spec.ErrNoMatch) {
			return out, err
		}
	}
	if err := o.fromNotes(&out, now.Tick(), grid.Team(team)); err != nil {
		return out, err
	}
	return out, o.compare(ctx, &out, now, nil, grid.Team(team))
}

// clientOf is the state of a client of a match that runs here.
func (o *opening) clientOf(tick grid.Tick, h *feed.Holding) Client {
	c := Client{Slot: int(h.Slot), Name: o.nameOf(h.Slot), Source: "none", At: uint32(tick), Rows: []ClientRow{}}
	if !h.Connected {
		return c
	}
	c.Source, c.Base, c.Sent, c.Acked, c.HeldSince, c.Pending = "live", uint32(h.Base), uint32(h.Sent), uint32(h.Acked), uint32(h.Mute), h.LacksAll
	c.LateMs, c.InFlight, c.Limit, c.Budget = max(0, h.Late)*1000/o.rate(), h.InFlight, h.Limit, h.Allowed
	types := o.rec.Setup.Rules.Types
	for _, l := range h.Lacks {
		row := ClientRow{Handle: uint32(l.Handle), What: l.What.String(), X: inspect.Tiles(l.At.X), Y: inspect.Tiles(l.At.Y), Since: uint32(l.Since), Behind: int(tick - l.Since)}
		if row.What != "gone" && int(l.Type) < len(types) {
			row.Type = types[l.Type].Name
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

func (o *opening) nameOf(s grid.Slot) string {
	if int(s) < len(o.rec.Seats) {
		return o.rec.Seats[s].Name
	}
	return ""
}

// fromNotes reads the notes of the team's clients in the last second before a tick.
func (o *opening) fromNotes(out *Known, tick grid.Tick, team grid.Team) error {
	n, err := o.notes()
	if err != nil {
		return err
	}
	out.NotRecorded = "which entities were held back from a client is known only at the newest tick of a match that runs on this server"
	if n == nil {
		out.NotRecorded = "this server has no notes about the match and does not run it: the data sent to its clients is unknown"
	}
	for i, p := range o.rec.Setup.Players {
		if p.Team != team {
			continue
		}
		c := Client{Slot: i, Name: o.nameOf(grid.Slot(i)), Source: "none", At: uint32(tick), Rows: []ClientRow{}}
		if x := linkAt(n, grid.Slot(i), tick, grid.Tick(o.rate())); x != nil {
			c.Source, c.At, c.Sent, c.Acked, c.Pending = "notes", uint32(x.Tick), uint32(x.Frame), uint32(x.Acked), x.Pending
			c.LateMs, c.InFlight, c.Limit, c.Budget = x.Late, x.InFlight, x.Limit, x.Budget
		}
		out.Clients = append(out.Clients, c)
	}
	return nil
}

// reportSeconds is how long a client's report stands.
const reportSeconds = 120

// reports adds the last report of each client.
func (o *opening) reports(out *Known) error {
	n, err := o.notes()
	if n == nil {
		return err
	}
	for i := range out.Clients {
		c := &out.Clients[i]
		for _, r := range n.Reports {
			if int(r.Slot) == c.Slot && uint32(r.Tick) <= c.At && c.At-uint32(r.Tick) < uint32(reportSeconds*o.rate()) {
				c.Report = &Report{uint32(r.Tick), r.Seconds, r.Frames, r.Late, r.Gaps, r.LongestMs, r.TripMs, r.Corrections, r.Drawn, r.Slow}
			}
		}
	}
	return nil
}

// linkAt returns the notes of a slot in the second before a tick, or nil.
func linkAt(n *notes.Notes, s grid.Slot, t, second grid.Tick) *notes.Link {
	if n == nil {
		return nil
	}
	for i := sort.Search(len(n.Links), func(i int) bool { return n.Links[i].Tick > t }) - 1; i >= 0 && n.Links[i].Tick+second > t; i-- {
		if n.Links[i].Slot == s {
			return &n.Links[i]
		}
	}
	return nil
}

// compare lists the team's new knowledge since the frame that each client has applied,
// and which entities the handles of held back rows name.
func (o *opening) compare(ctx context.Context, out *Known, now *inspect.Seen, list []feed.Holding, team grid.Team) error {
	for i := range out.Clients {
		c := &out.Clients[i]
		acked := grid.Tick(c.Acked)
		if acked == 0 || acked < o.rec.First() || acked > now.Tick() || now.Tick()-acked > grid.Tick(behindSeconds*o.rate()) {
			continue
		}
		if err := o.at(ctx, &c.Acked, func(_ *cursor, l *inspect.Look) error {
			diff := now.Since(l.Seen(int(team)))
			c.Behind = &Behind{From: c.Acked, Entered: ids(diff.Entered), Changed: ids(diff.Changed), Left: diff.Left}
			return nil
		}); err != nil {
			return err
		}
	}
	if list == nil {
		return nil
	}
	tick := uint32(now.Tick())
	return o.at(ctx, &tick, func(_ *cursor, l *inspect.Look) error {
		for i := range out.Clients {
			var handles []grid.Handle
			for _, r := range out.Clients[i].Rows {
				handles = append(handles, grid.Handle(r.Handle))
			}
			for k, id := range l.IDs(team, handles) {
				if out.Clients[i].Rows[k].What != "gone" { // that handle may name another by now
					out.Clients[i].Rows[k].ID = id
				}
			}
		}
		return nil
	})
}

func ids(list []inspect.Entity) []uint32 {
	out := make([]uint32, 0, len(list))
	for i := range list {
		out = append(out, list[i].ID)
	}
	return out
}

// Bytes is the size of the frames of some ticks for a client with a team's eyes that takes one each tick.
type Bytes struct {
	From     uint32      `json:"from" doc:"the first tick"`
	To       uint32      `json:"to" doc:"the last tick"`
	Team     int         `json:"team"`
	Total    int         `json:"total" doc:"bytes of payload, without private data of single players"`
	Placed   int         `json:"placed" doc:"bytes about entities, part of total"`
	Classes  []BytesOf   `json:"classes" doc:"by class of entity; \"none\": not about an entity"`
	Parts    []BytesOf   `json:"parts" doc:"by part of the message; docs/reference/protocol.md has them all"`
	Tiles    []TileBytes `json:"tiles" doc:"bytes about the entities that were there, by index of the tile"`
	Entities []BytesID   `json:"entities" doc:"the 50 entities with the most bytes"`
}

// BytesOf is the size of a class or a part.
type BytesOf struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Rows  int    `json:"rows"`
}

// TileBytes is the size of a tile's entities.
type TileBytes struct {
	Tile  int `json:"tile" doc:"its index, row by row"`
	Bytes int `json:"bytes"`
}

// BytesID is the size of an entity.
type BytesID struct {
	ID    uint32 `json:"id"`
	Bytes int    `json:"bytes"`
	Rows  int    `json:"rows"`
}

// bytesEntitiesMax bounds the entities of one answer about bytes.
const bytesEntitiesMax = 50

// bytesOf makes the frames of some ticks up to one, and counts.
func (o *opening) bytesOf(ctx context.Context, t *uint32, team, ticks int) (out Bytes, err error) {
	err = o.at(ctx, t, func(c *cursor, l *inspect.Look) error {
		if err := c.hasTeam(team); err != nil {
			return err
		}
		to := l.Tick()
		from := max(o.rec.First(), to-min(to, grid.Tick(ticks)))
		out = Bytes{From: uint32(min(from+1, to)), To: uint32(to), Team: team, Classes: []BytesOf{}, Parts: []BytesOf{}, Tiles: []TileBytes{}, Entities: []BytesID{}}
		set := &o.rec.Setup
		frames := feed.NewMatch(set.Map, set.Rules, len(set.Players))
		frames.TickRate = o.rate()
		probe := frames.NewProbe(grid.Team(team))
		var sizes wire.Sizes
		sum := sum{team: grid.Team(team), spots: map[grid.Handle]spot{}, tiles: map[int]int{}, ids: map[uint32]*BytesID{}}
		for at := from; at <= to; at++ {
			c, err := o.cursorAt(ctx, at)
			if err != nil {
				return err
			}
			sum.at(inspect.At(c.World()))
			probe.Look(c.World(), sum.row, &sizes)
		}
		sum.fill(&out, &sizes)
		return nil
	})
	return out, err
}

// sum adds up bytes by tile and entity.
type sum struct {
	team   grid.Team
	spots  map[grid.Handle]spot // where the team's handles were, as of this tick and the last
	tiles  map[int]int
	ids    map[uint32]*BytesID
	placed int
}

// spot is the place of a handle's entity.
type spot struct {
	id   uint32
	tile int
}

// at notes where everything is before the frame of a tick is looked at. A departed entity keeps the place where it was.
func (s *sum) at(l *inspect.Look) {
	for _, p := range l.Places(s.team) {
		s.spots[p.Handle] = spot{p.ID, p.Tile}
	}
}

func (s *sum) row(_ wire.Part, h grid.Handle, _ pb.TypeClass, bytes int) {
	at, ok := s.spots[h]
	if !ok {
		return
	}
	s.placed += bytes
	s.tiles[at.tile] += bytes
	e := s.ids[at.id]
	if e == nil {
		e = &BytesID{ID: at.id}
		s.ids[at.id] = e
	}
	e.Bytes, e.Rows = e.Bytes+bytes, e.Rows+1
}

func (s *sum) fill(out *Bytes, sizes *wire.Sizes) {
	out.Placed = s.placed
	var parts [wire.Parts]BytesOf
	var classes [wire.Classes]BytesOf
	sizes.Each(func(p wire.Part, c pb.TypeClass, n wire.Count) {
		parts[p].Name, classes[c].Name = p.String(), wire.ClassName(c)
		for _, x := range []*BytesOf{&parts[p], &classes[c]} {
			x.Bytes, x.Rows = x.Bytes+int(n.Bytes), x.Rows+int(n.Rows)
		}
		out.Total += int(n.Bytes)
	})
	unused := func(x BytesOf) bool { return x.Name == "" }
	out.Parts = append(out.Parts, slices.DeleteFunc(parts[:], unused)...)
	out.Classes = append(out.Classes, slices.DeleteFunc(classes[:], unused)...)
	for t, n := range s.tiles {
		out.Tiles = append(out.Tiles, TileBytes{t, n})
	}
	slices.SortFunc(out.Tiles, func(a, b TileBytes) int { return a.Tile - b.Tile })
	for _, e := range s.ids {
		out.Entities = append(out.Entities, *e)
	}
	slices.SortFunc(out.Entities, func(a, b BytesID) int { return cmp.Or(b.Bytes-a.Bytes, cmp.Compare(a.ID, b.ID)) })
	out.Entities = out.Entities[:min(len(out.Entities), bytesEntitiesMax)]
}
