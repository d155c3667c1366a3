package cluster

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/match/cluster/placement"
)

// entry is the directory's entry of a match.
type entry struct {
	Node        string `json:"node"`
	Incarnation uint64 `json:"inc"`
	Sim         string `json:"sim"`

	contact time.Duration // when its owner was heard to have it, for the last time
	clients int           // that it had then
}

func (e entry) owner() owner { return owner{e.Node, e.Incarnation} }

func readEntry(data []byte) (e entry, err error) {
	if len(data) > maxEntryBytes {
		return e, fmt.Errorf("an entry of %d bytes", len(data))
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, err
	}
	if !ValidName(e.Node) || !plainTexts.MatchString(e.Sim) {
		return e, errors.New("an entry that cannot be")
	}
	return e, nil
}

// orphan is a match that no living node runs.
type orphan struct {
	match, sim string
	former     string        // the node that had it; "": not known
	since      time.Duration // it needs a node
	nodes      []string      // that take it, in turn
	planned    time.Duration
	next       time.Duration // this node does not try it before
	tries      int
	busy       bool // this node tries it now
}

// core decides a node's actions. It has no clock, no socket and no goroutine: its caller reports each event and its
// time. One goroutine calls it at a time.
type core struct {
	times
	self    Node
	members *members
	joined  time.Duration
	contact time.Duration // the last own heartbeat
	looked  time.Duration // the last step
	steady  time.Duration // heard without a gap since then
	swept   time.Duration // the last look for entries without an announcement

	entries map[string]entry // the directory
	byOwner map[owner]map[string]bool
	unknown map[owner]time.Duration // owners of entries that were never heard, since when
	running map[string]bool         // here
	foreign map[string]time.Duration
	moving  map[string]owner         // matches that are on their way from here, and to whom
	expects map[string]time.Duration // matches that are on their way to here, since when
	orphans map[string]*orphan
	cannot  map[string]bool // orphans that this build does not play
	crowded bool            // the directory is full
	planned string          // the nodes that the plans are for

	streams map[string]int // of the journal store, matches that run here
}

func newCore(t times, self Node, now time.Duration) *core {
	self.State = Alive
	c := &core{
		times: t, self: self, members: newMembers(t, self.owner()), joined: now,
		running: map[string]bool{}, foreign: map[string]time.Duration{}, moving: map[string]owner{}, expects: map[string]time.Duration{},
		orphans: map[string]*orphan{}, cannot: map[string]bool{},
	}
	c.forgetDirectory()
	c.members.hear(now, c.heartbeat())
	c.members.ownBeats = 0
	c.contact, c.looked, c.steady = now, now, now-t.suspect
	return c
}

func (c *core) owner() owner { return c.self.owner() }

// hear takes in a heartbeat. It returns the matches of this node that the other takes: the other may suspect this node.
func (c *core) hear(now time.Duration, b heartbeat) (doubted []string) {
	before := c.members.ownBeats
	c.members.hear(now, b)
	if c.members.ownBeats > before {
		if now-c.contact >= c.suspect {
			c.steady = now
		}
		c.contact = now
	}
	if b.Name != c.self.Name {
		doubted = c.ofThisNode(b.Taking)
	}
	return doubted
}

// ofThisNode returns which of the matches run here.
func (c *core) ofThisNode(matches []string) []string {
	return slices.DeleteFunc(slices.Clone(matches), func(m string) bool { return !c.running[m] })
}

// heartbeat returns the heartbeat of this node.
func (c *core) heartbeat() heartbeat {
	var taking []string
	for _, o := range c.orphans {
		if o.busy {
			taking = append(taking, o.match)
		}
	}
	slices.Sort(taking)
	return heartbeat{V: beatVersion, Node: c.self, Taking: taking[:min(len(taking), maxTaking)], Streams: c.streams}
}

