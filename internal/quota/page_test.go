package quota

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the table of docs/reference/limits.md")

const (
	page  = "../../docs/reference/limits.md"
	begin = "<!-- limits: made by go test ./internal/quota -update -->\n"
	end   = "<!-- end of limits -->"
)

// texts has the words of the page for each resource: the unit of its numbers, the viewers and the form of a refusal, and the
// reason of the limit.
var texts = map[Resource]struct{ unit, notices, why string }{
	Connections: {
		"connections",
		"Browsers and clients: status 503 in plain text, or a closed connection.",
		"TCP connections of the player and admin listeners, of every kind. Connections of trusted proxies count only for the process.",
	},
	Handshakes: {
		"attempts",
		"Players who connect to a match again and again: status 429.",
		"Websocket upgrades. Each may cost a query of the database.",
	},
	EarlySockets: {
		"sockets",
		"Players behind an address with other, silent connections: status 429.",
		"Websockets from their upgrade to their hello. The hello must come within five seconds.",
	},
	Sockets: {
		"sockets",
		"Players and spectators who enter a match: `too_many_sockets` or `server_full`.",
		"Websockets of players and spectators. An account has one socket in each match. A new socket replaces the old one, and is not refused because of it.",
	},
	ReplayViewings: {
		"viewings",
		"Viewers who open one more replay: `too_many_sockets` or `server_full`.",
		"Each viewing simulates a separate world. It has at most two sockets, and the server keeps it for a minute without one.",
	},
	ReplayBytes: {
		"bytes",
		"Viewers and players who open one more: `server_full`.",
		"Memory of replays, continued matches and delayed spectators. Inspected matches count, and only `inspections` refuses them.",
	},
	EventStreams: {
		"streams",
		"Players with many tabs: their lobby no longer updates, with status 429.",
		"Server-sent events of lobbies and of matchmaking. A browser needs two for each tab.",
	},
	Requests: {
		"requests",
		"Browsers and bots of an address: status 429 on each page and call.",
		"HTTP requests of every path: pages, assets, maps, API.",
	},
	ResponseBytes: {
		"bytes",
		"Visitors of an address that loads maps and pages again and again: status 429.",
		"Bodies of pages, assets and maps.",
	},
	Refusals: {
		"refusals",
		"Clients that go on after a 429: each answer comes a second later.",
		"HTTP answers with status 429 that are sent at once. Beyond this rate each answer waits a second, so that a client that retries without end costs little.",
	},
	SlowRefusals: {
		"refusals",
		"Clients that go on after slow answers: closed connections.",
		"Answers with status 429 that wait a second. Beyond this number the server closes the connection without an answer.",
	},
	PasswordHashes: {
		"hashes",
		"Players who log in or register during a flood of log-ins: status 429 or 503.",
		"Password hashes that run or wait. One takes 19 MiB and about 30 ms of a core. Addresses take turns. Admins and accounts that come from a known place are first; then log-ins and other passwords take turns.",
	},
	LobbyChanges: {
		"changes",
		"Players who change a lobby, or join lobbies, without a pause: status 429.",
		"Joining, seats, teams, colours, settings, bots, starts, parties, queues. The server writes each change to the database and sends it to all players in the lobby. Leaving is always possible.",
	},
	MatchTicks: {
		"ticks per second",
		"Hosts who start a match or set a faster speed: status 429, `server_full`, or the old speed.",
		"Tick rate times speed of the matches of this process, counted for the account that started them; at least 20 per match. The server does not set a faster speed without room for it. A match with 20 ticks per second takes about 6 MB and, with 100 units per player, 0.3 percent of a core.",
	},
	BotSeats: {
		"bots",
		"Hosts who start a match with bots: status 429 or `server_full`.",
		"Seats of live matches that bots play, counted for the account that started the match.",
	},
	JournalBytes: {
		"bytes",
		"Players whose client floods a match with orders: RATE_LIMITED.",
		"Bytes that the inputs of one player add to a match's journal. Beyond this rate the server answers inputs with RATE_LIMITED.",
	},
	Inspections: {
		"matches",
		"Admins who inspect one more match: the server closes the match with the oldest request.",
		"Matches, live or past, that the inspector has open. Each takes up to 128 MiB and four worlds. The match with the oldest request gives way.",
	},
	Traces: {
		"logs",
		"Admins who open one more packet log: status 503.",
		"Packet logs of players and spectators that admins read. One keeps at most 1024 messages for its reader, 0.5 MB.",
	},
	InspectionStreams: {
		"streams",
		"Admins with many tabs of the inspector: status 503.",
		"Server-sent events of matches that admins look into.",
	},
	IdentityLogins: {
		"steps",
		"Players who log in at a provider: status 429.",
		"Beginnings and ends of log-ins at identity providers, and the providers' tokens. Each may cost the check of a signature or a request to the provider.",
	},
	PendingLogins: {
		"log-ins",
		"Players who begin to log in at a provider: status 429 or 503.",
		"Log-ins that began and have not come back from the provider. The server forgets each after ten minutes.",
	},
	ProviderCalls: {
		"checks",
		"Players who come back from a slow provider: status 429 or 503.",
		"Codes and tokens that are being checked. A provider that answers slowly holds one for at most fifteen seconds.",
	},
	LoginFailures: {
		"attempts",
		"Strangers to a name, and all who try passwords from an address: status 429.",
		"By account: for one name, from addresses without an earlier log-in to it. A device with an earlier log-in does not count here.",
	},
	WrongPasswords: {
		"attempts",
		"Players who guess or forget a password: status 429.",
		"For one name from one address, or from one device with an earlier log-in to it; for one lobby from one address.",
	},
	NewAccounts: {
		"accounts",
		"Players who register: status 429.",
		"A school or a LAN party comes from one address.",
	},
	NewGuests: {
		"guests",
		"Guests who come to the page: status 429 or 503.",
		"The server deletes guests who cannot come back, or do not play within a day, and frees their names.",
	},
	NewLobbies: {
		"lobbies",
		"Hosts who make lobbies: status 429 or 503.",
		"Each is a row and a name in the list of lobbies. An account sits in one lobby at a time. The server closes a lobby after an hour without a change.",
	},
	MatchStarts: {
		"matches",
		"Hosts who start one match after the other: status 429 or `server_full`.",
		"Counted for the account that starts them. Each writes its map, rules and rows, about 15 KB, however short it is.",
	},
	QueueJoins: {
		"joins",
		"Players who join and leave a queue or a party: status 429.",
		"Each takes the one lock of matchmaking. At most 1000 parties wait in one queue.",
	},
	ChatLines: {
		"lines",
		"Players who chat in a lobby: status 429.",
		"In lobbies. In a match the limit is one per second, five at once.",
	},
	Reports: {
		"reports",
		"Players who report again and again: status 429.",
		"A report of a match reads its journal for the chat. A moderator reads each report.",
	},
	SettingsSaves: {
		"saves",
		"Players whose client saves its settings too often: status 429.",
		"The settings of an account's client, 8 KiB each; a save replaces the one before.",
	},
	Tickets: {
		"tickets",
		"Players who enter a match again and again: status 429.",
		"A ticket lets its bearer into a match once.",
	},
	ReplayTickets: {
		"tickets",
		"Viewers who open replays: status 429.",
		"A ticket opens one replay once. To open one the server reads its journal.",
	},
	ArchiveReads: {
		"matches",
		"Programs that read the archive of shared replays: status 429 or 503.",
		"The server reads a journal for each, and plays it for a timeline.",
	},
	Branches: {
		"lobbies",
		"Players who play a match on, or make a lobby of a scenario: status 429 or 503.",
		"The server plays the match up to the tick, or sets the scenario up on its map, one at a time, and keeps the state with the lobby: 20 MiB at most.",
	},
	PasswordChanges: {
		"hashes",
		"Players who change a password, or enter a lobby's password: status 429.",
		"Passwords of accounts and lobbies that a logged-in player sets or tries.",
	},
	ServiceCalls: {
		"requests",
		"A studio's server: status 429.",
		"By account: for one key of the service API.",
	},
	ServiceAccounts: {
		"accounts",
		"A studio's server that names new players: status 429.",
		"By account: for one key. The server makes an account for each player whom a studio's server names for the first time.",
	},
	WebhookCalls: {
		"requests",
		"A studio's server: its events come later.",
		"By account: for the endpoints of one issuer. Requests to webhook endpoints that wait for an answer, ten seconds at most; four at once to one endpoint, one after a failed try.",
	},
	NodeCalls: {
		"calls",
		"Players of a cluster whose request needs another node: status 503. They try again.",
		"Calls of other nodes that the listener for nodes answers at once. Each may bring a body of up to 8 MiB. The sockets and the inspections that come by this listener count in their own rows.",
	},
}

