package cluster

import (
	"net"
	"net/url"
	"regexp"
	"time"
)

// Bounds of other nodes' messages. The excess is dropped, and logged.
const (
	MaxNodes         = 256
	MaxMatchesOfNode = 4096
	MaxDirectory     = 1 << 17 // matches
	maxBeatBytes     = 16 << 10
	maxEntryBytes    = 1 << 10
	maxURL           = 512
	maxTaking        = 64 // matches that one node takes over at the same time
	maxStreams       = 16
	maxClients       = 1 << 20 // of one match
	maxExpects       = 256     // matches that are on their way to one node at the same time
	maxGone          = 64      // nodes that are gone and still shown
)

// Times and numbers that the simulation of internal/bench takes over.
const (
	Heartbeat    = 250 * time.Millisecond  // between two heartbeats of a node
	SuspectAfter = 1500 * time.Millisecond // without one, its matches are taken over
	// TakeOversPerCore is how many takeovers a node begins for each of its cores. One of them computes. The other may
	// wait for a leader of the journal store.
	TakeOversPerCore = 2
)

// Times that nodes keep. Tests have shorter ones.
type times struct {
	heartbeat time.Duration // between two heartbeats
	suspect   time.Duration // without one
	beats     int           // of one's own, heard in that time
	settle    time.Duration // after joining, before matches of nodes that were never heard are taken
	scan      time.Duration // between two looks at the journals
	tell      time.Duration // between two announcements of this node's matches
	alone     time.Duration // without the journal store, until a node says so
	leaders   time.Duration // between two looks at the leaders of the journal store
	death     time.Duration // suspected, until a node is called gone
	answer    time.Duration // for one answer of the journal store
	take      time.Duration // for a node to take a match that is moved to it
	stuck     time.Duration // without a node that plays it, until a match is said to wait: the second in turn may take it
}

var usualTimes = times{
	heartbeat: Heartbeat, suspect: SuspectAfter, beats: 5, settle: 2500 * time.Millisecond, scan: 5 * time.Second,
	tell: 5 * time.Second, alone: 10 * time.Second, leaders: 3 * time.Second, death: 10 * time.Second,
	answer: 3 * time.Second, take: 5 * time.Second, stuck: 15 * time.Second,
}

var (
	nodeNames  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)
	matchNames = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	plainTexts = regexp.MustCompile(`^[ -~]{0,128}$`)
	subjects   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// ValidName reports whether a node may be called so: 1 to 32 small letters, digits and hyphens.
func ValidName(name string) bool { return nodeNames.MatchString(name) }

// validAddr reports whether s is host:port; a node of a build without a listener for nodes has an empty one.
func validAddr(s string) bool {
	host, port, err := net.SplitHostPort(s)
	return s == "" || len(s) <= maxURL && err == nil && host != "" && port != ""
}

func validURL(s string) bool {
	if s == "" {
		return true // players ask where they asked before
	}
	if len(s) > maxURL {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "ws" || u.Scheme == "wss")
}
