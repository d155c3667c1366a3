package model

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
)

// Code is the short reason of a refusal, the same in answers, logs and tests.
type Code string

// The codes, in the order in which a request meets the checks.
const (
	BadRequest     Code = "bad_request"
	TooLarge       Code = "too_large"
	WrongMediaType Code = "wrong_media_type"
	WrongHost      Code = "wrong_host"
	CrossOrigin    Code = "cross_origin"
	Unavailable    Code = "unavailable"
	LogAway        Code = "log_away"
	Busy           Code = "busy"
	Throttled      Code = "throttled"
	ServerFull     Code = "server_full"

	Unauthenticated  Code = "unauthenticated"
	WrongCredentials Code = "wrong_credentials"
	Forbidden        Code = "forbidden"
	LoggedOut        Code = "logged_out"
	NotFound         Code = "not_found"

	LoginOff          Code = "login_off"
	BadIdentityToken  Code = "bad_identity_token"
	LoginExpired      Code = "login_expired"
	ProviderRefused   Code = "provider_refused"
	ProviderFailed    Code = "provider_failed"
	LogInAgain        Code = "log_in_again"
	IdentityTaken     Code = "identity_taken"
	TooManyIdentities Code = "too_many_identities"
	LastWayIn         Code = "last_way_in"

	BadName        Code = "bad_name"
	BadEmail       Code = "bad_email"
	BadPassword    Code = "bad_password"
	CommonPassword Code = "common_password"
	NameTaken      Code = "name_taken"
	NotGuest       Code = "not_guest"
	GuestOnly      Code = "guest"
	BadResetToken  Code = "bad_reset_token"

	BadOption  Code = "bad_option"
	UnknownMap Code = "unknown_map"
	BadLimit   Code = "bad_limit"

	BadVersion     Code = "bad_version"
	Draining       Code = "draining"
	BannedAccount  Code = "banned_account"
	BannedAddress  Code = "banned_address"
	QueueBanned    Code = "queue_banned"
	Muted          Code = "muted"
	NotWhitelisted Code = "not_whitelisted"
	KickedOut      Code = "kicked"
	WrongPassword  Code = "wrong_password"
	InMatch        Code = "in_match"
	LobbyClosed    Code = "lobby_closed"
	AlreadySeated  Code = "already_seated"
	NotOpen        Code = "not_open"
	LobbyFull      Code = "lobby_full"
	ModeRefused    Code = "mode_refused"

	NotSeated       Code = "not_seated"
	NotHost         Code = "not_host"
	NoSuchSeat      Code = "no_such_seat"
	BadTeam         Code = "bad_team"
	BadColor        Code = "bad_color"
	ColorTaken      Code = "color_taken"
	BadText         Code = "bad_text"
	WrongState      Code = "wrong_state"
	SettingsChanged Code = "settings_changed"
	NotReady        Code = "not_ready"
	OneSided        Code = "one_sided"
	StartFailed     Code = "start_failed"
	StartRefused    Code = "start_refused"

	UnknownQueue  Code = "unknown_queue"
	QueueFull     Code = "queue_full"
	QueueBarred   Code = "queue_barred"
	AlreadyQueued Code = "already_queued"
	NotQueued     Code = "not_queued"
	NoOffer       Code = "no_offer"
	NoParty       Code = "no_party"
	NotLeader     Code = "not_leader"
	PartyFull     Code = "party_full"
	PartyTooLarge Code = "party_too_large"
	PartyChanged  Code = "party_changed"
	OfferMissed   Code = "offer_missed"
	OfferOpen     Code = "offer_open"

	BadTicket     Code = "bad_ticket"
	TicketUsed    Code = "ticket_used"
	TicketLate    Code = "ticket_expired"
	MatchOver     Code = "match_over"
	MatchWaits    Code = "match_waits"
	MatchRuns     Code = "match_runs"
	ReplayOff     Code = "replay_off"
	ReplayExpired Code = "replay_expired"
	ReplayVersion Code = "replay_version"
	BadTick       Code = "bad_tick"

	BadScenario  Code = "bad_scenario"
	ScenariosOff Code = "scenarios_off"
	BadPack      Code = "bad_pack"

	RunsElsewhere Code = "runs_elsewhere"
	NotMoved      Code = "not_moved"
	AlreadyExists Code = "already_exists"
	ListFull      Code = "list_full"
	Internal      Code = "internal"
)