// TestPageHasTheTable holds docs/reference/limits.md to the table in the code.
func TestPageHasTheTable(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table: %s … %s", page, begin, end)
	}
	want := before + begin + table() + end + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the table says: run go test ./internal/quota -update", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func table() string {
	var b strings.Builder
	fmt.Fprintln(&b, "| resource | how it is counted | account | address | process | who notices | why | metrics |")
	fmt.Fprintln(&b, "| --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, l := range Defaults() {
		fmt.Fprintf(&b, "| `%s` | %s |", l.Resource, how(l))
		for _, s := range []Scope{Account, Address, Process} {
			fmt.Fprintf(&b, " %s |", cell(l, s))
		}
		metrics := "refused"
		if l.Kind == Held {
			metrics = "taken, refused"
		}
		fmt.Fprintf(&b, " %s | %s | %s |\n", texts[l.Resource].notices, texts[l.Resource].why, metrics)
	}
	return b.String()
}

// cell shows a limit, and the limit that contains it.
func cell(l Limit, s Scope) string {
	text, p := number(l.Most[s], texts[l.Resource].unit), l.part
	if s == Process && rows().Of(l.Resource).Most[s] == factor {
		return fmt.Sprintf("%s (%d × address)", text, l.Most[s]/l.Most[Address])
	}
	if !slices.Contains(p.scopes, s) {
		return text
	}
	share := ""
	switch {
	case p.of > 1:
		share = fmt.Sprintf("%d/%d of ", p.times, p.of)
	case p.times > 1:
		share = fmt.Sprintf("%d × ", p.times)
	}
	return fmt.Sprintf("%s (%s`%s`)", text, share, p.base)
}