// forgetDirectory empties the memory of the directory: it is read anew.
func (c *core) forgetDirectory() {
	c.entries, c.byOwner, c.unknown, c.crowded = map[string]entry{}, map[owner]map[string]bool{}, map[owner]time.Duration{}, false
}

// learn takes in an entry of the directory; nil: it was deleted.
func (c *core) learn(now time.Duration, match string, e *entry) {
	if !matchNames.MatchString(match) {
		return
	}
	old, ok := c.entries[match]
	if ok {
		delete(c.entries, match)
		if of := c.byOwner[old.owner()]; of != nil {
			delete(of, match)
			if len(of) == 0 {
				delete(c.byOwner, old.owner())
				delete(c.unknown, old.owner())
			}
		}
	}
	if e == nil {
		if o := c.orphans[match]; o != nil && !o.busy && !c.running[match] {
			delete(c.orphans, match) // it is over
			delete(c.cannot, match)
		}
		return
	}
	if len(c.entries) >= MaxDirectory || len(c.byOwner[e.owner()]) >= MaxMatchesOfNode {
		c.crowded = true
		return
	}
	if e.owner() != c.owner() && e.owner() != old.owner() {
		delete(c.expects, match) // it went elsewhere
	}
	copied := *e
	copied.contact = now
	if e.clients == 0 { // the bucket does not say it
		copied.clients = old.clients
	}
	c.entries[match] = copied
	of := c.byOwner[e.owner()]
	if of == nil {
		of = map[string]bool{}
		c.byOwner[e.owner()] = of
	}
	of[match] = true
	c.settled(match)
}

// owns is a node's announcement of its matches to the others, past the journal store: it arrives at once, and also while the journal store
// elects a leader.
type owns struct {
	V           int      `json:"v"`
	Name        string   `json:"name"`
	Incarnation uint64   `json:"inc"`
	New         bool     `json:"new"`  // they are its own since now; otherwise it repeats its last announcement
	Over        bool     `json:"over"` // they are over: it was about to take them, and found no match to run
	Lost        bool     `json:"lost"` // no node runs them, and their journals have no end
	Matches     []string `json:"matches"`
	Clients     []int    `json:"clients,omitempty"` // of each, that are connected; a node of an older build does not say it
}

// mostOwns is how many matches one such message names.
const mostOwns = 200

func readOwns(data []byte) (o owns, err error) {
	if len(data) > maxBeatBytes {
		return o, fmt.Errorf("a message of %d bytes", len(data))
	}
	if err := json.Unmarshal(data, &o); err != nil {
		return o, err
	}
	if o.V != beatVersion || !ValidName(o.Name) || len(o.Clients) > len(o.Matches) || slices.ContainsFunc(o.Clients, func(n int) bool { return n < 0 || n > maxClients }) || len(o.Matches) > mostOwns || slices.ContainsFunc(o.Matches, func(m string) bool { return !matchNames.MatchString(m) }) {
		return o, errors.New("a list of matches that cannot be")
	}
	return o, nil
}

// told takes in a living node's announcement of its matches. A repeated announcement does not take a match from another
// living node that announces it too: its sender may have been stopped, and not know yet that it was replaced. If the
// other has not announced the match for long, its last announcement came late. It returns the matches of this node that
// the other says to have taken.
func (c *core) told(now time.Duration, o owns) (doubted []string) {
	of := owner{o.Name, o.Incarnation}
	m := c.members.byName[o.Name]
	if of == c.owner() || m == nil || !c.members.lives(of) {
		return nil
	}
	if o.New {
		doubted = c.ofThisNode(o.Matches)
	}
	for i, match := range o.Matches {
		clients := 0
		if i < len(o.Clients) {
			clients = o.Clients[i]
		}
		if o.New {
			delete(c.expects, match)
		}
		e, ok := c.entries[match]
		switch {
		case o.Lost:
			c.orphaned(now, match)
			continue
		case o.Over:
			if !c.running[match] && !(ok && c.members.lives(e.owner())) {
				c.learn(now, match, nil)
			}
			continue
		case ok && e.owner() == of:
			e.contact, e.clients = now, clients
			c.entries[match] = e
			continue
		case o.New:
		case c.running[match], ok && c.members.lives(e.owner()) && now-e.contact < 2*c.tell+c.suspect:
			continue
		}
		c.learn(now, match, &entry{Node: o.Name, Incarnation: o.Incarnation, Sim: m.Sim, clients: clients})
	}
	return doubted
}

