package link

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/panics"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Refusal is why a connection is refused or ended.
type Refusal struct {
	Code string // one short word, as in Closing.code of the protocol
	Text string // a sentence for people
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Text }

// ErrInternal is what a client is told of a panic: the log has the rest.
var ErrInternal = &Refusal{"internal", "something went wrong in the server"}

// ClosingRow is one reason for which the server ends a connection.
type ClosingRow struct {
	Code   string // Closing.code of the protocol
	Status int    // of the websocket's close frame, RFC 6455 section 7.4.1
	Retry  bool   // Closing.retry: the same right to the seat may open it again
	Why    string // for people who write clients
}

// Closings are all codes with which the server ends a connection. A code that is
// not here is not sent: see [ClosingMessage].
var Closings = [...]ClosingRow{
	{"no_hello", websocket.ClosePolicyViolation, true, "the first message was no hello, or none came in time"},
	{"version", websocket.ClosePolicyViolation, false, "the server speaks another version of the protocol"},
	{"no_ticket", websocket.ClosePolicyViolation, false, "the hello has neither ticket nor resume token"},
	{"bad_ticket", websocket.ClosePolicyViolation, false, "there is no such ticket, or it is for another server"},
	{"ticket_used", websocket.ClosePolicyViolation, false, "the ticket was used before; come back with the resume token of the welcome it gave"},
	{"ticket_expired", websocket.ClosePolicyViolation, false, "the ticket is too old; ask the lobby for another"},
	{"bad_token", websocket.ClosePolicyViolation, false, "the resume token is invalid, or was replaced by a newer one"},
	{"no_match", websocket.ClosePolicyViolation, false, "the match is over, or runs elsewhere"},
	{"match_over", websocket.ClosePolicyViolation, false, "the match is over, as the lobby says"},
	{"no_seat", websocket.ClosePolicyViolation, false, "the match has no such seat, or no free seat for a spectator"},
	{"not_seated", websocket.ClosePolicyViolation, false, "the account left its seat in the lobby"},
	{"not_whitelisted", websocket.ClosePolicyViolation, false, "the lobby admits only those on its list"},
	{"banned_account", websocket.ClosePolicyViolation, false, "the account is banned"},
	{"banned_address", websocket.ClosePolicyViolation, false, "the address is banned"},
	{"logged_out", websocket.ClosePolicyViolation, false, "the account was logged out everywhere, its password changed, or it is gone"},
	{"kicked", websocket.ClosePolicyViolation, false, "an admin or the lobby's host removed the player"},
	{"refused", websocket.ClosePolicyViolation, false, "any other refusal; the text says which"},
	{"replaced", websocket.CloseNormalClosure, false, "a newer connection took the seat"},
	{"ended", websocket.CloseNormalClosure, false, "the match is over"},
	{"failed", websocket.CloseInternalServerErr, false, "the match failed"},
	{"unwatchable", websocket.CloseInternalServerErr, true, "the spectator broadcast failed; the match continues"},
	{"bad_message", websocket.CloseInvalidFramePayloadData, true, "a message that is not a ClientFrame, or exceeds a limit that closes the connection"},
	{"too_big", websocket.CloseMessageTooBig, true, "a message of more bytes than the limit"},
	{"text_message", websocket.CloseUnsupportedData, true, "a text message: the protocol is binary"},
	{"bad_frame", websocket.CloseProtocolError, true, "the rules of the websocket protocol were broken"},
	{"too_many", websocket.ClosePolicyViolation, true, "more websocket pings and pongs than a peer may send"},
	{"silent", websocket.ClosePolicyViolation, true, "no message and no pong for too long"},
	{"too_slow", websocket.ClosePolicyViolation, true, "the connection took nothing for thirty seconds"},
	{"stopping", websocket.CloseGoingAway, true, "the server stops; the match continues after the restart"},
	{"too_many_sockets", websocket.CloseTryAgainLater, true, "the account or its network has too many sockets; a ticket is used up: ask the lobby for another"},
	{"server_full", websocket.CloseTryAgainLater, true, "the server has too many sockets; a ticket is used up: ask the lobby for another"},
	{"unavailable", websocket.CloseTryAgainLater, true, "the database cannot be reached; the ticket is still good"},
	{"internal", websocket.CloseInternalServerErr, true, "something went wrong in the server; the server's log says what"},
}

