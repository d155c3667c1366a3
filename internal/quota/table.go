package quota

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
	ReplayBytes       Resource = "replay-bytes"
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
	Reports         Resource = "reports"
	Tickets         Resource = "tickets"
	ReplayTickets   Resource = "replay-tickets"
	ArchiveReads    Resource = "archive-reads"
	Branches        Resource = "branches"
	PasswordChanges Resource = "password-changes"
	ServiceCalls    Resource = "service-calls"
	ServiceAccounts Resource = "service-accounts"
	QueueJoins      Resource = "queue-joins"
	WebhookCalls    Resource = "webhook-calls"
	NodeCalls       Resource = "node-calls"
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
	Per      time.Duration // Rate and Stored: the time in which Most may be taken
	Most     [scopes]int64 // by scope; 0: no limit there
	Reserve  int64         // percent of the shared limits that only trusted callers may take

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
		{Resource: Connections, Kind: Held, What: "open connections", Most: most(0, 512, 16384)},
		{Resource: Requests, Kind: Rate, What: "requests", Per: time.Minute, Most: most(0, 3000, 120000)},
		{Resource: Handshakes, Kind: Rate, What: "connection attempts to a match", Per: time.Minute, Most: most(0, 0, factor), part: part{Requests, 1, 5, []Scope{Address}}},
		{Resource: EarlySockets, Kind: Held, What: "sockets that have not said hello", part: part{Connections, 1, 8, []Scope{Address, Process}}},
		{Resource: Sockets, Kind: Held, What: "match sockets", Most: most(4, 0, 0), part: part{Connections, 3, 4, []Scope{Address, Process}}},
		{Resource: ReplayViewings, Kind: Held, What: "replays being watched", Most: most(2, 16, 64)},
		{Resource: ReplayBytes, Kind: Held, What: "bytes of replays", Most: most(0, 0, 512<<20)},
		{Resource: EventStreams, Kind: Held, What: "event streams", Most: most(6, 0, 0), part: part{Connections, 1, 2, []Scope{Address, Process}}},
		{Resource: ResponseBytes, Kind: Rate, What: "bytes of pages and maps", Per: time.Minute, Most: most(0, 256<<20, 4<<30)},
		{Resource: Refusals, Kind: Rate, What: "refusals", Per: time.Minute, part: part{Requests, 1, 25, []Scope{Address, Process}}},
		{Resource: SlowRefusals, Kind: Held, What: "refusals that wait", part: part{Connections, 1, 16, []Scope{Address, Process}}},
		{Resource: PasswordHashes, Kind: Held, What: "passwords being checked", Most: most(2, 32, factor), Reserve: 50},
		{Resource: LobbyChanges, Kind: Rate, What: "changes of lobbies", Per: time.Minute, Most: most(30, 0, factor), part: part{Requests, 1, 5, []Scope{Address}}},
		{Resource: MatchTicks, Kind: Held, What: "ticks per second of live matches", Most: most(180, 560, 5120)},
		{Resource: BotSeats, Kind: Held, What: "bots", Most: most(15, 64, factor)},
		{Resource: JournalBytes, Kind: Rate, What: "bytes of recorded input", Per: time.Minute, Most: most(512<<10, 0, 256<<20)},
		{Resource: Inspections, Kind: Held, What: "matches that admins look into", Most: most(0, 0, 4)},
		{Resource: Traces, Kind: Held, What: "packet logs", part: part{Inspections, 1, 1, []Scope{Process}}},
		{Resource: InspectionStreams, Kind: Held, What: "streams of the inspector", part: part{Inspections, 4, 1, []Scope{Process}}},
		{Resource: IdentityLogins, Kind: Rate, What: "log-ins by identity providers", Per: time.Minute, Most: most(0, 60, 6000)},
		{Resource: PendingLogins, Kind: Held, What: "log-ins at identity providers", part: part{Connections, 1, 2, []Scope{Address, Process}}},
		{Resource: ProviderCalls, Kind: Held, What: "checks at identity providers", Most: most(0, 8, factor)},
		{Resource: LoginFailures, Kind: Stored, What: "failed log-ins", Per: 15 * time.Minute, Most: most(120, 60, 0)},
		{Resource: WrongPasswords, Kind: Stored, What: "wrong passwords for this name or lobby", Per: 15 * time.Minute, Most: most(0, 8, 0)},
		{Resource: NewAccounts, Kind: Stored, What: "new accounts", Per: 15 * time.Minute, part: part{LoginFailures, 1, 1, []Scope{Address}}},
		{Resource: NewGuests, Kind: Stored, What: "new guests", Per: time.Minute, Most: most(0, 30, 6000)},
		{Resource: NewLobbies, Kind: Stored, What: "new lobbies", Per: time.Minute, Most: most(20, 60, 2400)},
		{Resource: MatchStarts, Kind: Rate, What: "started matches", Per: time.Minute, Most: most(0, 60, factor), part: part{NewLobbies, 1, 2, []Scope{Account}}},
		{Resource: QueueJoins, Kind: Rate, What: "times to join a queue or a party", Per: time.Minute, part: part{NewLobbies, 1, 1, []Scope{Account, Address}}},
		{Resource: ChatLines, Kind: Stored, What: "chat lines", Per: time.Minute, part: part{LobbyChanges, 1, 1, []Scope{Account}}},
		{Resource: SettingsSaves, Kind: Stored, What: "saved settings", Per: time.Minute, part: part{LobbyChanges, 1, 1, []Scope{Account}}},
		{Resource: Reports, Kind: Stored, What: "reports of players", Per: 24 * time.Hour, Most: most(10, 30, 0)},
		{Resource: Tickets, Kind: Stored, What: "tickets", Per: time.Minute, part: part{LobbyChanges, 2, 1, []Scope{Account}}},
		{Resource: ReplayTickets, Kind: Stored, What: "tickets for replays", Per: time.Minute, Most: most(0, 120, 0), part: part{LobbyChanges, 1, 1, []Scope{Account}}},
		{Resource: ArchiveReads, Kind: Rate, What: "matches read from the archive", Per: time.Minute, Most: most(6, 12, 60)},
		{Resource: Branches, Kind: Stored, What: "lobbies that play a match on, or a scenario", Per: time.Minute, part: part{ArchiveReads, 1, 1, []Scope{Account, Address, Process}}},
		{Resource: PasswordChanges, Kind: Rate, What: "passwords to set or check", Per: time.Minute, Most: most(20, 0, 0), part: part{IdentityLogins, 1, 1, []Scope{Address}}},
		{Resource: ServiceCalls, Kind: Rate, What: "requests of a service key", Per: time.Minute, Most: most(1200, 0, 12000)},
		{Resource: ServiceAccounts, Kind: Stored, What: "new accounts of a service key", Per: time.Minute, part: part{ServiceCalls, 1, 2, []Scope{Account, Process}}},
		{Resource: WebhookCalls, Kind: Held, What: "webhook requests", Most: most(16, 0, 256)},
		{Resource: NodeCalls, Kind: Held, What: "calls of other nodes", Most: most(0, 0, 512)},
	}
}