// TestLimitsAreFew counts the numbers that follow from no others.
func TestLimitsAreFew(t *testing.T) {
	n := 0
	for _, row := range rows() {
		for _, most := range row.Most {
			if most > 0 {
				n++
			}
		}
	}
	if n > 50 {
		t.Errorf("%d limits, want at most 50: derive one from another row, or share a row", n)
	}
}

func how(l Limit) string {
	unit := texts[l.Resource].unit
	switch l.Kind {
	case Held:
		return unit + " at once"
	case Rate:
		return unit + " in " + per(l.Per)
	default:
		return unit + " in " + per(l.Per) + ", in the database"
	}
}

func per(d time.Duration) string { return spell(d) }

func number(n int64, unit string) string {
	switch {
	case n == 0:
		return "–"
	case unit == "bytes" && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case unit == "bytes":
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprint(n)
}

// Every row is complete: it makes a refusal, and its shared limits grow with the number
// of sharers.
func TestRowsAreComplete(t *testing.T) {
	seen := map[Resource]bool{}
	for _, l := range Defaults() {
		if seen[l.Resource] {
			t.Errorf("%s stands twice", l.Resource)
		}
		seen[l.Resource] = true
		if text := texts[l.Resource]; l.What == "" || text.unit == "" || text.why == "" || text.notices == "" || (l.Kind != Held) != (l.Per > 0) {
			t.Errorf("%s: the row is not complete", l.Resource)
		}
		last, any := int64(0), false
		for s := Address; s < scopes; s++ {
			if n := l.Most[s]; n > 0 {
				if n < last {
					t.Errorf("%s: %s may have less than what it holds", l.Resource, s)
				}
				last, any = n, true
			}
		}
		if !any && l.Most[Account] == 0 {
			t.Errorf("%s has no limit", l.Resource)
		}
	}
}
