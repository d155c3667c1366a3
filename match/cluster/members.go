package cluster

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/cluster/placement"
)

// Node is a node's description of itself, and its state as others know it.
type Node struct {
	Name        string         `json:"name"` // small letters, digits and hyphens, 32 most
	Incarnation uint64         `json:"inc"`
	URL         string         `json:"url"`            // where players reach it
	Addr        string         `json:"addr,omitempty"` // host:port of its listener for the other nodes
	Build       string         `json:"build"`
	Sim         string         `json:"sim"`           // how the build simulates: only nodes with the same take each other's matches
	LogServer   string         `json:"log,omitempty"` // name of the journal server inside its process; "": without one
	Load        placement.Load `json:"load"`
	Draining    bool           `json:"draining,omitempty"`
	State       State          `json:"-"`
}

func (n *Node) owner() owner { return owner{n.Name, n.Incarnation} }

// check returns the fault of a node's texts.
func (n *Node) check() error {
	switch {
	case !ValidName(n.Name):
		return fmt.Errorf("%q is no name of a node: small letters, digits and hyphens, at most 32", n.Name)
	case !validURL(n.URL):
		return fmt.Errorf("%q is not a URL of a node", n.URL)
	case !validAddr(n.Addr):
		return fmt.Errorf("%q is not the address of a listener", n.Addr)
	case !plainTexts.MatchString(n.Build), !plainTexts.MatchString(n.Sim), n.LogServer != "" && !subjects.MatchString(n.LogServer):
		return errors.New("the build, its simulation or the journal server has a name that is too long or not plain")
	}
	return nil
}

// State is the known state of a node's life.
type State string

// The states of a node.
const (
	Alive     State = "alive"
	Suspected State = "suspected" // not heard of; its matches are taken over
	Gone      State = "gone"      // not heard of for long, or it said goodbye
)

// heartbeat is the message of a node that lives. It has no time in it: clocks of machines differ.
type heartbeat struct {
	V int `json:"v"`
	Node
	Bye     bool           `json:"bye,omitempty"`     // it stops, and runs no match any more
	Taking  []string       `json:"taking,omitempty"`  // matches that it takes over at the moment
	Streams map[string]int `json:"streams,omitempty"` // of the journal store, its matches in each
}

const beatVersion = 1

// readBeat decodes and checks a heartbeat.
func readBeat(data []byte) (b heartbeat, err error) {
	if len(data) > maxBeatBytes {
		return b, fmt.Errorf("a heartbeat of %d bytes", len(data))
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return b, err
	}
	if err := b.check(); err != nil {
		return b, err
	}
	l := b.Load
	switch {
	case b.V != beatVersion:
		return b, fmt.Errorf("a heartbeat of version %d", b.V)
	case b.Incarnation == 0:
		return b, errors.New("no incarnation")
	case l.Tick < 0, l.Memory < 0, l.Matches < 0, l.Most < 0, l.Tick > 1e6, l.Memory > 1e6, l.Matches > MaxMatchesOfNode, l.Most > MaxMatchesOfNode:
		return b, errors.New("a load that cannot be")
	case len(b.Taking) > maxTaking, len(b.Streams) > maxStreams:
		return b, errors.New("a list that is too long")
	}
	for _, m := range b.Taking {
		if !matchNames.MatchString(m) {
			return b, errors.New("an invalid name of a match")
		}
	}
	for name, n := range b.Streams {
		if !subjects.MatchString(name) || n < 0 || n > MaxMatchesOfNode {
			return b, errors.New("a stream that cannot be")
		}
	}
	return b, nil
}

// owner names one life of a node.
type owner struct {
	name        string
	incarnation uint64
}

// member is another node, or this one.
type member struct {
	heartbeat
	contact  time.Duration    // on the own monotonic clock
	ownBeats int              // that were heard by then
	since    time.Duration    // of its state
	loads    []placement.Load // of the last heartbeats, the oldest first
}

// keptLoads is the number of kept loads of a node: more than fit between a node's death and the moment at which its
// last survivor suspects it.
const keptLoads = 16

// steady returns the load that a node had some seconds ago. Takeovers are planned with it. They
// change the load, and the survivors begin them at slightly different times: with the newest load
// each would plan otherwise.
func (m *member) steady() placement.Load { return m.loads[0] }

