package orders

import "fmt"

// Reject says why an order, or one of its units, was refused. It is data, not an
// error: a refused order is an ordinary answer.
type Reject uint8

// The codes, in the order of the checks: of two that apply, the smaller is the answer. The
// codes from Blocked to Interrupted come later, when an accepted order ends early.
const (
	OK           Reject = iota
	Stale               // sequence number older than the kept answers
	RateLimited         // more orders than the rules allow
	NotRunning          // the match has not begun or is over
	NotAlive            // the player is defeated or gone
	Malformed           // a kind that does not exist, no units, too many, or a missing point or target
	UnknownUnit         // no such handle for the team, now or at the frame seen
	NotYours            // another player's unit; also said later, when a unit or structure goes to another player
	Unable              // this type of unit cannot do that, or not yet
	QueueFull           // the unit has QueueMax orders, the structure a full queue
	NotGranted          // ability not granted, type not on the structure's list or its requirement missing
	CoolingDown         // ability not ready
	Unaffordable        // not enough resources or energy
	PopLimit            // the population limit is reached
	BadTarget           // that target makes no sense for that kind
	TargetLost          // the target is not in the team's sight, or never was; also said later
	OffMap              // the point is not on the map
	BadSite             // a structure cannot stand there, as far as the team knows
	Unreachable         // no way there, as far as the team knows
	Blocked             // later: the site turned out to be taken
	Stuck               // later: the way was blocked for too long
	Exhausted           // later: the team knows no more resource to harvest
	Interrupted         // later: a need of the order is gone (the unit's state changed, the builder's site was lost)
	Muted               // of chat and pings: a moderator has muted the player
	rejectEnd
)

// Row describes one code.
type Row struct {
	Code Reject
	Name string // on the wire's documentation, in logs and transcripts
	Why  string // one sentence for people
}

// Table lists every code in the order of the checks.
var Table = [...]Row{
	{OK, "OK", "accepted"},
	{Stale, "STALE", "the sequence number is too old to be answered again"},
	{RateLimited, "RATE_LIMITED", "too many orders; send fewer"},
	{NotRunning, "NOT_RUNNING", "the match is not running"},
	{NotAlive, "NOT_ALIVE", "the player is out of the match"},
	{Malformed, "MALFORMED", "the order lacks a part or has too many"},
	{UnknownUnit, "UNKNOWN_UNIT", "the team knows no such unit"},
	{NotYours, "NOT_YOURS", "the unit belongs to another player"},
	{Unable, "UNABLE", "the unit cannot do that"},
	{QueueFull, "QUEUE_FULL", "the queue is full"},
	{NotGranted, "NOT_GRANTED", "the unit has no such ability or product"},
	{CoolingDown, "COOLING_DOWN", "the ability is not ready"},
	{Unaffordable, "UNAFFORDABLE", "not enough resources or energy"},
	{PopLimit, "POP_LIMIT", "the population limit is reached"},
	{BadTarget, "BAD_TARGET", "that is no target for this order"},
	{TargetLost, "TARGET_LOST", "the target is out of sight"},
	{OffMap, "OFF_MAP", "the point is off the map"},
	{BadSite, "BAD_SITE", "the site cannot be built on"},
	{Unreachable, "UNREACHABLE", "no known way leads there"},
	{Blocked, "BLOCKED", "the site was taken"},
	{Stuck, "STUCK", "the way was blocked for too long"},
	{Exhausted, "EXHAUSTED", "the resource is used up"},
	{Interrupted, "INTERRUPTED", "the order's target is gone"},
	{Muted, "MUTED", "you are muted"},
}

func (r Reject) String() string {
	if int(r) < len(Table) {
		return Table[r].Name
	}
	return fmt.Sprintf("REJECT(%d)", uint8(r))
}

// ParseReject returns the code with that name.
func ParseReject(name string) (Reject, bool) {
	for _, row := range Table {
		if row.Name == name {
			return row.Code, true
		}
	}
	return OK, false
}
