package lobby

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// What a Store reports beside refusals.
var (
	ErrNotFound    = errors.New("not found")
	ErrTaken       = errors.New("taken")                       // a name, an email, a seat: something that is there once
	ErrUnavailable = errors.New("the database did not answer") // lost, too slow, full: trying again may help
)

// Store keeps everything the lobby knows. Its two makers are lobby/sqlite and
// lobby/postgres; lobby/storetest holds both to the same behaviour. All
// methods may be called from any goroutine.
type Store interface {
	// Read runs fn in a transaction that changes nothing and sees one moment.
	Read(ctx context.Context, fn func(Tx) error) error
	// Write runs fn in a transaction that is kept if fn returns nil. When the
	// database refuses it for the sake of another one, fn runs again from the
	// start: it must have no effect but through its Tx.
	Write(ctx context.Context, fn func(Tx) error) error
	// Connections returns how many reads and how many writes the store takes at a time. No reads:
	// the connections of writes are for both.
	Connections() (reads, writes int)
	// Kind names the database in start lines and logs: "sqlite", "postgres".
	Kind() string
	// Ping asks whether the database answers.
	Ping(ctx context.Context) error
	// Close waits for running transactions and frees everything.
	Close() error
}

// Tx is one transaction: it lives as long as the call it was handed to, and
// its context is that call's. A thing that is not there is [ErrNotFound]; a
// second one of what exists once is [ErrTaken].
type Tx interface {
	// Accounts.

	AddAccount(Account) error
	Account(AccountID) (Account, error)
	// LockAccount is Account, and keeps other transactions that lock the same
	// one waiting until this one ends.
	LockAccount(AccountID) (Account, error)
	// AccountByLogin finds by name or email, see [LoginKey].
	AccountByLogin(key string) (Account, error)
	SaveAccount(Account) error
	// PurgeGuests looks at the next limit guests behind an id (in the order of
	// ids, "" before all), deletes those who are of no use any more, as
	// [Retention] says, and returns the last id and how many it looked at.
	PurgeGuests(after AccountID, r Retention, limit int) (last AccountID, seen int, err error)
	// EndEpoch begins a new epoch of the account and returns it. Tickets and
	// resume tokens of earlier epochs are invalid.
	EndEpoch(AccountID) (epoch int64, err error)
	// Epochs returns the epochs of accounts; of those deleted, none.
	Epochs([]AccountID) (map[AccountID]int64, error)
	// DeleteChat deletes what the account said in lobbies.
	DeleteChat(AccountID) error
	// AnonymizeDeleted takes deleted accounts out of what at most limit seats of
	// their matches wrote down, and returns how many there were. Accounts that
	// nothing names any more are gone altogether.
	AnonymizeDeleted(limit int) (int, error)
	Accounts(AccountFilter) ([]Account, error)
	Record(AccountID) (Record, error)
	// History lists what the account played, latest first, below num before
	// (0: from the latest).
	History(a AccountID, before int64, limit int) ([]Played, error)

	// AccountSettings returns the settings that PutAccountSettings stored last.
	AccountSettings(AccountID) (json.RawMessage, error)
	PutAccountSettings(AccountID, json.RawMessage) error
	DropAccountSettings(AccountID) error

	// AccountByExternal finds the account that an external identity is linked with.
	AccountByExternal(ExternalID) (Account, error)
	// LinkExternal adds a link. An identity has one link at most: a second one, to
	// whichever account, is [ErrTaken].
	LinkExternal(ExternalLink) error
	// UseExternal notes a log-in by an identity that is linked.
	UseExternal(id ExternalID, now time.Time) error
	UnlinkExternal(AccountID, ExternalID) error
	// Externals lists the links of an account, the oldest first.
	Externals(AccountID) ([]ExternalLink, error)
	DropExternals(AccountID) error

	AddReset(Reset) error
	// Reset finds a reset that is neither used nor expired.
	Reset(hash SecretHash, now time.Time) (Reset, error)
	// UseReset finds the reset and marks it used, if it is neither used nor
	// expired.
	UseReset(hash SecretHash, now time.Time) (Reset, error)
	DropResets(AccountID) error

	// Sessions and throttles.

	// HashCosts lists the costs of all password hashes of a realm (see
	// [HashCost]), each once.
	HashCosts(Realm) ([]string, error)

	AddSession(Session) error
	// Session finds a session that has not expired, with its account or admin.
	Session(realm Realm, hash SecretHash, now time.Time) (Session, error)
	EndSession(Realm, SecretHash) error
	// EndSessions ends all of an account's or admin's, but the one with hash keep.
	EndSessions(realm Realm, subject string, keep SecretHash) (int64, error)
	Sessions(realm Realm, subject string) ([]Session, error)

	// Count adds n to a counter that starts again from 0 at the end of each
	// window, and returns its value and when the window ends.
	Count(key string, n int, now time.Time, window time.Duration) (int, time.Time, error)
	// Counted returns a counter's value and when its window ends, and changes
	// nothing.
	Counted(key string, now time.Time) (int, time.Time, error)
	// Forget sets counters back to 0.
	ResetCounters(keys ...string) error

	// AddPlace remembers a network or device from which the login key was used
	// with success; KnownPlace asks.
	AddPlace(key, place string, now time.Time) error
	KnownPlace(key, place string) (bool, error)
	// DropPlaces forgets all places of login keys.
	DropPlaces(keys ...string) error

	// Purge deletes what has expired: sessions, tickets, counters, resets, keys of
	// requests.
	Purge(now time.Time) error

	// Lobbies.

	AddLobby(*Lobby) error // sets Num; stores Events
	Lobby(LobbyID) (*Lobby, error)
	// LockLobby is Lobby, and keeps other transactions that lock it waiting.
	LockLobby(LobbyID) (*Lobby, error)
	// SaveLobby stores a locked lobby, its seats and its Events, which it
	// numbers. An account that sits elsewhere already is ErrTaken.
	SaveLobby(*Lobby) error
	Lobbies(LobbyFilter) ([]*Lobby, error)
	// AddLobbyStart stores what the matches of a new lobby begin with. It goes when the
	// lobby is closed, and so does its origin.
	AddLobbyStart(id LobbyID, setup []byte) error
	// LobbyStart returns that, or [ErrNotFound].
	LobbyStart(LobbyID) ([]byte, error)
	// LobbyOf returns the lobby in which the account has a seat.
	LobbyOf(AccountID) (LobbyID, error)
	// LobbyEvents lists events after a number, in order.
	LobbyEvents(l LobbyID, after int64, limit int) ([]Event, error)
	// LobbyChat lists the last lines of chat and announcements after a number, in
	// order.
	LobbyChat(l LobbyID, after int64, limit int) ([]Event, error)
	// TouchLobbies notes that somebody is in these lobbies now, or in the matches
	// that run in theirs.
	TouchLobbies(ls []LobbyID, ms []MatchID, now time.Time) error
	// LobbySeqs returns the number of each lobby's last event.
	LobbySeqs([]LobbyID) (map[LobbyID]int64, error)
	// DueLobbies lists those in state starting whose StartAt has passed.
	DueLobbies(now time.Time) ([]LobbyID, error)
	// IdleLobbies lists those open or ended, untouched since.
	IdleLobbies(since time.Time, limit int) ([]LobbyID, error)

	// Matches and tickets.

	AddMatch(Match) error
	Match(MatchID) (Match, error)
	LockMatch(MatchID) (Match, error)
	// SaveMatch stores node, state, result and times, and each seat's outcome.
	SaveMatch(Match) error
	// TakeSeat stores a locked match's Spec, and the account that has the seat of a
	// slot in it. A player who had the seat has left the match at now, and its
	// outcome is its team's.
	TakeSeat(m Match, slot grid.Slot, now time.Time) error
	// SaveSpec stores a locked match's Spec, in which nobody has another seat than before.
	SaveSpec(Match) error
	// ReturnSeat undoes the last TakeSeat of a slot: it stores a locked match's Spec, and
	// the account that has the seat in it again. back: the account has not left the match.
	ReturnSeat(m Match, slot grid.Slot, back bool) error
	// Matches lists the newest matches that a filter selects, newest first.
	Matches(f MatchFilter) ([]Match, error)

	// PurgeMatches looks at the next limit matches behind a number, deletes those
	// that were over before a time and in which nobody with a password played,
	// and returns the last number and how many it looked at.
	PurgeMatches(after int64, before time.Time, limit int) (last int64, seen int, err error)

	// LiveSeat returns the newest match that is made or runs and in which the
	// account plays and has not left.
	LiveSeat(AccountID) (Match, error)
	// LeaveMatches notes that the account has left a match for good; "": all that
	// are made or run.
	LeaveMatches(a AccountID, m MatchID, now time.Time) error
	// HasLeft reports whether it has.
	HasLeft(AccountID, MatchID) (bool, error)

	AddTicket(Ticket) error
	// HasTicket reports whether there is such a ticket, and locks nothing.
	HasTicket(SecretHash) (bool, error)
	// LockTicket finds a ticket and keeps others who present it waiting.
	LockTicket(SecretHash) (Ticket, error)
	UseTicket(hash SecretHash, now time.Time) error

	// Replays.

	// SetReplays stores a match's Replays and ReplayLinks.
	SetReplays(Match) error
	// AddWatcher notes that an account was let in to watch a match, once however
	// often; HasWatched asks.
	AddWatcher(MatchID, AccountID) error
	HasWatched(MatchID, AccountID) (bool, error)
	// HasPlayed reports whether the account has or had a player's seat in a match.
	HasPlayed(MatchID, AccountID) (bool, error)
	// PlayerNames returns the names, as they are today, of the accounts that have or
	// had a seat in a match; of those deleted, none.
	PlayerNames(MatchID) (map[AccountID]string, error)

	AddReplayTicket(ReplayTicket) error
	HasReplayTicket(SecretHash) (bool, error)
	// LockReplayTicket finds a ticket and keeps others who present it waiting.
	LockReplayTicket(SecretHash) (ReplayTicket, error)
	UseReplayTicket(hash SecretHash, now time.Time) error

	// Redactions lists what is to be taken out of journals, of matches that a node ran
	// last ("": of all), behind a match and account.
	Redactions(node string, after Redaction, limit int) ([]Redaction, error)
	DropRedaction(Redaction) error

	// Matchmaking. Whoever changes parties and offers has locked it.

	// LockMatchmaking keeps other transactions that call it waiting until this one
	// ends, and returns when a process last looked who can play.
	LockMatchmaking() (paired time.Time, err error)
	SetPaired(time.Time) error
	AddParty(*Party) error
	// SaveParty stores a party with its members, and counts its Seq up. One without
	// members is deleted. An account that is in another party is ErrTaken.
	SaveParty(*Party) error
	Party(PartyID) (*Party, error)
	PartyOf(AccountID) (*Party, error)
	PartyByCode(code string) (*Party, error)
	// PartyTokens returns for accounts that are in a party a text that is another one
	// when the party has changed.
	PartyTokens([]AccountID) (map[AccountID]string, error)
	// WaitingParties lists those in a queue to which nothing is offered, the oldest
	// first.
	WaitingParties() ([]*Party, error)
	// QueueLengths counts who is in each queue that is not empty.
	QueueLengths() (map[string]QueueLength, error)
	SeenMembers([]AccountID, time.Time) error
	// UnseenParties lists parties with a member who was last seen before a time:
	// one for those in a queue, one for the others.
	UnseenParties(queued, idle time.Time, limit int) ([]PartyID, error)

	AddOffer(Offer) error
	Offer(OfferID) (Offer, error)
	DueOffers(now time.Time) ([]Offer, error)
	DropOffer(OfferID) error

	// Ratings.

	Ratings(queue string, accounts []AccountID) (map[AccountID]QueueRating, error)
	// LockRatings is Ratings, and keeps other transactions that lock the same ones
	// waiting.
	LockRatings(queue string, accounts []AccountID) (map[AccountID]QueueRating, error)
	SaveRating(QueueRating) error
	// DropRating deletes an account's rating in a queue; DropRatings those of an
	// account in all queues, ResetRatings those of all in a queue.
	DropRating(queue string, a AccountID) error
	DropRatings(AccountID) error
	ResetRatings(queue string) (int64, error)
	Leaderboard(queue string, after *LeaderboardAfter, limit int) ([]QueueRating, error)
	// Place counts who is listed before a rating, and one.
	Place(QueueRating) (int, error)
	AddRatedSeat(RatedSeat) error
	// RatedSeats lists those of a match by place.
	RatedSeats(MatchID) ([]RatedSeat, error)
	SaveRatedSeat(RatedSeat) error
	// LastRated returns the account's seat in the match that was counted last.
	LastRated(queue string, a AccountID) (RatedSeat, error)

	// Admins, bans and the server as a whole.

	ServerState() (ServerState, error)
	// HoldServerState is ServerState, and keeps drain and bans as they are until the
	// transaction ends: who takes a seat holds it.
	HoldServerState() (ServerState, error)
	SetDraining(bool) error

	// AddBan also waits for those who hold the server state. It sets ID.
	AddBan(*Ban) error
	LiftBan(id int64, now time.Time) (Ban, error)
	// Banned returns the ban that keeps out an account or an address now, the
	// account's first. The zero Addr is in no range.
	Banned(a AccountID, addr netip.Addr, now time.Time) (Ban, error)
	Bans(before int64, limit int) ([]Ban, error)

	AddAdmin(Admin) error
	Admin(id string) (Admin, error)
	AdminByName(key string) (Admin, error)
	SaveAdmin(Admin) error
	Admins() ([]Admin, error)
	CountAdmins() (int, error)

	// Nodes.

	// Beat stores a node with its URL, counts its Beats up and notes when.
	Beat(name, url string, now time.Time) error
	// Nodes lists them by name.
	Nodes() ([]Node, error)
	// DropNodes deletes those that were last seen before a time.
	DropNodes(before time.Time) error

	// Service keys.

	AddServiceKey(ServiceKey) error
	// ServiceKeys lists keys, newest first, those that were revoked too.
	ServiceKeys(now time.Time) ([]ServiceKey, error)
	// LockServiceKey returns a key as it is now, without Old, and keeps those who
	// change it waiting.
	LockServiceKey(id string) (ServiceKey, error)
	// ServiceKeyBySecret finds the key that has a secret which works now. Whether the
	// key holds is not looked at.
	ServiceKeyBySecret(hash SecretHash, now time.Time) (ServiceKey, error)
	TouchServiceKey(id string, now time.Time) error
	RevokeServiceKey(id string, now time.Time) error
	AddKeySecret(key string, hash SecretHash, now time.Time) error
	// EndKeySecrets has the key's newest secret end at a time, and all before it at
	// once.
	EndKeySecrets(key string, until, now time.Time) error

	// AddServiceMatch notes for which issuer a match was made, and by which request.
	// A second match of the issuer's same request is [ErrTaken].
	AddServiceMatch(m MatchID, issuer, request, hash string, now time.Time) error
	// ServiceRequest finds the match that an issuer's request has made, and the
	// request's hash.
	ServiceRequest(issuer, request string) (MatchID, string, error)
	ForgetServiceRequest(MatchID) error
	// ServiceMatchIssuer returns the issuer that a match was made for; [ErrNotFound]
	// for one that players made.
	ServiceMatchIssuer(MatchID) (string, error)
	// ServiceMatches is Matches, of those that were made for an issuer.
	ServiceMatches(issuer string, states []MatchState, before int64, limit int) ([]Match, error)
	// Subjects names accounts by their subjects at an issuer, those that have one.
	Subjects(issuer string, accounts []AccountID) (map[AccountID]string, error)

	// Webhooks.

	WebhookEndpoints() ([]WebhookEndpoint, error) // newest first
	AddWebhookEndpoint(WebhookEndpoint) error
	// SaveWebhookSecrets stores both secrets and when the old one ends.
	SaveWebhookSecrets(WebhookEndpoint) error
	DeleteWebhookEndpoint(id string) error // with its events
	AddHookEvent(HookEvent) error          // gives it its Num
	// DueEndpoints lists the endpoints that have events to be tried now.
	DueEndpoints(now time.Time) ([]string, error)
	// LeaseHookEvents takes an endpoint's events that are due, of each stream the
	// first if nobody has it. Others get them when the lease is over.
	LeaseHookEvents(endpoint string, now, until time.Time, lease string, limit int) ([]HookEvent, error)
	// DropHookEvent deletes an event, if the lease is still on it.
	DropHookEvent(num int64, lease string) error
	// PutOffHookEvent stores Due, Tries, Dead and Failure, if the lease is still on it,
	// and ends the lease.
	PutOffHookEvent(e HookEvent, lease string) error
	// DeadHookEvents lists dead events, newest first, below num before; of an
	// issuer's endpoints, or "": of all.
	DeadHookEvents(issuer string, before int64, limit int) ([]HookEvent, error)
	DeadHookEvent(num int64) (HookEvent, error)
	ReviveHookEvent(num int64, now time.Time) error
	// PruneHookEvents deletes an endpoint's events that are dead since before a time,
	// and the oldest beyond so many that wait and that are dead. It returns how many
	// were beyond.
	PruneHookEvents(endpoint string, before time.Time, waiting, dead int) (int, error)
	CountHookEvents() (waiting, dead int, err error)

	// AddAudit adds a row to the chain's end, and keeps others that do waiting.
	// It sets Num, Link, Prev and Hash.
	AddAudit(*AuditRow) error
	AuditChain() (AuditChain, error)
	// AuditFrom lists rows in the chain's order, behind a link and, among those
	// from before the chain, behind a number.
	AuditFrom(link, num int64, limit int) ([]AuditRow, error)
	// PruneAudit deletes at most limit rows of the chain that are older than a
	// time, from its beginning on, moves the anchor, and returns it with the
	// number of rows.
	PruneAudit(before time.Time, limit int) (AuditHead, int, error)
	Audit(before int64, limit int) ([]AuditRow, error)
	// AuditedSince reports whether the admin did this to the subject since.
	AuditedSince(admin, action, subject string, since time.Time) (bool, error)
}