// members is the list of nodes, as this node sees it.
type members struct {
	times
	self     owner
	ownBeats int // heard
	byName   map[string]*member
	replaced bool // a newer incarnation of the own name was heard
	crowded  bool // a node was not taken in, for there are too many
}

func newMembers(t times, self owner) *members {
	return &members{times: t, self: self, byName: map[string]*member{}}
}

// hear takes in a heartbeat. It returns true if who lives has changed.
func (s *members) hear(now time.Duration, b heartbeat) (changed bool) {
	if b.Name == s.self.name {
		switch {
		case b.Incarnation == s.self.incarnation:
			s.ownBeats++
		case b.Incarnation > s.self.incarnation:
			s.replaced = true
			return false
		default:
			return false // a late message of the life before
		}
	}
	m := s.byName[b.Name]
	switch {
	case m == nil:
		if len(s.byName) >= MaxNodes && !s.forget() {
			s.crowded = true
			return false
		}
		m = &member{}
		s.byName[b.Name] = m
		changed = true
	case b.Incarnation < m.Incarnation && m.State == Alive:
		return false // an earlier life that does not know that it is replaced
	case m.State == Gone && m.Bye && b.Incarnation == m.Incarnation:
		return false // it said goodbye: a heartbeat that was overtaken
	default:
		changed = b.Incarnation != m.Incarnation || m.State != Alive || b.Draining != m.Draining
	}
	if b.Incarnation != m.Incarnation {
		m.loads = nil
	}
	if len(m.loads) == keptLoads {
		m.loads = append(m.loads[:0], m.loads[1:]...)
	}
	m.loads = append(m.loads, b.Load)
	was, to := m.State, Alive
	m.heartbeat, m.contact, m.ownBeats = b, now, s.ownBeats
	if b.Bye {
		to, changed = Gone, true
	}
	if m.State = to; to != was {
		m.since = now
	}
	return changed
}

// forget drops the node that is gone for the longest time.
func (s *members) forget() bool {
	var old *member
	for _, m := range s.byName {
		if m.State == Gone && (old == nil || cmp.Or(cmp.Compare(m.since, old.since), cmp.Compare(m.Name, old.Name)) < 0) {
			old = m
		}
	}
	if old == nil {
		return false
	}
	delete(s.byName, old.Name)
	return true
}

// check suspects silent nodes. It returns the nodes suspected from now on.
func (s *members) check(now time.Duration) (suspected []*member) {
	gone := 0
	for _, m := range s.byName {
		switch {
		case m.Name == s.self.name:
		case m.State == Alive && now-m.contact >= s.suspect && s.ownBeats-m.ownBeats >= s.beats:
			m.State, m.since = Suspected, now
			suspected = append(suspected, m)
		case m.State == Suspected && now-m.since >= s.death:
			m.State, m.since = Gone, now
		}
		if m.State == Gone {
			gone++
		}
	}
	for ; gone > maxGone; gone-- {
		s.forget()
	}
	slices.SortFunc(suspected, func(a, b *member) int { return cmp.Compare(a.Name, b.Name) })
	return suspected
}

// lives reports whether this life of a node goes on, as far as is known.
func (s *members) lives(o owner) bool {
	m := s.byName[o.name]
	return m != nil && m.State == Alive && m.Incarnation == o.incarnation
}

// over reports whether this life of a node is known to be over, or is suspected to be.
func (s *members) over(o owner) bool {
	m := s.byName[o.name]
	switch {
	case m == nil:
		return false
	case m.Incarnation == o.incarnation:
		return m.State != Alive
	}
	return m.Incarnation > o.incarnation
}

// living returns the nodes that are alive, by name.
func (s *members) living() (out []Node) {
	for _, n := range s.all() {
		if n.State == Alive {
			out = append(out, n)
		}
	}
	return out
}

// all returns the nodes, by name.
func (s *members) all() []Node {
	out := make([]Node, 0, len(s.byName))
	for _, m := range s.byName {
		out = append(out, m.Node)
	}
	slices.SortFunc(out, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func placed(nodes []Node) []placement.Node {
	out := make([]placement.Node, len(nodes))
	for i, n := range nodes {
		out[i] = placement.Node{Name: n.Name, Sim: n.Sim, Draining: n.Draining, Load: n.Load}
	}
	return out
}