// settled drops an orphan that has a living owner by now.
func (c *core) settled(match string) {
	o := c.orphans[match]
	if o == nil || o.busy {
		return
	}
	if e, ok := c.entries[match]; c.running[match] || ok && e.owner() != c.owner() && c.members.lives(e.owner()) {
		delete(c.orphans, match)
		delete(c.cannot, match)
	}
}

// dead reports whether an owner of entries is to be replaced.
func (c *core) dead(now time.Duration, o owner) bool {
	switch {
	case o == c.owner(), c.members.lives(o):
		delete(c.unknown, o)
		return false
	case c.members.over(o):
		return true
	}
	since, ok := c.unknown[o]
	if !ok {
		since = now
		c.unknown[o] = now
	}
	return now-since >= c.settle
}

// orphaned notes a match that needs a node.
func (c *core) orphaned(now time.Duration, match string) {
	if c.orphans[match] != nil || c.running[match] || len(c.orphans) >= MaxDirectory || !matchNames.MatchString(match) {
		return
	}
	if _, leaving := c.moving[match]; leaving {
		return
	}
	e := c.entries[match]
	c.orphans[match] = &orphan{match: match, sim: e.Sim, former: e.Node, since: now}
}

// step looks for dead nodes, and returns the matches that this node should take over now, in order. The caller calls
// begun for each takeover that it starts.
func (c *core) step(now time.Duration) []string {
	// A node that was cut off or stopped first hears the news.
	if now-c.contact >= c.suspect || now-c.looked >= c.suspect {
		c.steady = now
	}
	c.looked = now
	if now-c.steady < c.suspect {
		clear(c.foreign)
		return nil
	}
	c.members.check(now)
	for o, matches := range c.byOwner {
		// A former life of this node is over. At its own second heartbeat this node has heard which matches the others take
		// already, and they have heard it. For the matches of other nodes it waits for their first heartbeats.
		if (o.name == c.self.Name && c.members.ownBeats > 1 || now-c.joined >= c.suspect) && c.dead(now, o) {
			for m := range matches {
				c.orphaned(now, m)
			}
		}
		if o == c.owner() { // entries that name this node, and it does not run the match
			for m := range matches {
				if c.running[m] {
					delete(c.foreign, m)
				} else if c.held(now, m) {
					c.orphaned(now, m)
				}
			}
		}
	}
	for m := range c.orphans {
		c.settled(m)
	}
	if now-c.swept >= c.tell {
		c.swept = now
		c.sweep(now)
	}
	c.plan(now)
	return c.due(now)
}

// sweep forgets entries that their living owner has not said for long: the word that the match is
// over came before the last word that it runs.
func (c *core) sweep(now time.Duration) {
	for m, e := range c.entries {
		if now-max(e.contact, c.steady) > 6*c.tell && e.owner() != c.owner() && c.members.lives(e.owner()) {
			c.learn(now, m, nil)
		}
	}
}

// held reports whether something has been so of a match for the time that a node needs to take
// it or to hand it over.
func (c *core) held(now time.Duration, match string) bool {
	since, ok := c.foreign[match]
	if !ok {
		c.foreign[match] = now
		return false
	}
	return now-since >= 2*c.settle
}

