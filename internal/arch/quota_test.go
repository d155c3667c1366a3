package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/quota"
)

// act is an expensive call that spends a resource of the ledger.
type act struct {
	pkgs []string // where it is looked for, with all below; none: in the whole product
	// call is its form in code: "pkg.Func" of an import, "Func" of the same package, ".Method" of any value,
	// "tx.Group.Method" of the lobby's database, "pkg.Type{}", or ".field=" for an assignment.
	call string
	// by are calls that stand for taking it, beside those to the ledger: their results take.
	by []string
}

// acts lists the expensive calls for each resource. A function that does
// one of its acts takes the resource, calls one of its package that does, or is
// called by such functions only.
var acts = map[quota.Resource][]act{
	quota.Connections: {
		{call: ".Accept"},
		{pkgs: []string{"cmd", "internal/listen"}, call: ".Serve", by: []string{"listen.Listener"}},
		{pkgs: []string{"cmd", "internal/listen"}, call: ".ServeTLS", by: []string{"listen.Listener"}},
	},
	quota.Requests:       {{call: "http.Server{}", by: []string{"listen.Handler"}}},
	quota.ResponseBytes:  {{call: "http.Server{}", by: []string{"listen.Handler"}}},
	quota.Refusals:       {{call: "http.Server{}", by: []string{"listen.Handler"}}},
	quota.SlowRefusals:   {{call: "http.Server{}", by: []string{"listen.Handler"}}},
	quota.Handshakes:     {{pkgs: []string{"match"}, call: ".Upgrade"}},
	quota.EarlySockets:   {{pkgs: []string{"match"}, call: "link.Upgrade"}},
	quota.Sockets:        {{pkgs: []string{"match"}, call: ".welcomeTo"}},
	quota.ReplayViewings: {{pkgs: []string{"match/replayserver"}, call: "newViewing"}},
	quota.ReplayBytes:    {{pkgs: []string{"match/playback"}, call: "replay.Read"}, {pkgs: []string{"match/playback"}, call: "Cursor{}"}},
	quota.EventStreams:   {{pkgs: []string{"lobby"}, call: ".Watch"}},
	quota.PasswordHashes: {{call: "argon2id.CreateHash"}, {call: "argon2id.ComparePasswordAndHash"}},
	quota.LobbyChanges: {
		{pkgs: []string{"lobby/api"}, call: ".Join"}, {pkgs: []string{"lobby/api"}, call: ".Create"}, {pkgs: []string{"lobby/api"}, call: ".Configure"},
		{pkgs: []string{"lobby/api"}, call: ".PlayBot"}, {pkgs: []string{"lobby/api"}, call: ".ChangeSeat"}, {pkgs: []string{"lobby/api"}, call: ".AddBot"},
	},
	quota.MatchTicks:   {{pkgs: []string{"match"}, call: "newLive"}, {pkgs: []string{"match"}, call: "newLiveOf"}},
	quota.MatchStarts:  {{pkgs: []string{"lobby"}, call: "tx.Matches.Add"}},
	quota.BotSeats:     {{pkgs: []string{"match"}, call: "newLive"}, {pkgs: []string{"match"}, call: "newLiveOf"}, {call: "bot.Play"}},
	quota.JournalBytes: {{pkgs: []string{"match"}, call: ".accepted="}},

	quota.IdentityLogins: {
		{pkgs: []string{"lobby/api"}, call: ".Begin"}, {pkgs: []string{"lobby/api"}, call: ".Finish"}, {pkgs: []string{"lobby/api"}, call: ".Verify"},
	},
	quota.PendingLogins: {{pkgs: []string{"lobby/identity"}, call: "pending{}"}},
	quota.ProviderCalls: {{pkgs: []string{"lobby/identity"}, call: ".finish"}, {pkgs: []string{"lobby/identity"}, call: ".Verify"}},

	quota.Traces: {{pkgs: []string{"match"}, call: "trace{}"}},

	quota.Inspections:       {{pkgs: []string{"match/inspectserver"}, call: "opening{}"}},
	quota.InspectionStreams: {{pkgs: []string{"match/inspectserver"}, call: "stream{}"}},

	quota.LoginFailures:   {{pkgs: []string{"lobby"}, call: ".check"}},
	quota.WrongPasswords:  {{pkgs: []string{"lobby"}, call: ".check"}, {pkgs: []string{"lobby"}, call: ".fits"}},
	quota.NewAccounts:     {{pkgs: []string{"lobby"}, call: "tx.Accounts.Add"}},
	quota.NewGuests:       {{pkgs: []string{"lobby"}, call: "tx.Accounts.Add"}},
	quota.NewLobbies:      {{pkgs: []string{"lobby"}, call: "tx.Lobbies.Add"}},
	quota.ChatLines:       {{pkgs: []string{"lobby"}, call: ".Say"}},
	quota.Reports:         {{pkgs: []string{"lobby"}, call: "tx.Cases.Add"}},
	quota.SettingsSaves:   {{pkgs: []string{"lobby"}, call: "tx.Accounts.PutSettings"}},
	quota.Tickets:         {{pkgs: []string{"lobby"}, call: "tx.Matches.AddTicket"}},
	quota.ArchiveReads:    {{pkgs: []string{"lobby/replay"}, call: ".Archive"}},
	quota.Branches:        {{pkgs: []string{"lobby"}, call: "tx.Lobbies.AddStart"}},
	quota.ReplayTickets:   {{pkgs: []string{"lobby"}, call: "tx.Replays.AddTicket"}},
	quota.QueueJoins:      {{pkgs: []string{"lobby"}, call: ".EnterQueue"}, {pkgs: []string{"lobby"}, call: ".AddMember"}},
	quota.PasswordChanges: {{pkgs: []string{"lobby"}, call: ".HashPassword"}, {pkgs: []string{"lobby"}, call: ".fits"}},
	quota.ServiceCalls:    {{pkgs: []string{"lobby/api"}, call: ".KeySession"}},
	quota.WebhookCalls:    {{pkgs: []string{"lobby/webhook"}, call: ".Do"}},
	quota.NodeCalls:       {{pkgs: []string{"cmd/fogkeep/server"}, call: "http.MaxBytesReader"}},
	quota.ServiceAccounts: {{pkgs: []string{"lobby"}, call: ".AddExternal"}},
}

