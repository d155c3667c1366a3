package budget

import "time"

// Resource names one row of the table.
type Resource string

// The resources, by their names in flags, refusals and metrics.
const (
	Connections       Resource = "connections"
	Handshakes        Resource = "handshakes"
	EarlySockets      Resource = "early-sockets"
	Sockets           Resource = "sockets"
	ReplayViewings    Resource = "replay-viewings"
	EventStreams      Resource = "event-streams"
	Requests          Resource = "requests"
	ResponseBytes     Resource = "response-bytes"
	Refusals          Resource = "refusals"
	SlowRefusals      Resource = "slow-refusals"
	PasswordHashes    Resource = "password-hashes"
	LobbyChanges      Resource = "lobby-changes"
	MatchTicks        Resource = "match-ticks"
	MatchStarts       Resource = "match-starts"
	BotSeats          Resource = "bot-seats"
	JournalBytes      Resource = "journal-bytes"
	Traces            Resource = "traces"
	Inspections       Resource = "inspections"
	InspectionStreams Resource = "inspection-streams"
	IdentityLogins    Resource = "identity-logins"
	PendingLogins     Resource = "pending-logins"
	ProviderCalls     Resource = "provider-calls"

	LoginFailures   Resource = "login-failures"
	WrongPasswords  Resource = "wrong-passwords"
	NewAccounts     Resource = "new-accounts"
	NewGuests       Resource = "new-guests"
	NewLobbies      Resource = "new-lobbies"
	ChatLines       Resource = "chat-lines"
	SettingsSaves   Resource = "settings-saves"
	Tickets         Resource = "tickets"
	ReplayTickets   Resource = "replay-tickets"
	Branches        Resource = "branches"
	PasswordChanges Resource = "password-changes"
	ServiceCalls    Resource = "service-calls"
	ServiceAccounts Resource = "service-accounts"
	QueueJoins      Resource = "queue-joins"
	WebhookCalls    Resource = "webhook-calls"
)

// Kind says how a resource is counted.
type Kind uint8

// The kinds.
const (
	Held   Kind = iota // an amount at once; given back
	Rate               // an amount per time, in memory; a bucket that refills
	Stored             // an amount per window of time, counted in the database
)

// Scope is the group that shares a limit.
type Scope uint8

// The scopes, from the narrowest.
const (
	Account Scope = iota
	Address       // IPv4 /32, IPv6 /64
	Network       // IPv4 /24, IPv6 /56
	Site          // IPv6 /48; IPv4 addresses do not have a site
	Process
	scopes
)

// String is the scope's name in flags and metrics.
func (s Scope) String() string {
	return [...]string{"account", "address", "network", "site", "process"}[s]
}

// Limit is a row of the table.
type Limit struct {
	Resource Resource
	Kind     Kind
	What     string        // plural, for sentences: "event streams"
	Unit     string        // of the numbers, for the page
	Per      time.Duration // Rate and Stored: the time in which Most may be taken
	Most     [scopes]int64 // by scope; 0: no limit there
	Reserve  int64         // percent of the shared limits that only trusted callers may take
	Notices  string        // the viewers of a refusal, and its form, for the page
	Why      string        // for the page

	part part // the scopes whose limits come from another row
}

// part makes limits of a row from another row's: times/of as much, in these scopes.
type part struct {
	base      Resource
	times, of int64
	scopes    []Scope
}

// in returns the limit that follows from the base's limit n: at least 1, as 0 is no limit.
func (p part) in(n int64) int64 { return max(1, n*p.times/p.of) }

// The factors of the table. A network and a site share a multiple of an address's limit. The
// process has a multiple too, where the table gives its limit as factor.
const (
	networkTimes     = 2
	siteTimes        = 4
	processTimesHeld = 8
	processTimesRate = 20
	factor           = -1

	reserve = 10 // percent of the limits of addresses and the process
)

// most makes a row's limits by scope.
func most(account, address, process int64) (m [scopes]int64) {
	m[Account], m[Address], m[Process] = account, address, process
	return m
}

// set sets the limit of a scope; an address's limit also sets its network's and its
// site's. A wrong password counts for a name at one address alone.
func (l *Limit) set(s Scope, n int64) {
	if l.Most[s] = n; s == Address && l.Resource != WrongPasswords {
		l.Most[Network], l.Most[Site] = networkTimes*n, siteTimes*n
	}
}