// CodeInfo is one row of [Codes].
type CodeInfo struct {
	Code   Code
	Status int    // of the HTTP answer
	Text   string // for people; an Error's detail may say more
}

// Codes lists every code with its HTTP status and its sentence. A code without
// a row fails the tests.
var Codes = []CodeInfo{
	{BadRequest, http.StatusUnprocessableEntity, "the request is malformed"},
	{TooLarge, http.StatusRequestEntityTooLarge, "the request is too large"},
	{WrongMediaType, http.StatusUnsupportedMediaType, "send the body as application/json"},
	{WrongHost, http.StatusMisdirectedRequest, "this listener does not answer under this host name; the operator permits further names with --allowed-hosts"},
	{CrossOrigin, http.StatusForbidden, "the request comes from another site"},
	{Unavailable, http.StatusServiceUnavailable, "the database cannot be reached; try again shortly"},
	{LogAway, http.StatusServiceUnavailable, "the cluster's journal store does not answer this node: its matches stand still"},
	{Busy, http.StatusServiceUnavailable, "the server is busy; try again shortly"},
	{ServerFull, http.StatusServiceUnavailable, "the server cannot start another match now; try again later"},
	{Throttled, http.StatusTooManyRequests, "too many attempts; try again later"},

	{Unauthenticated, http.StatusUnauthorized, "log in first"},
	{WrongCredentials, http.StatusUnauthorized, "name or password is wrong"},
	{Forbidden, http.StatusForbidden, "your role does not allow this"},
	{LoggedOut, http.StatusUnauthorized, "you were logged out: log in again"},
	{NotFound, http.StatusNotFound, "not found"},

	{LoginOff, http.StatusForbidden, "this server has no log-in by name and password: continue with one of its providers"},
	{BadIdentityToken, http.StatusUnauthorized, "the token is not valid here"},
	{LoginExpired, http.StatusConflict, "this log-in took too long, was used before, or began in another browser: begin again"},
	{ProviderRefused, http.StatusForbidden, "the identity provider did not log you in"},
	{ProviderFailed, http.StatusBadGateway, "the identity provider did not answer as it should: try again later"},
	{LogInAgain, http.StatusForbidden, "this needs a log-in of the last 15 minutes: log out, log in again and repeat it"},
	{IdentityTaken, http.StatusConflict, "this identity is linked with another account: log in with it, or unlink it there first"},
	{TooManyIdentities, http.StatusConflict, "an account has at most 8 linked identities: unlink one first"},
	{LastWayIn, http.StatusConflict, "this is the only way into the account: set a password or link another identity first"},

	{BadName, http.StatusUnprocessableEntity, "a name has 2 to 24 letters, digits, spaces, dots, dashes or underscores"},
	{BadEmail, http.StatusUnprocessableEntity, "this is not an email address"},
	{BadPassword, http.StatusUnprocessableEntity, "a password has 8 to 128 characters"},
	{CommonPassword, http.StatusUnprocessableEntity, "this password is too common"},
	{NameTaken, http.StatusConflict, "the name or email is taken"},
	{NotGuest, http.StatusConflict, "this account has a password already"},
	{GuestOnly, http.StatusConflict, "guests have no password: make the guest an account first"},
	{BadResetToken, http.StatusUnprocessableEntity, "the reset link is invalid, used or expired"},

	{BadOption, http.StatusUnprocessableEntity, "an option is unknown or out of range"},
	{UnknownMap, http.StatusUnprocessableEntity, "the map is unknown"},
	{BadLimit, http.StatusUnprocessableEntity, "the limit of players does not fit the map"},

	{BadVersion, http.StatusConflict, "client and server speak different versions; reload"},
	{Draining, http.StatusServiceUnavailable, "the server does not start new matches now"},
	{BannedAccount, http.StatusForbidden, "this account is banned"},
	{BannedAddress, http.StatusForbidden, "this address is banned"},
	{QueueBanned, http.StatusForbidden, "this account may not search for matches"},
	{Muted, http.StatusForbidden, "this account is muted"},
	{NotWhitelisted, http.StatusForbidden, "you are not on this lobby's list of players"},
	{KickedOut, http.StatusForbidden, "you were removed from this lobby: try again later, or choose another lobby"},
	{WrongPassword, http.StatusForbidden, "the lobby's password is wrong"},
	{InMatch, http.StatusConflict, "leave the running match first"},
	{LobbyClosed, http.StatusConflict, "the lobby is closed"},
	{AlreadySeated, http.StatusConflict, "you already have a seat in this lobby"},
	{NotOpen, http.StatusConflict, "the lobby does not take players now"},
	{LobbyFull, http.StatusConflict, "the lobby is full"},
	{ModeRefused, http.StatusUnprocessableEntity, "the game mode does not allow this"},

	{NotSeated, http.StatusForbidden, "you have no seat in this lobby"},
	{NotHost, http.StatusForbidden, "only the host may do this"},
	{NoSuchSeat, http.StatusNotFound, "the seat is unknown"},
	{BadTeam, http.StatusUnprocessableEntity, "the team is unknown"},
	{BadColor, http.StatusUnprocessableEntity, "the colour is unknown"},
	{ColorTaken, http.StatusConflict, "another player has this colour"},
	{BadText, http.StatusUnprocessableEntity, "a line of chat has 1 to 500 characters"},
	{WrongState, http.StatusConflict, "this is not possible in the lobby's present state"},
	{SettingsChanged, http.StatusConflict, "the lobby's settings have changed: check them and say ready again"},
	{NotReady, http.StatusConflict, "not everyone is ready"},
	{OneSided, http.StatusConflict, "a match needs players of at least two teams"},
	{StartFailed, http.StatusBadGateway, "the match could not be started"},
	{StartRefused, http.StatusUnprocessableEntity, "this match cannot be started"},

	{UnknownQueue, http.StatusNotFound, "the queue is unknown"},
	{QueueFull, http.StatusServiceUnavailable, "the queue is full; try again shortly"},
	{QueueBarred, http.StatusForbidden, "you did not accept a match that was found: wait a little"},
	{AlreadyQueued, http.StatusConflict, "your party waits in a queue already"},
	{NotQueued, http.StatusConflict, "your party waits in no queue"},
	{NoOffer, http.StatusConflict, "no such match waits for your answer"},
	{NoParty, http.StatusNotFound, "the party is unknown, or you are not in it"},
	{NotLeader, http.StatusForbidden, "only the leader of the party may do this"},
	{PartyFull, http.StatusConflict, "the party is full"},
	{PartyTooLarge, http.StatusConflict, "the party is larger than a team of this queue"},
	{PartyChanged, http.StatusConflict, "a player came or left: the party no longer waits in a queue"},
	{OfferMissed, http.StatusConflict, "not everybody in your party accepted the match"},
	{OfferOpen, http.StatusConflict, "a match was found for the party: its players stay the same until all have answered"},

	{BadTicket, http.StatusForbidden, "invalid ticket"},
	{TicketUsed, http.StatusForbidden, "the ticket has already been used"},
	{TicketLate, http.StatusForbidden, "the ticket has expired"},
	{MatchOver, http.StatusConflict, "the match is over"},
	{MatchWaits, http.StatusServiceUnavailable, "another version of the server began the match: it waits for a server of that version"},
	{MatchRuns, http.StatusConflict, "the match is not over yet: its replay can be watched then"},
	{ReplayOff, http.StatusForbidden, "the host does not allow the replay of this match"},
	{ReplayExpired, http.StatusGone, "the replay of this match is not kept any more"},
	{ReplayVersion, http.StatusConflict, "this version of the server cannot play this replay: another version recorded it"},
	{BadTick, http.StatusUnprocessableEntity, "the match has no such moment to play on from"},
	{BadScenario, http.StatusUnprocessableEntity, "the scenario cannot be played"},
	{BadPack, http.StatusUnprocessableEntity, "the pack is faulty"},
	{ScenariosOff, http.StatusForbidden, "on this server only admins open scenarios"},
	{RunsElsewhere, http.StatusMisdirectedRequest, "another node runs the match: ask there"},
	{NotMoved, http.StatusConflict, "the match was not moved"},
	{AlreadyExists, http.StatusConflict, "it exists already"},
	{ListFull, http.StatusConflict, "the list is full: remove an entry first"},
	{Internal, http.StatusInternalServerError, "internal error: the server's log has the details"},
}

