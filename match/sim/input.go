package sim

import (
	"fmt"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/script"
	"github.com/fogkeep/fogkeep/orders"
)

// InputKind is the kind of an input.
type InputKind uint8

// The kinds of input.
const (
	InputOrder        InputKind = iota // a player's order
	InputJoined                        // the player's client is there; All: it is another one than before, and numbers its inputs anew
	InputGone                          // it has been away longer than the grace period
	InputLeft                          // the player left for good
	InputChat                          // the player said something
	InputPing                          // the player pointed at a place, for its team
	InputAway                          // the player's client is not there; it may come back at any moment
	InputKept                          // whether the match goes on without people, as an admin asked for; of no slot
	InputOrderRefused                  // an order that was refused with Code, as [Compact] leaves it
	InputSaidRefused                   // a line or ping that was refused with Code
	InputToken                         // the player has the resume token with the number Seq; the world ignores it
	InputBudget                        // Seq: the bytes per second for the match or a slot, at most; All: an operator set it; the world ignores it
	InputTaken                         // a person takes over the seat of a bot or an absent player for the rest of the match. For a recovery: Text, see [TakenText], and in Seq the number of the take-over in the match
	InputSpeed                         // Seq: the speed of the match from now on, in percent; All: it is paused; Slot: the player who asked, or NoSlot; the world ignores it
	InputWatched                       // whether a spectator has the match go on, since no player can come back: All; of no slot
	InputStandIn                       // a bot plays on for a player who is gone, with numbers of its own for its inputs
	InputVoted                         // the players' votes decided Seq, one of the Voted constants; Slot: the player who asked
	inputEnd
)

// The decisions of [InputVoted].
const (
	VotedRemake    = 1 + iota // the match ends without a winner
	VotedSurrender            // the team of Slot gives up
)

// inputNames are the kinds in words, for exports and logs.
var inputNames = [inputEnd]string{
	"order", "joined", "gone", "left", "chat", "ping", "away", "kept", "order-refused", "said-refused", "token", "budget", "taken", "speed", "watched", "stand-in", "voted",
}

func (k InputKind) String() string {
	if k < inputEnd {
		return inputNames[k]
	}
	return fmt.Sprintf("input(%d)", uint8(k))
}

// Answered reports whether an input of this kind gets an [Answer].
func (k InputKind) Answered() bool {
	switch k {
	case InputOrder, InputChat, InputPing, InputOrderRefused, InputSaidRefused:
		return true
	}
	return false
}

// PingKind is the reason why a player points at a place. The values equal those on the wire
// and in the journal.
type PingKind uint8

// The kinds of pings.
const (
	PingLook   PingKind = 1 + iota // have a look there
	PingDanger                     // keep away, or be ready
	PingHelp                       // come and help
	pingEnd
)

// Valid reports whether there is such a kind.
func (k PingKind) Valid() bool { return k > 0 && k < pingEnd }

// TextBytesMax bounds one chat line.
const TextBytesMax = 256

// Input is one thing that arrived for a tick. A tick's inputs come in the
// order of their slots and, of one slot, in the order they arrived.
type Input struct {
	Kind  InputKind
	Slot  grid.Slot
	Seq   uint32    // InputOrder, InputChat, InputPing: the client's own number, kept across reconnects
	AsOf  grid.Tick // InputOrder: the last frame the client had applied; its handles are of that frame
	Lag   uint8     // InputOrder: the player's measured lag in ticks, for section "lag" of docs/reference/rules.md
	Order orders.Order
	All   bool          // InputChat: to everybody, not the team alone; InputKept, InputWatched: yes; InputJoined: a new client
	Text  string        // InputChat: UTF-8, at most TextBytesMax; InputTaken: the person
	Point grid.Pos      // InputPing
	Ping  PingKind      // InputPing
	Code  orders.Reject // InputOrderRefused, InputSaidRefused
}

// TakenText is the text of an [InputTaken]: the account that has the seat now, and its
// name.
func TakenText(account, name string) string { return account + "\n" + name }

// Taken returns the account that has the seat after an [InputTaken].
func (in *Input) Taken() (account, name string) {
	account, name, _ = strings.Cut(in.Text, "\n")
	return account, name
}

// Answer is the verdict on one input that has a sequence number. One input,
// one answer.
type Answer struct {
	Slot grid.Slot
	Seq  uint32
	Code orders.Reject
	Left []orders.LeftOut // with Code OK: the units that do not take part
	Acts grid.Tick        // with Code OK: when the order acts
	// Again says that this sequence number was answered before, with the same
	// code; units left out are not repeated.
	Again bool
}

// Notice tells a player how an accepted order went wrong later.
type Notice struct {
	Slot grid.Slot
	Seq  uint32 // of the order
	Kind orders.Kind
	Code orders.Reject // TargetLost, Stuck, Blocked, Exhausted, Unaffordable, PopLimit, …
	Unit grid.EntityID // whose task it was
}

// Said is an accepted chat line or ping for the named teams, or a notice to a team about
// one of its players.
type Said struct {
	Slot   grid.Slot
	To     grid.TeamSet
	Ping   PingKind // 0: a chat line
	Text   string
	Point  grid.Pos
	Handed Handed // not 0: a notice, not a chat line or ping
	Units  int32  // with Handed: so many units and structures
}

// Handed is the fate of the units of a player who was away for long. The values equal those
// on the wire.
type Handed uint8

// The possible fates.
const (
	HandedOver Handed = 1 + iota // to a team-mate, until the player is back
	HandedBack                   // the other units belong to the player again
)

// Outcome is the result of one step for the outside. Its slices are valid until the next
// step.
type Outcome struct {
	Tick    grid.Tick
	Answers []Answer        // to the journal first, then each to its sender
	Notices []Notice        // each to the player named
	Said    []Said          // to the clients of the teams named
	Hashed  bool            // at every full second
	Hash    uint64          // [World.Rolling] after this tick, where Hashed; to the journal
	Faults  []*script.Fault // of handlers of scripts, whose effects are left out; for the log
	Ended   *Result         // in the tick the match ends; to the journal, then the reporter
}

// Result is how a match ended.
type Result struct {
	Tick    grid.Tick
	Winner  grid.Team // NoTeam: a draw
	Reason  string    // "last-team", "surrender", "time-limit", "score-limit", "nobody-left", "abandoned", "remake"
	Players []PlayerResult
	Series  Series // for the players' graphs; secret before the end
}

// PlayerResult is one player's share of a [Result].
type PlayerResult struct {
	Slot     grid.Slot
	Team     grid.Team
	Won      bool
	Score    int32
	Killed   int32 // enemies
	Assists  int32 `json:",omitempty"` // at kills of others, in rulesets with assists
	Lost     int32 // own units and structures
	Made     int32
	Gathered rules.Cost
	Left     bool      // left or was gone
	Out      grid.Tick // when defeated, 0 if never

	Values map[string]int32 `json:",omitempty"` // of the team, by name: see [World.ModeValues]
}
