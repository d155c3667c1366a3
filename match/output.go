package match

import (
	"math/rand/v2"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// output makes all that clients are sent of the match.
type output struct {
	seats    *seats
	feeds    *feed.Match
	players  *feed.Feed
	welcome  *pb.Welcome
	cache    *view.Cache
	cachedAt grid.Tick   // that the cache was prepared for
	hand     grid.Runner // helpers; nil: not asked for yet
	budgets  budgets
}

// begin makes the feeds of the match that spec describes.
func (f *output) begin(spec *Spec, w *sim.World) {
	f.feeds = feed.NewMatch(spec.Map, spec.Rules, len(spec.Seats))
	f.feeds.TickRate, f.feeds.BytesPerS, f.feeds.EveryTick, f.feeds.Counter = w.TickRate(), f.bytesPerS(), spec.EveryTick, f.seats.host.metrics
	f.feeds.Beat = view.BeatOf(spec.Rules, w.TickRate())
	f.players, f.welcome, f.cache = f.feeds.ForPlayers(), spec.Welcome(w), view.NewCache(w)
}

// look makes the views of this tick, of the teams that have a player. synced is how many
// records are on disk.
func (f *output) look(synced uint64) {
	if f.players.Keep(f.seats.attended) {
		f.prepare()
		w := f.seats.world
		f.players.Look(feed.Source{World: w, Cache: f.cache, Away: f.seats.away(), StandIn: f.seats.standIns(), Result: w.Result(), Synced: synced})
	}
}

// prepare prepares the cache for this tick.
func (f *output) prepare() {
	if now := f.seats.world.Tick(); f.cachedAt != now {
		f.cache.Prepare(f.seats.world)
		f.cachedAt = now
	}
}

// lacking returns the connected players whose clients lack a part of their team's view.
func (f *output) lacking() (out grid.SlotSet) {
	for _, st := range f.seats.all {
		if st.conn != nil && f.players.Lacks(st.conn.Receiver) {
			out = out.With(st.slot)
		}
	}
	return out
}

// rename tells all clients the new player of a seat: newcomers with the welcome, the
// others with their next frame.
func (f *output) rename(slot grid.Slot) {
	p := &f.seats.spec.Seats[slot]
	f.welcome.Players[slot].Name, f.welcome.Players[slot].Bot = p.Name, p.Bot
	f.feeds.Renamed(slot, p.Name)
}

// budgets are the limits that were set while the match ran; 0: not set.
type budgets struct{ host, operator int }

// takeBudget takes in a change, live or from the journal.
func (f *output) takeBudget(in *sim.Input) {
	switch n := int(in.Seq); {
	case int(in.Slot) < len(f.seats.all):
		f.seats.all[in.Slot].bytesPerS = n
	case in.All:
		f.budgets.operator = n
	default:
		f.budgets.host = n
	}
	f.feeds.BytesPerS = f.bytesPerS()
	for _, st := range f.seats.all {
		if st.conn != nil {
			st.conn.BytesPerS = st.bytesPerS
		}
	}
}

// bytesPerS is the budget of clients without their own; 0: no limit.
func (f *output) bytesPerS() int {
	if f.budgets.operator > 0 {
		return f.budgets.operator
	}
	n := f.seats.host.cfg.BytesPerS
	if h := f.budgets.host; h > 0 && (n == 0 || h < n) {
		n = h
	}
	return n
}

// ShareFrom is from how many entities on a match lets helpers compute parts of its
// ticks, besides routes. For fewer, to wake a helper costs more than it saves.
const ShareFrom = 4096

var shareFrom = ShareFrom // tests share from the first entity on

// share decides who computes the tick: this goroutine alone, or helpers with it. The
// result is the same. A helper's panic is a panic of the tick.
func (f *output) share() {
	if f.hand == nil {
		f.hand = f.seats.host.helpers.Hand().Run
	}
	var run grid.Runner
	if f.seats.world.Len() >= shareFrom {
		run = f.hand
	}
	f.seats.world.SetRouteRunner(f.hand)
	f.seats.world.SetRunner(run)
	f.cache.Run, f.feeds.Run = run, run
}

// serversMax is how many other servers a welcome names.
const serversMax = 4

// otherServers returns some of the servers that a client may ask where its match is:
// different ones for each client, to spread the questions.
func otherServers(known func() []string) []string {
	if known == nil {
		return nil
	}
	all := slices.Clone(known())
	if len(all) <= serversMax {
		return all
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:serversMax]
}

// welcomeTo returns the first message of a connection. It writes the client's own fields
// into the match's welcome: a copy would cost more than the rest.
func (f *output) welcomeTo(st *seat) []byte {
	out := f.welcome
	out.Team, out.Slot, out.Resume = uint32(st.team), uint32(st.slot), f.seats.host.newToken(st.right)
	out.BytesPerS = uint32(f.feeds.Allowed(st.conn.Receiver))
	out.Servers = otherServers(f.seats.host.cfg.Servers)
	out.Spectator, out.DelayTicks = st.screen != nil, 0
	if st.screen != nil {
		out.DelayTicks = uint32(st.screen.delay)
	}
	faction := uint8(0)
	if st.slot != grid.NoSlot && st.screen == nil {
		faction = f.seats.spec.Seats[st.slot].Faction
	}
	spec.Narrow(out, f.seats.spec.Rules, faction)
	b, err := proto.Marshal(&pb.ServerFrame{Welcome: out})
	if err != nil {
		panic("match: a welcome is plain data: " + err.Error())
	}
	return b
}