var codeRows = func() map[Code]CodeInfo {
	m := make(map[Code]CodeInfo, len(Codes))
	for _, row := range Codes {
		m[row.Code] = row
	}
	return m
}()

// Info returns the code's row; an unknown code has the row of [Internal].
func (c Code) Info() CodeInfo {
	if row, ok := codeRows[c]; ok {
		return row
	}
	return codeRows[Internal]
}

// Error is a refusal: data for the caller, not a failure of the server
// (those are [Unavailable], [Busy] and [Internal]).
type Error struct {
	Code       Code
	Field      string        // the option or field at fault, if one is
	Detail     string        // a sentence; empty means the code's own
	RetryAfter time.Duration // 0 means: no point in saying
	Err        error         `json:"-"` // the cause, for the log; never sent
}

// Text is the sentence for the refused client. Unlike [Error.Error] it never tells the
// cause.
func (e *Error) Text() string {
	if e.Detail != "" {
		return e.Detail
	}
	return e.Code.Info().Text
}

func (e *Error) Error() string {
	text := e.Text()
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, text, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, text)
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, model.LobbyFull) work through [Code.Error].
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// Error makes a bare Code usable as an error and as errors.Is's target.
func (c Code) Error() string { return string(c) + ": " + c.Info().Text }

// Refuse returns an Error with a detail.
func Refuse(c Code, format string, args ...any) *Error {
	return &Error{Code: c, Detail: fmt.Sprintf(format, args...)}
}

