package wire

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// Limits of a client's messages. Limits of other packages are not repeated here.
const (
	ClientBytesMax  = 16 << 10 // of one message
	MessagesATick   = 4        // taken from one client a tick
	HelloSeconds    = 5        // from the open socket to the hello
	SilenceSeconds  = 30       // without any message, pongs included, until the connection is closed
	ordersMax       = 64       // of one message
	saysMax         = 4
	pingsMax        = 4
	credentialMax   = 256 // bytes of a ticket or token
	orderTypeMax    = 1<<16 - 1
	orderAbilityMax = 1<<8 - 1
	orderItemMax    = 1<<8 - 1
)

// Beyond says how the server treats input beyond a limit.
type Beyond uint8

// The server's treatment of input beyond a limit.
const (
	Closed    Beyond = iota // the socket is closed; the seat is kept
	Malformed               // that input is answered MALFORMED; the rest of the message is read
	Cut                     // the limit is used instead
	Waits                   // it is read later
	Limited                 // it is answered RATE_LIMITED
	Stale                   // it is answered STALE
)

// Limit is a limit of a client's messages.
type Limit struct {
	Name   string // in capitals the name of the constant in TypeScript
	Max    int
	Unit   string
	What   string
	Beyond Beyond
	Code   string // of the closing, if the socket is closed
}

//go:generate go test . -run TestLimitsAreToldOnce -update

// Limits are all limits of a client's messages. The table in docs/reference/protocol.md and
// the client's constants (web/sdk/src/gen/limits.ts) are made from it.
var Limits = [...]Limit{
	{"hello_seconds", HelloSeconds, "s", "from the open socket to the hello", Closed, "no_hello"},
	{"silence_seconds", SilenceSeconds, "s", "without any message, pong included", Closed, "silent"},
	{"credential_bytes", credentialMax, "bytes", "a ticket or resume token", Closed, "bad_message"},
	{"message_bytes", ClientBytesMax, "bytes", "one message", Closed, "too_big"},
	{"messages_a_tick", MessagesATick, "messages", "of one client in one tick", Waits, ""},
	{"orders_a_message", ordersMax, "orders", "one message", Closed, "bad_message"},
	{"lines_a_message", saysMax, "lines", "chat lines (`says`) of one message", Closed, "bad_message"},
	{"pings_a_message", pingsMax, "pings", "one message", Closed, "bad_message"},
	{"units_an_order", orders.UnitsMax, "handles", "`units` of one order", Malformed, ""},
	{"order_type", orderTypeMax, "", "`what` of BUILD and TRAIN", Malformed, ""},
	{"order_ability", orderAbilityMax, "", "`what` of ABILITY and STOP_ABILITY", Malformed, ""},
	{"order_item", orderItemMax, "", "`what` of CANCEL", Malformed, ""},
	{"line_bytes", sim.TextBytesMax, "bytes", "a chat line in UTF-8", Malformed, ""},
	{"lines_at_once", sim.SaidBurst, "lines and pings", "together, after a pause", Limited, ""},
	{"lines_a_second", sim.SaidPerSecond, "lines and pings", "together, sustained", Limited, ""},
	{"numbers_kept", sim.AnswersKept, "numbers", "a `seq` further than this below the highest sent", Stale, ""},
	{"camera_tiles", grid.MapSideMax, "tiles", "`x`, `y` and `radius` of the camera", Cut, ""},
}
