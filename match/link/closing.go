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
	URL  string // of [Moved]: the address of the server that has the match; "" otherwise
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Text }

// ErrInternal is the client's message after a panic: the log has the details.
var ErrInternal = &Refusal{Code: "internal", Text: "something went wrong in the server"}

// Moved sends a client to the server that has its match now (http://host or
// https://host, or the address of the socket), or, if url is "", to where it came
// from, after a moment. The client keeps its right to the seat and shows it there.
func Moved(url string) *Refusal {
	return &Refusal{Code: "moved", Text: "this match is on another server of the service", URL: url}
}

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
	{"no_hello", websocket.ClosePolicyViolation, true, "the first message was not a hello, or no message came in time"},
	{"version", websocket.ClosePolicyViolation, false, "the server speaks another version of the protocol"},
	{"no_ticket", websocket.ClosePolicyViolation, false, "the hello has neither ticket nor resume token"},
	{"bad_ticket", websocket.ClosePolicyViolation, false, "the ticket is unknown, or it is for another server"},
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
	{"moved", websocket.CloseServiceRestart, true, "the match is on another server: connect to `url`; without one, where the ticket came from"},
	{"match_waits", websocket.CloseTryAgainLater, false, "another version of the server began the match: the lobby says until when the match waits, and gives tickets again once it goes on"},
	{"unwatchable", websocket.CloseInternalServerErr, true, "the spectator broadcast failed; the match continues"},
	{"bad_message", websocket.CloseInvalidFramePayloadData, true, "a message that is not a ClientFrame, or exceeds a limit that closes the connection"},
	{"too_big", websocket.CloseMessageTooBig, true, "a message of more bytes than the limit"},
	{"text_message", websocket.CloseUnsupportedData, true, "a text message: the protocol is binary"},
	{"bad_frame", websocket.CloseProtocolError, true, "the rules of the websocket protocol were broken"},
	{"too_many", websocket.ClosePolicyViolation, true, "more websocket pings and pongs than a peer may send"},
	{"silent", websocket.ClosePolicyViolation, true, "no message and no pong for too long"},
	{"too_slow", websocket.ClosePolicyViolation, true, "the connection took no data for thirty seconds"},
	{"stopping", websocket.CloseGoingAway, true, "the server stops; the match continues after the restart"},
	{"too_many_sockets", websocket.CloseTryAgainLater, true, "the account or its network has too many sockets; a ticket is used up: ask the lobby for another"},
	{"server_full", websocket.CloseTryAgainLater, true, "the server has too many sockets; a ticket is used up: ask the lobby for another"},
	{"replay_busy", websocket.CloseTryAgainLater, true, "too many replays are being watched on this server, or by the account; a ticket may be used up: ask the lobby for another"},
	{"replay_expired", websocket.ClosePolicyViolation, false, "the match's journal is not kept any more"},
	{"replay_version", websocket.ClosePolicyViolation, false, "this server plays such matches no more, or this one differently"},
	{"replay_unreadable", websocket.CloseInternalServerErr, false, "the match's journal cannot be read"},
	{"replay_off", websocket.ClosePolicyViolation, false, "the host has closed the replay of this match"},
	{"match_runs", websocket.ClosePolicyViolation, false, "the match is not over, so its replay cannot be watched yet"},
	{"unavailable", websocket.CloseTryAgainLater, true, "the database cannot be reached; the ticket is still good"},
	{"internal", websocket.CloseInternalServerErr, true, "the server had an internal error; its log has the details"},
}

// ClosingOf returns the row of a code, and whether the code has a row; if not, it returns the row of "refused".
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

// ClosingMessage returns the last message of a connection.
func ClosingMessage(why *Refusal) []byte {
	row, _ := ClosingOf(why.Code)
	c := &pb.Closing{Code: row.Code, Text: why.Text, Retry: row.Retry, Url: why.URL}
	b, err := proto.Marshal(&pb.ServerFrame{Closing: c})
	if err != nil { // only invalid UTF-8 can do that
		c.Text, c.Url = strings.ToValidUTF8(c.Text, "?"), strings.ToValidUTF8(c.Url, "?")
		b, _ = proto.Marshal(&pb.ServerFrame{Closing: c})
	}
	return b
}

// TookLeave reports whether an error of a transport means that its client closed the connection in order.
func TookLeave(err error) bool { return websocket.IsCloseError(err, websocket.CloseNormalClosure) }

// FaultOf returns why a peer is let go that made a reader fail, or nil if it was
// the peer who went.
func FaultOf(err error) *Refusal {
	var no *Refusal
	switch {
	case errors.As(err, &no):
		return no
	case errors.Is(err, wire.ErrClient):
		return &Refusal{Code: "bad_message", Text: err.Error()}
	case errors.Is(err, errControls):
		return &Refusal{Code: "too_many", Text: err.Error()}
	case errors.Is(err, websocket.ErrReadLimit): // our own limit has another error: this is an invalid length
		return &Refusal{Code: "bad_frame", Text: "a websocket frame with an invalid length"}
	case TimedOut(err):
		return &Refusal{Code: "silent", Text: fmt.Sprintf("no message for %d seconds", wire.SilenceSeconds)}
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
	_ = t.Write(ClosingMessage(why)) // a lost client needs no message
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer panics.Catch(log, "goodbye", func() { t.Close() })
		CloseWith(t, row.Status)
	}()
	ReadOut(t)
	<-ended
}

// ReadOut reads until the transport is closed, and drops the bytes: closing a connection with unread bytes resets it,
// and its last message is lost. A client that sends on for long has read none of our messages anyway. ReadOut runs only
// after the socket has sent its reason: otherwise the next input, a broken frame or the peer's own close, would be
// answered first.
func ReadOut(t Transport) {
	if s, ok := t.(*Socket); ok {
		<-s.farewell
	}
	for range readOutMessages {
		if _, err := t.Read(); err != nil && !errors.As(err, new(*Refusal)) { // else a bad message, and not the last
			return
		}
	}
}

const readOutMessages = 2 * InboxMessages

// CloseWith ends a transport with a websocket's status, if it has such. A goroutine has to read on meanwhile.
func CloseWith(t Transport, status int) {
	if s, ok := t.(interface{ CloseWith(status int) error }); ok {
		_ = s.CloseWith(status)
		return
	}
	_ = t.Close()
}