// unpaid lists functions that do an act without taking the resource, and why.
var unpaid = map[string]string{
	"cmd/fogkeep/server drivers.run Connections":       "the server's own bots, which are counted as bots",
	"match live.drain JournalBytes":                    "the match's own word about who came and went",
	"match inputs.begin JournalBytes":                  "the match's own word about who came and went",
	"match seats.checkGrace JournalBytes":              "the match's own word about a player who is gone, once",
	"match live.catchUp JournalBytes":                  "no inputs: ticks of a recovery",
	"cmd/fogkeep/server botRunner.Play BotSeats":       "their match took them when it was started",
	"cmd/fogkeep botCmd.Run BotSeats":                  "a program of its own, which is a player for the server",
	"cmd/fogkeep-wasm/solo Server.play BotSeats":       "the bots of the one match that a page has",
	"cmd/fogkeep-wasm/solo Open Connections":           "a bot's connection inside the process",
	"cmd/fogkeep-wasm/solo Server.Watch Connections":   "a page's connection to the server inside it",
	"cmd/fogkeep-wasm/solo Server.Connect Connections": "a page's connection to the server inside it",

	"lobby/account Service.Guest NewAccounts":               "a guest is counted as a guest",
	"lobby/account Service.AddExternal NewGuests":           "an account is counted as an account",
	"lobby/studio Session.findPlayers NewAccounts":          "an account of a service key is counted as that",
	"lobby/account Service.LogInExternal ServiceAccounts":   "an account is counted as an account",
	"lobby/account Service.Register NewGuests":              "an account is counted as an account",
	"lobby/play Service.startBots Tickets":                  "a bot's, once a match",
	"lobby/account Service.Register PasswordChanges":        "counted as a new account",
	"lobby/account Service.LogIn PasswordChanges":           "a hash of an old cost is made anew, once, by a right password",
	"lobby/account Service.Reset PasswordChanges":           "an admin's token, which works once",
	"lobby/admin Service.FirstAdmin PasswordChanges":        "once, at the first start",
	"lobby/admin Admins.generate PasswordChanges":           "an admin's act, in the audit",
	"lobby/admin Session.ChangeOwnPassword PasswordChanges": "an admin's act, in the audit",
}

// takers are the methods that take from the ledger, and for stored things the methods by which the lobby counts them.
var takers = map[bool][]string{false: {".Take", ".Spend", ".Adopt"}, true: {".SpendStored", ".Limit"}}

// workshops are not the product: benchmarks, examples, tests' and developers' tools.
var workshops = []string{"examples", "internal/bench", "internal/clustertest", "internal/tools", "internal/pgtest", "lobby/storetest"}