// ClosingOf returns the row of a code, and whether there is one; else the row is
// that of "refused".
func ClosingOf(code string) (row ClosingRow, ok bool) {
	for _, r := range Closings {
		if r.Code == code {
			return r, true
		}
		if r.Code == "refused" {
			row = r
		}
	}
	return row, false
}

// ClosingsTable returns the codes as a table for people.
func ClosingsTable() string {
	var b strings.Builder
	b.WriteString("| `code` | websocket | `retry` | why |\n| --- | --- | --- | --- |\n")
	for _, r := range Closings {
		retry := "no"
		if r.Retry {
			retry = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", r.Code, r.Status, retry, r.Why)
	}
	return b.String()
}

// ClosingMessage returns the last message of a connection.
func ClosingMessage(code, text string) []byte {
	row, _ := ClosingOf(code)
	b, err := proto.Marshal(&pb.ServerFrame{Closing: &pb.Closing{Code: row.Code, Text: text, Retry: row.Retry}})
	if err != nil { // only invalid UTF-8 can do that
		b, _ = proto.Marshal(&pb.ServerFrame{Closing: &pb.Closing{Code: row.Code, Text: strings.ToValidUTF8(text, "?"), Retry: row.Retry}})
	}
	return b
}

// FaultOf returns why a peer is let go that made a reader fail, or nil if it was
// the peer who went.
func FaultOf(err error) *Refusal {
	var no *Refusal
	switch {
	case errors.As(err, &no):
		return no
	case errors.Is(err, wire.ErrClient):
		return &Refusal{"bad_message", err.Error()}
	case errors.Is(err, errControls):
		return &Refusal{"too_many", err.Error()}
	case errors.Is(err, websocket.ErrReadLimit): // ours is another: this is a length that is none
		return &Refusal{"bad_frame", "a websocket frame with an invalid length"}
	case TimedOut(err):
		return &Refusal{"silent", fmt.Sprintf("no message for %d seconds", wire.SilenceSeconds)}
	}
	return nil
}

// TimedOut reports whether a peer was silent for too long.
func TimedOut(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// Dismiss tells the other end of a connection without a seat why it ends, and
// ends it.
func Dismiss(log *slog.Logger, t Transport, why *Refusal) {
	row, _ := ClosingOf(why.Code)
	_ = t.Write(ClosingMessage(why.Code, why.Text)) // who is gone needs no word
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer panics.Catch(log, "goodbye", func() { t.Close() })
		closeWith(t, row.Status)
	}()
	ReadOut(t)
	<-ended
}

// ReadOut reads until the transport is closed, and keeps nothing: a connection
// that is closed with bytes unread is reset, and its last message lost with it.
// Who sends on for long has read nothing anyway. A socket is read on only once it
// has been told why it ends: else what comes next, a broken frame or the peer's
// own close, would be answered first.
func ReadOut(t Transport) {
	if s, ok := t.(*Socket); ok {
		<-s.said
	}
	for range readOutMessages {
		if _, err := t.Read(); err != nil && !errors.As(err, new(*Refusal)) { // else a bad message, and not the last
			return
		}
	}
}

const readOutMessages = 2 * InboxMessages

// closeWith ends a transport with a websocket's status, if it has such.
func closeWith(t Transport, status int) {
	if s, ok := t.(interface{ CloseWith(status int) error }); ok {
		_ = s.CloseWith(status)
		return
	}
	_ = t.Close()
}