// plan says who takes the orphans. A plan holds while the same nodes live, and until all its nodes
// have had their turn.
func (c *core) plan(now time.Duration) {
	if len(c.orphans) == 0 {
		return
	}
	var nodes []placement.Node
	var names strings.Builder
	for _, n := range c.members.living() {
		of := placement.Node{Name: n.Name, Sim: n.Sim, Draining: n.Draining, Load: c.members.byName[n.Name].steady()}
		nodes = append(nodes, of)
		fmt.Fprintf(&names, "%s %d %s %t\n", n.Name, n.Incarnation, n.Sim, n.Draining)
	}
	changed := names.String() != c.planned
	c.planned = names.String()
	var open []placement.Match
	for _, o := range c.orphans {
		if o.nodes == nil || changed && !o.busy || now-o.planned >= delay(placement.Ranks) {
			open = append(open, placement.Match{ID: o.match, Sim: o.sim, Former: o.former})
		}
	}
	if len(open) == 0 {
		return
	}
	for _, p := range placement.TakeOvers(nodes, open) {
		o := c.orphans[p.Match]
		o.nodes, o.planned = append([]string{}, p.Nodes...), now
	}
}

// due returns the orphans whose turn it is here.
func (c *core) due(now time.Duration) []string {
	type turn struct {
		match         string
		rank, clients int
	}
	var turns []turn
	claimed := c.claims()
	for _, o := range c.orphans {
		if o.busy || now < o.next || c.cannot[o.match] || claimed[o.match] {
			continue
		}
		rank := 0
		own := false
		for _, n := range o.nodes {
			if own = n == c.self.Name; own {
				break
			}
			if m := c.members.byName[n]; m != nil && m.State == Alive {
				rank++
			}
		}
		if own && now-o.planned >= c.turn(o.match, rank) {
			turns = append(turns, turn{o.match, rank, c.entries[o.match].clients})
		}
	}
	// The matches with the most clients come first. A node that takes over another's turn begins at that node's last match.
	slices.SortFunc(turns, func(a, b turn) int {
		order := cmp.Or(cmp.Compare(b.clients, a.clients), cmp.Compare(a.match, b.match))
		if a.rank > 0 {
			order = -order
		}
		return cmp.Or(cmp.Compare(a.rank, b.rank), order)
	})
	out := make([]string, len(turns))
	for i, t := range turns {
		out[i] = t.match
	}
	return out
}

// turn returns how long this node waits for those before it. Two nodes that have different plans
// may have the same rank; so each waits a part of half a second longer, by its name.
func (c *core) turn(match string, rank int) time.Duration {
	wait := delay(rank)
	if rank > 0 {
		h := fnv.New32a()
		_, _ = h.Write([]byte(match + " " + c.self.Name)) // never fails
		wait += time.Duration(h.Sum32()%500) * time.Millisecond
	}
	return wait
}

func delay(rank int) time.Duration {
	return time.Duration(placement.DelayMs(rank)) * time.Millisecond
}

// claims returns the matches that other living nodes say they take over at the moment.
func (c *core) claims() map[string]bool {
	out := map[string]bool{}
	for _, m := range c.members.byName {
		if m.State == Alive && m.Name != c.self.Name {
			for _, match := range m.Taking {
				out[match] = true
			}
		}
	}
	return out
}

// moved notes that another node hands a match over to this one.
func (c *core) moved(now time.Duration, match string) {
	if c.orphans[match] == nil && !c.running[match] && len(c.orphans) < MaxDirectory {
		c.orphans[match] = &orphan{match: match, sim: c.self.Sim, since: now, nodes: []string{c.self.Name}, planned: now}
	}
}

// begun notes that this node takes a match over now.
func (c *core) begun(match string) bool {
	o := c.orphans[match]
	if o == nil || o.busy {
		return false
	}
	o.busy = true
	return true
}

// outcome is the outcome of a takeover.
type outcome int

const (
	took       outcome = iota // it runs here
	wasOver                   // the match needs no node
	cannotPlay                // this build does not play it
	failed                    // another try may succeed
)