// fn is a function of the product and what happens in it.
type fn struct {
	pkg, name string
	calls     []string // as in act.call
	at        []token.Position
	takes     map[string]bool // names of quota's constants that it hands to the ledger
}

// functions lists the functions of the files, their function literals included.
func functions(files []file) (out []*fn) {
	stored := map[string]bool{}
	for _, row := range quota.Defaults() {
		stored[constantOf(row.Resource)] = row.Kind == quota.Stored
	}
	for _, f := range files {
		if slices.ContainsFunc(workshops, func(w string) bool { return within(f.pkg, w) }) {
			continue
		}
		imported := map[string]bool{}
		for _, s := range f.ast.Imports {
			p, _ := strconv.Unquote(s.Path.Value)
			name := path.Base(p)
			if s.Name != nil {
				name = s.Name.Name
			}
			imported[name] = true
		}
		for _, d := range f.ast.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			it := &fn{pkg: f.pkg, name: funcName(decl), takes: map[string]bool{}}
			note := func(what string, at token.Pos) {
				it.calls, it.at = append(it.calls, what), append(it.at, f.fset.Position(at))
			}
			nameOf := func(e ast.Expr) string {
				switch e := e.(type) {
				case *ast.Ident:
					return e.Name
				case *ast.SelectorExpr:
					if x, ok := e.X.(*ast.Ident); ok && imported[x.Name] {
						return x.Name + "." + e.Sel.Name
					}
					if of, ok := e.X.(*ast.SelectorExpr); ok {
						if tx, ok := of.X.(*ast.Ident); ok && tx.Name == "tx" {
							return "tx." + of.Sel.Name + "." + e.Sel.Name // a statement of the lobby's database
						}
					}
					return "." + e.Sel.Name
				}
				return ""
			}
			ast.Inspect(decl.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					name := nameOf(n.Fun)
					note(name, n.Pos())
					for _, a := range n.Args {
						if r, ok := strings.CutPrefix(nameOf(a), "quota."); ok && slices.Contains(takers[stored[r]], name) {
							it.takes[r] = true
						}
					}
				case *ast.CompositeLit:
					if n.Type != nil {
						note(strings.TrimPrefix(nameOf(n.Type), ".")+"{}", n.Pos())
					}
				case *ast.AssignStmt:
					for _, l := range n.Lhs {
						if s, ok := l.(*ast.SelectorExpr); ok {
							note("."+s.Sel.Name+"=", n.Pos())
						}
					}
				}
				return true
			})
			out = append(out, it)
		}
	}
	return out
}

// calls reports whether a function seems to call another: by its name, in its package or as a method of any value.
func (f *fn) callsTo(g *fn) bool {
	method, last := strings.Contains(g.name, "."), g.name[strings.LastIndex(g.name, ".")+1:]
	switch {
	case method:
		return slices.Contains(f.calls, "."+last) && (f.pkg == g.pkg || ast.IsExported(last))
	case f.pkg == g.pkg:
		return slices.Contains(f.calls, last)
	}
	return slices.Contains(f.calls, path.Base(g.pkg)+"."+last)
}

// pays reports whether a function takes a resource, or has it taken in its own
// package, of lobby in any domain, so many calls deep.
func (f *fn) pays(all []*fn, constant string, by []string, deep int) bool {
	if f.takes[constant] || slices.ContainsFunc(by, func(c string) bool {
		return slices.Contains(f.calls, c) || slices.Contains(f.calls, strings.TrimPrefix(c, path.Base(f.pkg)+"."))
	}) {
		return true
	}
	return deep > 0 && slices.ContainsFunc(all, func(g *fn) bool {
		return (g.pkg == f.pkg || within(g.pkg, "lobby") && within(f.pkg, "lobby")) && g != f && f.callsTo(g) && g.pays(all, constant, nil, deep-1)
	})
}

// paid reports whether a function pays for an act, or is called by such only, so
// many calls away.
func (f *fn) paid(all []*fn, constant string, a act, far int) bool {
	if f.pays(all, constant, a.by, 2) {
		return true
	}
	found := false
	for _, g := range all {
		if g == f || !g.callsTo(f) {
			continue
		}
		found = true
		// A function that is excused for the act itself is not excused for its calls.
		if excused := unpaid[g.pkg+" "+g.name+" "+constant] != "" && !slices.Contains(g.calls, a.call); excused {
			continue
		}
		if far == 0 || !g.paid(all, constant, a, far-1) {
			return false
		}
	}
	return found
}

