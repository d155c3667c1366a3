package lobby

import (
	"context"
	"encoding/json"
	"net/netip"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
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
// its context is that call's. A thing that is not there is [model.ErrNotFound]; a
// second one of what exists once is [model.ErrTaken].
type Tx interface {
	// Accounts.

	AddAccount(model.Account) error
	Account(model.AccountID) (model.Account, error)
	// LockAccount is Account, and keeps other transactions that lock the same
	// one waiting until this one ends.
	LockAccount(model.AccountID) (model.Account, error)
	// AccountByLogin finds by name or email, see [model.LoginKey].
	AccountByLogin(key string) (model.Account, error)
	SaveAccount(model.Account) error
	// PurgeGuests looks at the next limit guests behind an id (in the order of
	// ids, "" before all), deletes those who are of no use any more, as
	// [model.Retention] says, and returns the last id and how many it looked at.
	PurgeGuests(after model.AccountID, r model.Retention, limit int) (last model.AccountID, seen int, err error)
	// EndEpoch begins a new epoch of the account and returns it. Tickets and
	// resume tokens of earlier epochs are invalid.
	EndEpoch(model.AccountID) (epoch int64, err error)
	// Epochs returns the epochs of accounts; of those deleted, none.
	Epochs([]model.AccountID) (map[model.AccountID]int64, error)
	// DeleteChat deletes what the account said in lobbies.
	DeleteChat(model.AccountID) error
	// AnonymizeDeleted takes deleted accounts out of what at most limit seats of
	// their matches wrote down, and returns how many there were. Accounts that
	// nothing names any more are gone altogether.
	AnonymizeDeleted(limit int) (int, error)
	Accounts(model.AccountFilter) ([]model.Account, error)
	Record(model.AccountID) (model.Record, error)
	// History lists what the account played, latest first, below num before
	// (0: from the latest).
	History(a model.AccountID, before int64, limit int) ([]model.Played, error)

	// AccountSettings returns the settings that PutAccountSettings stored last.
	AccountSettings(model.AccountID) (json.RawMessage, error)
	PutAccountSettings(model.AccountID, json.RawMessage) error
	DropAccountSettings(model.AccountID) error

	// AccountByExternal finds the account that an external identity is linked with.
	AccountByExternal(model.ExternalID) (model.Account, error)
	// LinkExternal adds a link. An identity has one link at most: a second one, to
	// whichever account, is [model.ErrTaken].
	LinkExternal(model.ExternalLink) error
	// UseExternal notes a log-in by an identity that is linked.
	UseExternal(id model.ExternalID, now time.Time) error
	UnlinkExternal(model.AccountID, model.ExternalID) error
	// Externals lists the links of an account, the oldest first.
	Externals(model.AccountID) ([]model.ExternalLink, error)
	DropExternals(model.AccountID) error

	AddReset(model.Reset) error
	// Reset finds a reset that is neither used nor expired.
	Reset(hash model.SecretHash, now time.Time) (model.Reset, error)
	// UseReset finds the reset and marks it used, if it is neither used nor
	// expired.
	UseReset(hash model.SecretHash, now time.Time) (model.Reset, error)
	DropResets(model.AccountID) error

	// Sessions and throttles.

	// HashCosts lists the costs of all password hashes of a realm (see
	// [model.HashCost]), each once.
	HashCosts(model.Realm) ([]string, error)

	AddSession(model.Session) error
	// Session finds a session that has not expired, with its account or admin.
	Session(realm model.Realm, hash model.SecretHash, now time.Time) (model.Session, error)
	EndSession(model.Realm, model.SecretHash) error
	// EndSessions ends all of an account's or admin's, but the one with hash keep.
	EndSessions(realm model.Realm, subject string, keep model.SecretHash) (int64, error)
	Sessions(realm model.Realm, subject string) ([]model.Session, error)

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

	AddLobby(*model.Lobby) error // sets Num; stores Events
	Lobby(model.LobbyID) (*model.Lobby, error)
	// LockLobby is Lobby, and keeps other transactions that lock it waiting.
	LockLobby(model.LobbyID) (*model.Lobby, error)
	// SaveLobby stores a locked lobby, its seats and its Events, which it
	// numbers. An account that sits elsewhere already is ErrTaken.
	SaveLobby(*model.Lobby) error
	Lobbies(model.LobbyFilter) ([]*model.Lobby, error)
	// AddLobbyStart stores what the matches of a new lobby begin with. It goes when the
	// lobby is closed, and so does its origin.
	AddLobbyStart(id model.LobbyID, setup []byte) error
	// LobbyStart returns that, or [model.ErrNotFound].
	LobbyStart(model.LobbyID) ([]byte, error)
	// LobbyOf returns the lobby in which the account has a seat.
	LobbyOf(model.AccountID) (model.LobbyID, error)
	// LobbyEvents lists events after a number, in order.
	LobbyEvents(l model.LobbyID, after int64, limit int) ([]model.Event, error)
	// LobbyChat lists the last lines of chat and announcements after a number, in
	// order.
	LobbyChat(l model.LobbyID, after int64, limit int) ([]model.Event, error)
	// TouchLobbies notes that somebody is in these lobbies now, or in the matches
	// that run in theirs.
	TouchLobbies(ls []model.LobbyID, ms []model.MatchID, now time.Time) error
	// LobbySeqs returns the number of each lobby's last event.
	LobbySeqs([]model.LobbyID) (map[model.LobbyID]int64, error)
	// DueLobbies lists those in state starting whose StartAt has passed.
	DueLobbies(now time.Time) ([]model.LobbyID, error)
	// IdleLobbies lists those open or ended, untouched since.
	IdleLobbies(since time.Time, limit int) ([]model.LobbyID, error)

	// Matches and tickets.

	AddMatch(model.Match) error
	Match(model.MatchID) (model.Match, error)
	LockMatch(model.MatchID) (model.Match, error)
	// SaveMatch stores node, state, result and times, and each seat's outcome.
	SaveMatch(model.Match) error
	// TakeSeat stores a locked match's Spec, and the account that has the seat of a
	// slot in it. A player who had the seat has left the match at now, and its
	// outcome is its team's.
	TakeSeat(m model.Match, slot grid.Slot, now time.Time) error
	// SaveSpec stores a locked match's Spec, in which nobody has another seat than before.
	SaveSpec(model.Match) error
	// ReturnSeat undoes the last TakeSeat of a slot: it stores a locked match's Spec, and
	// the account that has the seat in it again. back: the account has not left the match.
	ReturnSeat(m model.Match, slot grid.Slot, back bool) error
	// Matches lists the newest matches that a filter selects, newest first.
	Matches(f model.MatchFilter) ([]model.Match, error)

	// PurgeMatches looks at the next limit matches behind a number, deletes those
	// that were over before a time and in which nobody with a password played,
	// and returns the last number and how many it looked at.
	PurgeMatches(after int64, before time.Time, limit int) (last int64, seen int, err error)

	// LiveSeat returns the newest match that is made or runs and in which the
	// account plays and has not left.
	LiveSeat(model.AccountID) (model.Match, error)
	// LeaveMatches notes that the account has left a match for good; "": all that
	// are made or run.
	LeaveMatches(a model.AccountID, m model.MatchID, now time.Time) error
	// HasLeft reports whether it has.
	HasLeft(model.AccountID, model.MatchID) (bool, error)

	AddTicket(model.Ticket) error
	// HasTicket reports whether there is such a ticket, and locks nothing.
	HasTicket(model.SecretHash) (bool, error)
	// LockTicket finds a ticket and keeps others who present it waiting.
	LockTicket(model.SecretHash) (model.Ticket, error)
	UseTicket(hash model.SecretHash, now time.Time) error

	// Replays.

	// SetReplays stores a match's Replays and ReplayLinks.
	SetReplays(model.Match) error
	// AddWatcher notes that an account was let in to watch a match, once however
	// often; HasWatched asks.
	AddWatcher(model.MatchID, model.AccountID) error
	HasWatched(model.MatchID, model.AccountID) (bool, error)
	// HasPlayed reports whether the account has or had a player's seat in a match.
	HasPlayed(model.MatchID, model.AccountID) (bool, error)
	// PlayerNames returns the names, as they are today, of the accounts that have or
	// had a seat in a match; of those deleted, none.
	PlayerNames(model.MatchID) (map[model.AccountID]string, error)

	AddReplayTicket(model.ReplayTicket) error
	HasReplayTicket(model.SecretHash) (bool, error)
	// LockReplayTicket finds a ticket and keeps others who present it waiting.
	LockReplayTicket(model.SecretHash) (model.ReplayTicket, error)
	UseReplayTicket(hash model.SecretHash, now time.Time) error

	// Redactions lists what is to be taken out of journals, of matches that a node ran
	// last ("": of all), behind a match and account.
	Redactions(node string, after model.Redaction, limit int) ([]model.Redaction, error)
	DropRedaction(model.Redaction) error

	// Matchmaking. Whoever changes parties and offers has locked it.

	// LockMatchmaking keeps other transactions that call it waiting until this one
	// ends, and returns when a process last looked who can play.
	LockMatchmaking() (paired time.Time, err error)
	SetPaired(time.Time) error
	AddParty(*model.Party) error
	// SaveParty stores a party with its members, and counts its Seq up. One without
	// members is deleted. An account that is in another party is ErrTaken.
	SaveParty(*model.Party) error
	Party(model.PartyID) (*model.Party, error)
	PartyOf(model.AccountID) (*model.Party, error)
	PartyByCode(code string) (*model.Party, error)
	// PartyTokens returns for accounts that are in a party a text that is another one
	// when the party has changed.
	PartyTokens([]model.AccountID) (map[model.AccountID]string, error)
	// WaitingParties lists those in a queue to which nothing is offered, the oldest
	// first.
	WaitingParties() ([]*model.Party, error)
	// QueueLengths counts who is in each queue that is not empty.
	QueueLengths() (map[string]model.QueueLength, error)
	SeenMembers([]model.AccountID, time.Time) error
	// UnseenParties lists parties with a member who was last seen before a time:
	// one for those in a queue, one for the others.
	UnseenParties(queued, idle time.Time, limit int) ([]model.PartyID, error)

	AddOffer(model.Offer) error
	Offer(model.OfferID) (model.Offer, error)
	DueOffers(now time.Time) ([]model.Offer, error)
	DropOffer(model.OfferID) error

	// Ratings.

	Ratings(queue string, accounts []model.AccountID) (map[model.AccountID]model.QueueRating, error)
	// LockRatings is Ratings, and keeps other transactions that lock the same ones
	// waiting.
	LockRatings(queue string, accounts []model.AccountID) (map[model.AccountID]model.QueueRating, error)
	SaveRating(model.QueueRating) error
	// DropRating deletes an account's rating in a queue; DropRatings those of an
	// account in all queues, ResetRatings those of all in a queue.
	DropRating(queue string, a model.AccountID) error
	DropRatings(model.AccountID) error
	ResetRatings(queue string) (int64, error)
	Leaderboard(queue string, after *model.LeaderboardAfter, limit int) ([]model.QueueRating, error)
	// Place counts who is listed before a rating, and one.
	Place(model.QueueRating) (int, error)
	AddRatedSeat(model.RatedSeat) error
	// RatedSeats lists those of a match by place.
	RatedSeats(model.MatchID) ([]model.RatedSeat, error)
	SaveRatedSeat(model.RatedSeat) error
	// LastRated returns the account's seat in the match that was counted last.
	LastRated(queue string, a model.AccountID) (model.RatedSeat, error)

	// Admins, bans and the server as a whole.

	ServerState() (model.ServerState, error)
	// HoldServerState is ServerState, and keeps drain and bans as they are until the
	// transaction ends: who takes a seat holds it.
	HoldServerState() (model.ServerState, error)
	SetDraining(bool) error

	// AddBan also waits for those who hold the server state. It sets ID.
	AddBan(*model.Ban) error
	LiftBan(id int64, now time.Time) (model.Ban, error)
	// Banned returns the ban that keeps out an account or an address now, the
	// account's first. The zero Addr is in no range.
	Banned(a model.AccountID, addr netip.Addr, now time.Time) (model.Ban, error)
	Bans(before int64, limit int) ([]model.Ban, error)

	AddAdmin(model.Admin) error
	Admin(id string) (model.Admin, error)
	AdminByName(key string) (model.Admin, error)
	SaveAdmin(model.Admin) error
	Admins() ([]model.Admin, error)
	CountAdmins() (int, error)

	// Nodes.

	// Beat stores a node with its URL, counts its Beats up and notes when.
	Beat(name, url string, now time.Time) error
	// Nodes lists them by name.
	Nodes() ([]model.Node, error)
	// DropNodes deletes those that were last seen before a time.
	DropNodes(before time.Time) error

	// Service keys.

	AddServiceKey(model.ServiceKey) error
	// ServiceKeys lists keys, newest first, those that were revoked too.
	ServiceKeys(now time.Time) ([]model.ServiceKey, error)
	// LockServiceKey returns a key as it is now, without Old, and keeps those who
	// change it waiting.
	LockServiceKey(id string) (model.ServiceKey, error)
	// ServiceKeyBySecret finds the key that has a secret which works now. Whether the
	// key holds is not looked at.
	ServiceKeyBySecret(hash model.SecretHash, now time.Time) (model.ServiceKey, error)
	TouchServiceKey(id string, now time.Time) error
	RevokeServiceKey(id string, now time.Time) error
	AddKeySecret(key string, hash model.SecretHash, now time.Time) error
	// EndKeySecrets has the key's newest secret end at a time, and all before it at
	// once.
	EndKeySecrets(key string, until, now time.Time) error

	// AddServiceMatch notes for which issuer a match was made, and by which request.
	// A second match of the issuer's same request is [model.ErrTaken].
	AddServiceMatch(m model.MatchID, issuer, request, hash string, now time.Time) error
	// ServiceRequest finds the match that an issuer's request has made, and the
	// request's hash.
	ServiceRequest(issuer, request string) (model.MatchID, string, error)
	ForgetServiceRequest(model.MatchID) error
	// ServiceMatchIssuer returns the issuer that a match was made for; [model.ErrNotFound]
	// for one that players made.
	ServiceMatchIssuer(model.MatchID) (string, error)
	// ServiceMatches is Matches, of those that were made for an issuer.
	ServiceMatches(issuer string, states []model.MatchState, before int64, limit int) ([]model.Match, error)
	// Subjects names accounts by their subjects at an issuer, those that have one.
	Subjects(issuer string, accounts []model.AccountID) (map[model.AccountID]string, error)

	// Webhooks.

	WebhookEndpoints() ([]model.WebhookEndpoint, error) // newest first
	AddWebhookEndpoint(model.WebhookEndpoint) error
	// SaveWebhookSecrets stores both secrets and when the old one ends.
	SaveWebhookSecrets(model.WebhookEndpoint) error
	DeleteWebhookEndpoint(id string) error // with its events
	AddHookEvent(model.HookEvent) error    // gives it its Num
	// DueEndpoints lists the endpoints that have events to be tried now.
	DueEndpoints(now time.Time) ([]string, error)
	// LeaseHookEvents takes an endpoint's events that are due, of each stream the
	// first if nobody has it. Others get them when the lease is over.
	LeaseHookEvents(endpoint string, now, until time.Time, lease string, limit int) ([]model.HookEvent, error)
	// DropHookEvent deletes an event, if the lease is still on it.
	DropHookEvent(num int64, lease string) error
	// PutOffHookEvent stores Due, Tries, Dead and Failure, if the lease is still on it,
	// and ends the lease.
	PutOffHookEvent(e model.HookEvent, lease string) error
	// DeadHookEvents lists dead events, newest first, below num before; of an
	// issuer's endpoints, or "": of all.
	DeadHookEvents(issuer string, before int64, limit int) ([]model.HookEvent, error)
	DeadHookEvent(num int64) (model.HookEvent, error)
	ReviveHookEvent(num int64, now time.Time) error
	// PruneHookEvents deletes an endpoint's events that are dead since before a time,
	// and the oldest beyond so many that wait and that are dead. It returns how many
	// were beyond.
	PruneHookEvents(endpoint string, before time.Time, waiting, dead int) (int, error)
	CountHookEvents() (waiting, dead int, err error)

	// AddAudit adds a row to the chain's end, and keeps others that do waiting.
	// It sets Num, Link, Prev and Hash.
	AddAudit(*model.AuditRow) error
	AuditChain() (model.AuditChain, error)
	// AuditFrom lists rows in the chain's order, behind a link and, among those
	// from before the chain, behind a number.
	AuditFrom(link, num int64, limit int) ([]model.AuditRow, error)
	// PruneAudit deletes at most limit rows of the chain that are older than a
	// time, from its beginning on, moves the anchor, and returns it with the
	// number of rows.
	PruneAudit(before time.Time, limit int) (model.AuditHead, int, error)
	Audit(before int64, limit int) ([]model.AuditRow, error)
	// AuditedSince reports whether the admin did this to the subject since.
	AuditedSince(admin, action, subject string, since time.Time) (bool, error)
}

// seatOf is the MatchSeat of a participant.
func seatOf(m model.MatchID, p model.Participant) model.Admission {
	return model.Admission{Match: m, Account: p.Account, Name: p.Name, Slot: p.Slot, Team: p.Team, Bot: p.Bot}
}

// spectatorOf is the MatchSeat of a spectator. A team that nobody of the match
// is in has no eyes: who asks for them looks with all.
func spectatorOf(m model.Match, a model.Account, eyes grid.Team) model.Admission {
	if !slices.ContainsFunc(m.Spec.Participants, func(p model.Participant) bool { return p.Team == eyes }) {
		eyes = grid.NoTeam
	}
	delay := time.Duration(m.Spec.Options.SpectatorDelay) * time.Second
	return model.Admission{Match: m.ID, Account: a.ID, Epoch: a.Epoch, Name: a.Name, Slot: grid.NoSlot, Team: eyes, Spectator: true, Delay: delay}
}