// RefuseField is Refuse for one field or option.
func RefuseField(c Code, field, format string, args ...any) *Error {
	return &Error{Code: c, Field: field, Detail: fmt.Sprintf(format, args...)}
}

// AsError returns err as an *Error: refusals as they are, store trouble as
// [Unavailable] with a time to wait, limits as [Throttled] or, for limits of the whole
// server, [Busy], other errors as [Internal].
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var c Code
	if errors.As(err, &c) {
		return &Error{Code: c, RetryAfter: RetryAfter(c)}
	}
	if r := (*quota.Refusal)(nil); errors.As(err, &r) {
		out := &Error{Code: Throttled, Detail: r.Error(), RetryAfter: r.Wait}
		if r.Full() {
			out.Code = Busy
		}
		return out
	}
	switch {
	case errors.Is(err, ErrUnavailable):
		return &Error{Code: Unavailable, RetryAfter: RetryAfter(Unavailable), Err: err}
	case errors.Is(err, ErrNotFound):
		return &Error{Code: NotFound, Err: err}
	case errors.Is(err, ErrTaken):
		return &Error{Code: AlreadyExists, Err: err}
	}
	return &Error{Code: Internal, Err: err}
}

// RetryAfter is how long a client waits before it tries again.
func RetryAfter(c Code) time.Duration {
	switch c {
	case Unavailable, Busy:
		return 2 * time.Second
	case Draining:
		return time.Minute
	}
	return 0
}

// The errors of a Store beside refusals.
var (
	ErrNotFound    = errors.New("not found")
	ErrTaken       = errors.New("taken")                       // a name, an email, a seat: something that is there once
	ErrUnavailable = errors.New("the database did not answer") // lost, too slow, full: trying again may help
)