// constantOf returns the name of a resource's constant: "match-ticks" is
// quota.MatchTicks.
func constantOf(r quota.Resource) string {
	out := ""
	for _, word := range strings.Split(string(r), "-") {
		out += strings.ToUpper(word[:1]) + word[1:]
	}
	return out
}

// unpaidActs returns the errors of the acts of a resource.
func unpaidActs(all []*fn, r quota.Resource, list []act) (wrong []string) {
	constant := constantOf(r)
	for _, a := range list {
		for _, by := range a.by {
			pkg, _, _ := strings.Cut(by, ".")
			if !slices.ContainsFunc(all, func(f *fn) bool { return path.Base(f.pkg) == pkg && f.takes[constant] }) {
				wrong = append(wrong, fmt.Sprintf("%s stands for taking %s, and nothing in its package does", by, r))
			}
		}
		found := false
		for _, f := range all {
			if len(a.pkgs) > 0 && !slices.ContainsFunc(a.pkgs, func(p string) bool { return within(f.pkg, p) }) {
				continue
			}
			i := slices.Index(f.calls, a.call)
			if i < 0 {
				continue
			}
			found = true
			if unpaid[f.pkg+" "+f.name+" "+constant] == "" && !f.paid(all, constant, a, 4) {
				wrong = append(wrong, fmt.Sprintf("%s: %s %s does %s without taking %s from the ledger", f.at[i], f.pkg, f.name, a.call, r))
			}
		}
		if !found {
			wrong = append(wrong, fmt.Sprintf("nobody does %s any more: acts of %s are out of date", a.call, r))
		}
	}
	if len(list) == 0 {
		wrong = append(wrong, fmt.Sprintf("%s: what is expensive about it is not listed", r))
	}
	return wrong
}

// Every costly act takes from the ledger at its place.
func TestCostlyActsTakeFromTheLedger(t *testing.T) {
	all := functions(sources(t))
	for _, row := range quota.Defaults() {
		for _, w := range unpaidActs(all, row.Resource, acts[row.Resource]) {
			t.Error(w)
		}
	}
	for r := range acts {
		quota.Defaults().Of(r) // panics if there is no such resource
	}
	for key, why := range unpaid {
		words := strings.Fields(key)
		if len(words) != 3 || why == "" || !slices.ContainsFunc(all, func(f *fn) bool { return f.pkg == words[0] && f.name == words[1] }) {
			t.Errorf("%q: %q: there is no such function", key, why)
		}
	}
}

// parsed makes a package's only file from its text.
func parsed(t *testing.T, pkg, text string) []file {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", "package x\nimport \""+module+"internal/quota\"\n"+text, 0)
	if err != nil {
		t.Fatal(err)
	}
	return []file{{pkg, "x.go", f, fset}}
}

// The test of the ledger finds planted faults.
func TestTheLedgersTestBites(t *testing.T) {
	list := []act{{pkgs: []string{"match"}, call: "newLive"}}
	for _, tt := range []struct {
		name, text string
		wrong      bool
	}{
		{"taken", "func f() { l.Take(quota.MatchTicks, w, 1); newLive() }", false},
		{"taken in a function literal", "func f() { go func() { l.Take(quota.MatchTicks, w, 1); newLive() }() }", false},
		{"taken by one that is called", "func f() { g(); newLive() }\nfunc g() { l.Take(quota.MatchTicks, w, 1) }", false},
		{"taken by who calls", "func f() { newLive() }\nfunc g() { l.Take(quota.MatchTicks, w, 1); f() }", false},
		{"taken by one of two who call", "func f() { newLive() }\nfunc g() { l.Take(quota.MatchTicks, w, 1); f() }\nfunc h() { f() }", true},
		{"not taken", "func f() { newLive() }", true},
		{"something else is taken", "func f() { l.Take(quota.BotSeats, w, 1); newLive() }", true},
		{"its limit is looked at", "func f() { l.Limit(quota.MatchTicks); newLive() }", true},
		{"it is not done", "func f() {}", true},
	} {
		if wrong := unpaidActs(functions(parsed(t, "match", tt.text)), quota.MatchTicks, list); (len(wrong) > 0) != tt.wrong {
			t.Errorf("%s: %q", tt.name, wrong)
		}
	}
	if len(unpaidActs(nil, quota.MatchTicks, nil)) == 0 {
		t.Error("a resource without acts is let through")
	}
}