// Defaults returns the table as it is without flags.
func Defaults() Limits {
	t := rows()
	for i := range t {
		row := &t[i]
		for _, s := range row.part.scopes {
			row.Most[s] = row.part.in(t.Of(row.part.base).Most[s])
		}
		if row.Most[Process] == factor {
			row.Most[Process] = row.Most[Address] * map[Kind]int64{Held: processTimesHeld, Rate: processTimesRate}[row.Kind]
		}
		row.set(Address, row.Most[Address])
		if row.Kind != Stored && row.Reserve == 0 && row.Most[Address] > 0 && row.Most[Process] > 0 {
			row.Reserve = reserve
		}
	}
	return t
}

// rows returns the table before the factors. A row stands after its base.
func rows() Limits {
	return Limits{
		{
			Resource: Connections, Kind: Held, What: "open connections", Unit: "connections",
			Most:    most(0, 512, 16384),
			Notices: "Browsers and clients: status 503 in plain text, or a closed connection.",
			Why:     "TCP connections of the player and admin listeners, whatever they carry. Connections of trusted proxies count only for the process.",
		},
		{
			Resource: Handshakes, Kind: Rate, What: "connection attempts to a match", Unit: "attempts", Per: time.Minute,
			Most:    most(0, 600, factor),
			Notices: "Players who connect to a match again and again: status 429.",
			Why:     "Websocket upgrades. Each may cost a query of the database.",
		},
		{
			Resource: EarlySockets, Kind: Held, What: "sockets that have not said hello", Unit: "sockets",
			Most: most(0, 64, 0), part: part{Connections, 1, 16, []Scope{Process}},
			Notices: "Players behind an address from which others connect and stay silent: status 429.",
			Why:     "Websockets from their upgrade to their hello. The hello must come within five seconds.",
		},
		{
			Resource: Sockets, Kind: Held, What: "match sockets", Unit: "sockets",
			Most: most(4, 0, 0), part: part{Connections, 3, 4, []Scope{Address, Process}},
			Notices: "Players and spectators who enter a match: `too_many_sockets` or `server_full`.",
			Why:     "Websockets of players and spectators. An account has one socket in each match. A new socket replaces the old one, and is not refused because of it.",
		},
		{
			Resource: ReplayViewings, Kind: Held, What: "replays being watched", Unit: "viewings",
			Most:    most(2, 16, 64),
			Notices: "Viewers who open one more replay: `too_many_sockets` or `server_full`.",
			Why:     "Each steps a world of its own. A viewing has two sockets at most, and is kept for a minute without one. --replay-mib bounds their memory.",
		},
		{
			Resource: EventStreams, Kind: Held, What: "event streams", Unit: "streams",
			Most: most(6, 0, 0), part: part{Connections, 1, 2, []Scope{Address, Process}},
			Notices: "Players with many tabs: their lobby stops to update, with status 429.",
			Why:     "Server-sent events of lobbies and of matchmaking. A browser needs two for each tab.",
		},
		{
			Resource: Requests, Kind: Rate, What: "requests", Unit: "requests", Per: time.Minute,
			Most:    most(0, 3000, 120000),
			Notices: "Browsers and bots of an address: status 429 on each page and call.",
			Why:     "HTTP requests of every path: pages, assets, maps, API.",
		},
		{
			Resource: ResponseBytes, Kind: Rate, What: "bytes of pages and maps", Unit: "bytes", Per: time.Minute,
			Most:    most(0, 256<<20, 4<<30),
			Notices: "Visitors of an address that loads maps and pages again and again: status 429.",
			Why:     "Bodies of pages, assets and maps. The first visit takes about 1 MB.",
		},
		{
			Resource: Refusals, Kind: Rate, What: "refusals", Unit: "refusals", Per: time.Minute,
			part:    part{Requests, 1, 25, []Scope{Address, Process}},
			Notices: "Clients that go on after a 429: each answer comes a second later.",
			Why:     "HTTP answers with status 429 that are sent at once. Beyond it each waits a second, so that a client which tries again and again costs little.",
		},
		{
			Resource: SlowRefusals, Kind: Held, What: "refusals that wait", Unit: "refusals",
			part:    part{Connections, 1, 16, []Scope{Address, Process}},
			Notices: "Clients that go on after slow answers: closed connections.",
			Why:     "Answers with status 429 that wait a second. Beyond it the connection is closed without an answer.",
		},
		{
			Resource: PasswordHashes, Kind: Held, What: "passwords being checked", Unit: "hashes",
			Most: most(2, 32, factor), Reserve: 50,
			Notices: "Players who log in or register during a flood of log-ins: status 429 or 503.",
			Why:     "Password hashes that run or wait. One takes 19 MiB and about 30 ms of a core. Addresses take turns. Admins and accounts that come from a known place are first; then log-ins and other passwords take turns.",
		},
		{
			Resource: LobbyChanges, Kind: Rate, What: "changes of lobbies", Unit: "changes", Per: time.Minute,
			Most:    most(30, 600, factor),
			Notices: "Players who change a lobby, or join lobbies, without a pause: status 429.",
			Why:     "Joining, seats, teams, colours, settings, bots, starts, parties, queues. Each is written to the database and told to everybody in the lobby. Leaving is always possible.",
		},
		{
			Resource: MatchTicks, Kind: Held, What: "ticks per second of live matches", Unit: "ticks per second",
			Most:    most(180, 560, 5120),
			Notices: "Hosts who start a match or set a faster speed: status 429, `server_full`, or the old speed.",
			Why:     "Tick rate times speed of the matches of this process, counted for the account that started them; at least 20 a match. A faster speed that finds no room is not set. A match with 20 ticks per second takes about 6 MB and, with 100 units a player, 0.3 percent of a core.",
		},
		{
			Resource: BotSeats, Kind: Held, What: "bots", Unit: "bots",
			Most:    most(15, 64, factor),
			Notices: "Hosts who start a match with bots: status 429 or `server_full`.",
			Why:     "Seats of live matches that bots play, counted for the account that started the match.",
		},
		{
			Resource: JournalBytes, Kind: Rate, What: "bytes of recorded input", Unit: "bytes", Per: time.Minute,
			Most:    most(512<<10, 0, 256<<20),
			Notices: "Players whose client floods a match with orders: RATE_LIMITED.",
			Why:     "What the inputs of one player add to a match's journal. Beyond it inputs are answered RATE_LIMITED.",
		},
		{
			Resource: Inspections, Kind: Held, What: "matches that admins look into", Unit: "matches",
			Most:    most(0, 0, 4),
			Notices: "Admins who inspect a further match: the match that was looked at longest ago is closed.",
			Why:     "Matches, live or past, that the inspector has open. Each takes up to 128 MiB and four worlds. The one that nobody has asked about for longest gives way.",
		},
		{
			Resource: Traces, Kind: Held, What: "packet logs", Unit: "logs",
			part:    part{Inspections, 1, 1, []Scope{Process}},
			Notices: "Admins who open one more packet log: status 503.",
			Why:     "Packet logs of players and spectators that admins read. One keeps at most 1024 lines for its reader, about 0.5 MB.",
		},
		{
			Resource: InspectionStreams, Kind: Held, What: "streams of the inspector", Unit: "streams",
			part:    part{Inspections, 4, 1, []Scope{Process}},
			Notices: "Admins with many tabs of the inspector: status 503.",
			Why:     "Server-sent events of matches that admins look into.",
		},
		{
			Resource: IdentityLogins, Kind: Rate, What: "log-ins by identity providers", Unit: "steps", Per: time.Minute,
			Most:    most(0, 60, 6000),
			Notices: "Players who log in at a provider: status 429.",
			Why:     "Beginnings and ends of log-ins at identity providers, and tokens of theirs. Each may cost a signature's check or a request to the provider.",
		},
		{
			Resource: PendingLogins, Kind: Held, What: "log-ins at identity providers", Unit: "log-ins",
			Most:    most(0, 256, 16384),
			Notices: "Players who begin to log in at a provider: status 429 or 503.",
			Why:     "Log-ins that were begun and did not come back from the provider. One is forgotten after ten minutes.",
		},
		{
			Resource: ProviderCalls, Kind: Held, What: "checks at identity providers", Unit: "checks",
			Most:    most(0, 8, factor),
			Notices: "Players who come back from a provider that is slow: status 429 or 503.",
			Why:     "Codes and tokens that are being checked. A provider that answers slowly holds one for at most fifteen seconds.",
		},
		{
			Resource: LoginFailures, Kind: Stored, What: "failed log-ins", Unit: "attempts", Per: 15 * time.Minute,
			Most:    most(120, 60, 0),
			Notices: "Strangers to a name, and all who try passwords from an address: status 429.",
			Why:     "By account: for one name, from addresses where nobody ever logged in to it. A device that did log in to it is not counted here.",
		},
		{
			Resource: WrongPasswords, Kind: Stored, What: "wrong passwords for this name or lobby", Unit: "attempts", Per: 15 * time.Minute,
			Most:    most(0, 8, 0),
			Notices: "Players who guess or forget a password: status 429.",
			Why:     "For one name from one address, or from one device that logged in to it before; for one lobby from one address.",
		},
		{
			Resource: NewAccounts, Kind: Stored, What: "new accounts", Unit: "accounts", Per: 15 * time.Minute,
			part:    part{LoginFailures, 1, 1, []Scope{Address}},
			Notices: "Players who register: status 429.",
			Why:     "A school or a LAN party comes from one address.",
		},
		{
			Resource: NewGuests, Kind: Stored, What: "new guests", Unit: "guests", Per: time.Minute,
			Most:    most(0, 30, 6000),
			Notices: "Guests who come to the page: status 429 or 503.",
			Why:     "Guests who cannot come back, or do not play within a day, are deleted, and their names are free again.",
		},
		{
			Resource: NewLobbies, Kind: Stored, What: "new lobbies", Unit: "lobbies", Per: time.Minute,
			Most:    most(20, 60, 2400),
			Notices: "Hosts who make lobbies: status 429 or 503.",
			Why:     "Each is a row and a name in the list of lobbies. An account sits in one at a time, and one that nobody touches is closed after an hour.",
		},
		{
			Resource: MatchStarts, Kind: Rate, What: "started matches", Unit: "matches", Per: time.Minute,
			Most: most(0, 60, factor), part: part{NewLobbies, 1, 2, []Scope{Account}},
			Notices: "Hosts who start one match after the other: status 429 or `server_full`.",
			Why:     "Counted for the account that starts them. Each writes its map, rules and rows, about 15 KB, however short it is.",
		},
		{
			Resource: QueueJoins, Kind: Rate, What: "times to join a queue or a party", Unit: "joins", Per: time.Minute,
			part:    part{NewLobbies, 1, 1, []Scope{Account, Address}},
			Notices: "Players who join and leave a queue or a party: status 429.",
			Why:     "Each takes the one lock of matchmaking. At most 1000 parties wait in one queue.",
		},
		{
			Resource: ChatLines, Kind: Stored, What: "chat lines", Unit: "lines", Per: time.Minute,
			part:    part{LobbyChanges, 1, 1, []Scope{Account}},
			Notices: "Players who chat in a lobby: status 429.",
			Why:     "In lobbies. In a match it is one a second, five at once.",
		},
		{
			Resource: SettingsSaves, Kind: Stored, What: "saved settings", Unit: "saves", Per: time.Minute,
			part:    part{LobbyChanges, 1, 1, []Scope{Account}},
			Notices: "Players whose client saves its settings too often: status 429.",
			Why:     "The settings of an account's client, 8 KiB each; a save replaces the one before.",
		},
		{
			Resource: Tickets, Kind: Stored, What: "tickets", Unit: "tickets", Per: time.Minute,
			Most:    most(60, 0, 0),
			Notices: "Players who enter a match again and again: status 429.",
			Why:     "A ticket lets its bearer into a match once.",
		},
		{
			Resource: ReplayTickets, Kind: Stored, What: "tickets for replays", Unit: "tickets", Per: time.Minute,
			Most: most(0, 120, 0), part: part{Tickets, 1, 2, []Scope{Account}},
			Notices: "Viewers who open replays: status 429.",
			Why:     "A ticket opens one replay once. To open one the server reads its journal.",
		},
		{
			Resource: Branches, Kind: Stored, What: "lobbies that play a match on, or a scenario", Unit: "lobbies", Per: time.Minute,
			Most:    most(4, 8, 60),
			Notices: "Players who play a match on, or make a lobby of a scenario: status 429 or 503.",
			Why:     "The server plays the match up to the tick, or puts the scenario on its map, one at a time, and keeps the state with the lobby: 20 MiB at most.",
		},
		{
			Resource: PasswordChanges, Kind: Rate, What: "passwords to set or check", Unit: "hashes", Per: time.Minute,
			Most: most(20, 0, 0), part: part{IdentityLogins, 1, 1, []Scope{Address}},
			Notices: "Players who change a password, or type one of a lobby: status 429.",
			Why:     "Passwords of accounts and lobbies that one who is logged in sets or tries.",
		},
		{
			Resource: ServiceCalls, Kind: Rate, What: "requests of a service key", Unit: "requests", Per: time.Minute,
			Most:    most(1200, 0, 12000),
			Notices: "A studio's server: status 429.",
			Why:     "By account: for one key of the service API.",
		},
		{
			Resource: ServiceAccounts, Kind: Stored, What: "new accounts of a service key", Unit: "accounts", Per: time.Minute,
			part:    part{ServiceCalls, 1, 2, []Scope{Account, Process}},
			Notices: "A studio's server that names new players: status 429.",
			Why:     "By account: for one key. An account is made of a player whom a studio's server names for the first time.",
		},
		{
			Resource: WebhookCalls, Kind: Held, What: "webhook requests", Unit: "requests",
			Most:    most(16, 0, 256),
			Notices: "A studio's server: its events come later.",
			Why:     "By account: for the endpoints of one issuer. Requests to webhook endpoints that wait for an answer, ten seconds at most; four at once to one endpoint, one after a failed try.",
		},
	}
}