// finished notes the outcome of a takeover. It returns how long the match was without a node.
func (c *core) finished(now time.Duration, match string, result outcome) time.Duration {
	o := c.orphans[match]
	if o == nil {
		return 0
	}
	o.busy = false
	delete(c.expects, match)
	switch result {
	case took:
		c.running[match] = true
		delete(c.orphans, match)
		delete(c.cannot, match)
	case wasOver:
		delete(c.orphans, match)
		delete(c.cannot, match)
		c.learn(now, match, nil)
	case cannotPlay:
		c.cannot[match] = true
	case failed:
		o.next = now + time.Second<<min(o.tries, 6)
		o.tries++
	}
	return now - o.since
}

// stuck reports whether no living node plays an orphan, as far as this one knows.
func (c *core) stuck(o *orphan) bool {
	return o.nodes != nil && len(o.nodes) == 0 || c.cannot[o.match]
}

// waiting counts the orphans that no living node plays.
func (c *core) waiting() (n int) {
	for _, o := range c.orphans {
		if c.stuck(o) {
			n++
		}
	}
	return n
}

// run takes in this node's running matches. It returns the entries to write into the directory, and those to delete.
func (c *core) run(now time.Duration, matches []string) (put, drop []string) {
	running := make(map[string]bool, len(matches))
	for _, m := range matches {
		if len(running) < MaxMatchesOfNode && matchNames.MatchString(m) {
			running[m] = true
		}
	}
	for m := range c.running {
		if _, leaving := c.moving[m]; !running[m] && !leaving {
			if e, ok := c.entries[m]; ok && e.owner() == c.owner() {
				drop = append(drop, m)
			}
		}
	}
	for m := range running {
		if _, leaving := c.moving[m]; leaving {
			continue
		}
		e, ok := c.entries[m]
		switch {
		case ok && e.owner() == c.owner():
			delete(c.foreign, m)
		case !ok, !c.members.lives(e.owner()):
			put = append(put, m)
		case c.held(now, m):
			// Another living node has the entry, and this one has not been fenced since: it is
			// the owner.
			put = append(put, m)
			delete(c.foreign, m)
		}
	}
	c.running = running
	maps.DeleteFunc(c.expects, func(_ string, since time.Duration) bool { return now-since >= expectFor })
	for m := range c.foreign {
		if e, ok := c.entries[m]; !running[m] && !(ok && e.owner() == c.owner()) {
			delete(c.foreign, m)
		}
	}
	for m := range c.running {
		c.settled(m)
	}
	slices.Sort(put)
	slices.Sort(drop)
	return put, drop
}

// scanned takes in the matches that have a journal without an end and that no living node says
// it runs.
func (c *core) scanned(now time.Duration, unowned []string) {
	for _, m := range unowned {
		c.orphaned(now, m)
	}
}

// expectFor is how long a match is said to be on its way to here.
const expectFor = 5 * time.Second

// expect notes that another node is about to hand a match over to this one. Players may come before
// the match.
func (c *core) expect(now time.Duration, match string) error {
	switch {
	case c.self.Draining:
		return &CallError{CodeDraining, "the node " + c.self.Name + " is emptied itself"}
	case len(c.expects) >= maxExpects, c.self.Load.Room(placement.TakeOverCeiling) <= len(c.expects):
		return &CallError{CodeFull, "the node " + c.self.Name + " has no room"}
	}
	c.expects[match] = now
	return nil
}

// where returns the node that runs a match, or that it is on its way to.
func (c *core) where(now time.Duration, match string) (Node, bool) {
	if since, ok := c.expects[match]; ok && now-since < expectFor {
		return c.self, true
	}
	if to, leaving := c.moving[match]; leaving {
		if m := c.members.byName[to.name]; m != nil {
			return m.Node, true
		}
	}
	if c.running[match] {
		return c.self, true
	}
	if e, ok := c.entries[match]; ok && e.owner() != c.owner() && c.members.lives(e.owner()) {
		return c.members.byName[e.Node].Node, true
	}
	return Node{}, false
}