// AccountFilter chooses accounts by name, after the given name (for paging).
type AccountFilter struct {
	Query string // part of a name, folded; empty: all
	After string // folded name of the last one seen
	Limit int
}

// Retention says which guests are of no use any more: whoever is not seated, has
// no open reset link and no external identity, was made before New, took part in no match that was over
// after History or runs, and has either no session at Now or never played and was
// made before Unused.
type Retention struct {
	Now, New, Unused, History time.Time
}

// Reset is a single-use link by which an account gets a new password.
type Reset struct {
	Hash    SecretHash
	Account AccountID
	By      string // the admin
	Expires time.Time
}

// QueueLength is how many wait in a queue.
type QueueLength struct {
	Parties, Players int
}

// MatchFilter chooses matches, newest first.
type MatchFilter struct {
	States  []MatchState // none: all
	Account AccountID    // of a player who has or had a seat; empty: all
	From    time.Time    // started then or later; zero: at any time
	To      time.Time    // started before; zero: at any time
	Before  int64        // below this Num; 0: from the newest
	Limit   int
}

// LobbyFilter chooses lobbies, newest first.
type LobbyFilter struct {
	Query   string  // part of the lobby's or map's name, folded; empty: all
	States  []State // none: all but closed
	Public  bool    // only those without a password
	HasRoom bool    // only those that a player could join now
	// Meeting leaves out where nobody meets others: ended lobbies, and those of one
	// player that nobody could join.
	Meeting bool
	// Hosted leaves out those that were made for one match, which have no host.
	Hosted    bool
	UsedSince time.Time // only those in which somebody was since; zero: all
	Before    int64     // below this Num; 0: from the newest
	Limit     int
}

// seatOf is the MatchSeat of a participant.
func seatOf(m MatchID, p Participant) Admission {
	return Admission{Match: m, Account: p.Account, Name: p.Name, Slot: p.Slot, Team: p.Team, Bot: p.Bot}
}

// spectatorOf is the MatchSeat of a spectator. A team that nobody of the match
// is in has no eyes: who asks for them looks with all.
func spectatorOf(m Match, a Account, eyes grid.Team) Admission {
	if !slices.ContainsFunc(m.Spec.Participants, func(p Participant) bool { return p.Team == eyes }) {
		eyes = grid.NoTeam
	}
	delay := time.Duration(m.Spec.Options.SpectatorDelay) * time.Second
	return Admission{Match: m.ID, Account: a.ID, Epoch: a.Epoch, Name: a.Name, Slot: grid.NoSlot, Team: eyes, Spectator: true, Delay: delay}
}
