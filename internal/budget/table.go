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
	Held   Kind = iota // so many at once; given back
	Rate               // so many in a time, in memory; a bucket that refills
	Stored             // so many in a window of time, counted in the database
)

// Scope is who shares a limit.
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
	Why      string        // for the page
}

// most makes a row's limits by scope.
func most(account, address, process int64) (m [scopes]int64) {
	m[Account], m[Process] = account, process
	setAddress(&m, address)
	return m
}

// setAddress sets the limit of an address: a network has twice as much, a site four times.
func setAddress(m *[scopes]int64, n int64) { m[Address], m[Network], m[Site] = n, 2*n, 4*n }

// Defaults returns the table as it is without flags.
func Defaults() Limits {
	return Limits{
		{
			Resource: Connections, Kind: Held, What: "open connections", Unit: "connections",
			Most: most(0, 512, 16384), Reserve: 10,
			Why: "TCP connections of the player and admin listeners, whatever they carry. Connections of trusted proxies count only for the process.",
		},
		{
			Resource: Handshakes, Kind: Rate, What: "connection attempts to a match", Unit: "attempts", Per: time.Minute,
			Most: most(0, 600, 12000), Reserve: 10,
			Why: "Websocket upgrades. Each may cost a query of the database.",
		},
		{
			Resource: EarlySockets, Kind: Held, What: "sockets that have not said hello", Unit: "sockets",
			Most: most(0, 64, 1024), Reserve: 10,
			Why: "Websockets from their upgrade to their hello. The hello must come within five seconds.",
		},
		{
			Resource: Sockets, Kind: Held, What: "match sockets", Unit: "sockets",
			Most: most(4, 512, 12288), Reserve: 10,
			Why: "Websockets of players and spectators. An account has one socket in each match. A new socket replaces the old one, and is not refused because of it.",
		},
		{
			Resource: ReplayViewings, Kind: Held, What: "replays being watched", Unit: "viewings",
			Most: most(2, 16, 64),
			Why:  "Each steps a world of its own. A viewing has two sockets at most, and is kept for a minute without one. --replay-mib bounds their memory.",
		},
		{
			Resource: EventStreams, Kind: Held, What: "event streams", Unit: "streams",
			Most: most(6, 256, 8192), Reserve: 10,
			Why: "Server-sent events of lobbies and of matchmaking. A browser needs two for each tab.",
		},
		{
			Resource: Requests, Kind: Rate, What: "requests", Unit: "requests", Per: time.Minute,
			Most: most(0, 3000, 120000), Reserve: 20,
			Why: "HTTP requests of every path: pages, assets, maps, API.",
		},
		{
			Resource: ResponseBytes, Kind: Rate, What: "bytes of pages and maps", Unit: "bytes", Per: time.Minute,
			Most: most(0, 256<<20, 4<<30), Reserve: 10,
			Why: "Bodies of pages, assets and maps. The first visit takes about 1 MB.",
		},
		{
			Resource: Refusals, Kind: Rate, What: "refusals", Unit: "refusals", Per: time.Minute,
			Most: most(0, 120, 6000),
			Why:  "HTTP answers with status 429 that are sent at once. Beyond it each waits a second, so that a client which tries again and again costs little.",
		},
		{
			Resource: SlowRefusals, Kind: Held, What: "refusals that wait", Unit: "refusals",
			Most: most(0, 64, 1024),
			Why:  "Answers with status 429 that wait a second. Beyond it the connection is closed without an answer.",
		},
		{
			Resource: PasswordHashes, Kind: Held, What: "passwords being checked", Unit: "hashes",
			Most: most(2, 32, 256), Reserve: 50,
			Why: "Password hashes that run or wait. One takes 19 MiB and about 30 ms of a core. Addresses take turns. Admins and accounts that come from a known place are first; then log-ins and other passwords take turns.",
		},
		{
			Resource: LobbyChanges, Kind: Rate, What: "changes of lobbies", Unit: "changes", Per: time.Minute,
			Most: most(30, 600, 12000), Reserve: 10,
			Why: "Joining, seats, teams, colours, settings, bots, starts, parties, queues. Each is written to the database and told to everybody in the lobby. Leaving is always possible.",
		},
		{
			Resource: MatchTicks, Kind: Held, What: "ticks per second of live matches", Unit: "ticks per second",
			Most: most(180, 560, 5120), Reserve: 10,
			Why: "Tick rate times speed of the matches of this process, counted for the account that started them; at least 20 a match. A faster speed that finds no room is not set. A match with 20 ticks per second takes about 6 MB and, with 100 units a player, 0.3 percent of a core.",
		},
		{
			Resource: MatchStarts, Kind: Rate, What: "started matches", Unit: "matches", Per: time.Minute,
			Most: most(10, 60, 1200), Reserve: 10,
			Why: "Counted for the account that starts them. Each writes its map, rules and rows, about 15 KB, however short it is.",
		},
		{
			Resource: BotSeats, Kind: Held, What: "bots", Unit: "bots",
			Most: most(15, 64, 512), Reserve: 10,
			Why: "Seats of live matches that bots play, counted for the account that started the match.",
		},
		{
			Resource: JournalBytes, Kind: Rate, What: "bytes of recorded input", Unit: "bytes", Per: time.Minute,
			Most: most(512<<10, 0, 256<<20),
			Why:  "What the inputs of one player add to a match's journal. Beyond it inputs are answered RATE_LIMITED.",
		},
		{
			Resource: Traces, Kind: Held, What: "packet logs", Unit: "logs",
			Most: most(0, 0, 4),
			Why:  "Packet logs of players and spectators that admins read. One keeps at most 1024 lines for its reader, about 0.5 MB.",
		},
		{
			Resource: Inspections, Kind: Held, What: "matches that admins look into", Unit: "matches",
			Most: most(0, 0, 4),
			Why:  "Matches, live or past, that the inspector has open. Each takes up to 128 MiB and four worlds. The one that nobody has asked about for longest gives way.",
		},
		{
			Resource: InspectionStreams, Kind: Held, What: "streams of the inspector", Unit: "streams",
			Most: most(0, 0, 16),
			Why:  "Server-sent events of matches that admins look into.",
		},
		{
			Resource: IdentityLogins, Kind: Rate, What: "log-ins by identity providers", Unit: "steps", Per: time.Minute,
			Most: most(0, 60, 6000), Reserve: 10,
			Why: "Beginnings and ends of log-ins at identity providers, and tokens of theirs. Each may cost a signature's check or a request to the provider.",
		},
		{
			Resource: PendingLogins, Kind: Held, What: "log-ins at identity providers", Unit: "log-ins",
			Most: most(16, 256, 16384), Reserve: 10,
			Why: "Log-ins that were begun and did not come back from the provider. One is forgotten after ten minutes.",
		},
		{
			Resource: ProviderCalls, Kind: Held, What: "checks at identity providers", Unit: "checks",
			Most: most(0, 8, 64), Reserve: 10,
			Why: "Codes and tokens that are being checked. A provider that answers slowly holds one for at most fifteen seconds.",
		},
		{
			Resource: LoginFailures, Kind: Stored, What: "failed log-ins", Unit: "attempts", Per: 15 * time.Minute,
			Most: most(120, 60, 0),
			Why:  "By account: for one name, from addresses where nobody ever logged in to it. A device that did log in to it is not counted here.",
		},
		{
			Resource: WrongPasswords, Kind: Stored, What: "wrong passwords for this name or lobby", Unit: "attempts", Per: 15 * time.Minute,
			Most: [scopes]int64{Address: 8},
			Why:  "For one name from one address, or from one device that logged in to it before; for one lobby from one address.",
		},
		{
			Resource: NewAccounts, Kind: Stored, What: "new accounts", Unit: "accounts", Per: 15 * time.Minute,
			Most: most(0, 60, 0),
			Why:  "A school or a LAN party comes from one address.",
		},
		{
			Resource: NewGuests, Kind: Stored, What: "new guests", Unit: "guests", Per: time.Minute,
			Most: most(0, 30, 6000),
			Why:  "Guests who cannot come back, or do not play within a day, are deleted, and their names are free again.",
		},
		{
			Resource: NewLobbies, Kind: Stored, What: "new lobbies", Unit: "lobbies", Per: time.Minute,
			Most: most(20, 60, 2400),
			Why:  "Each is a row and a name in the list of lobbies. An account sits in one at a time, and one that nobody touches is closed after an hour.",
		},
		{
			Resource: ChatLines, Kind: Stored, What: "chat lines", Unit: "lines", Per: time.Minute,
			Most: most(30, 0, 0),
			Why:  "In lobbies. In a match it is one a second, five at once.",
		},
		{
			Resource: SettingsSaves, Kind: Stored, What: "saved settings", Unit: "saves", Per: time.Minute,
			Most: most(30, 0, 0),
			Why:  "The settings of an account's client, 8 KiB each; a save replaces the one before.",
		},
		{
			Resource: Tickets, Kind: Stored, What: "tickets", Unit: "tickets", Per: time.Minute,
			Most: most(60, 0, 0),
			Why:  "A ticket lets its bearer into a match once.",
		},
		{
			Resource: ReplayTickets, Kind: Stored, What: "tickets for replays", Unit: "tickets", Per: time.Minute,
			Most: most(30, 120, 0),
			Why:  "A ticket opens one replay once. To open one the server reads its journal.",
		},
		{
			Resource: Branches, Kind: Stored, What: "lobbies that play a match on, or a scenario", Unit: "lobbies", Per: time.Minute,
			Most: most(4, 8, 60),
			Why:  "The server plays the match up to the tick, or puts the scenario on its map, one at a time, and keeps the state with the lobby: 20 MiB at most.",
		},
		{
			Resource: PasswordChanges, Kind: Rate, What: "passwords to set or check", Unit: "hashes", Per: time.Minute,
			Most: most(20, 60, 0),
			Why:  "Passwords of accounts and lobbies that one who is logged in sets or tries.",
		},
		{
			Resource: ServiceCalls, Kind: Rate, What: "requests of a service key", Unit: "requests", Per: time.Minute,
			Most: most(1200, 0, 12000),
			Why:  "By account: for one key of the service API.",
		},
		{
			Resource: ServiceAccounts, Kind: Stored, What: "new accounts of a service key", Unit: "accounts", Per: time.Minute,
			Most: most(600, 0, 6000),
			Why:  "By account: for one key. An account is made of a player whom a studio's server names for the first time.",
		},
		{
			Resource: QueueJoins, Kind: Rate, What: "times to join a queue or a party", Unit: "joins", Per: time.Minute,
			Most: most(20, 60, 0),
			Why:  "Each takes the one lock of matchmaking. At most 1000 parties wait in one queue.",
		},
		{
			Resource: WebhookCalls, Kind: Held, What: "webhook requests", Unit: "requests",
			Most: most(16, 0, 256),
			Why:  "By account: for the endpoints of one issuer. Requests to webhook endpoints that wait for an answer, ten seconds at most; four at once to one endpoint, one after a failed try.",
		},
	}
}
