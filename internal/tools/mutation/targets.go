package main

// target is a package that is mutated, and the packages whose tests should
// notice.
type target struct {
	pkg   string
	files []string // all of the package, if empty
	tests []string
}

// targets are the packages that the promise rests on: they decide visibility, accepted orders, sent rows, and
// admission. match holds the tests of noninterference; they are long, so it is asked last, and only about mutants
// that the others let through.
var targets = []target{
	{pkg: "visibility", tests: []string{"visibility", "match/sim", "match"}},
	{pkg: "orders", tests: []string{"orders", "match/sim", "match"}},
	{pkg: "match/view", tests: []string{"match/view", "match/client", "match/feed", "match"}},
	{pkg: "match/sim", files: []string{"knowledge.go", "sight.go", "target.go", "judge.go", "intake.go", "act.go"},
		tests: []string{"match/sim", "match/view", "match"}},
	{pkg: "proto/wire", tests: []string{"proto/wire", "match/view", "match/client", "match"}},
	{pkg: "lobby/account", files: []string{"auth.go", "throttle.go"}, tests: []string{"lobby/account", "lobby/storetest", "lobby/db/sqlite", "lobby/api"}},
	{pkg: "lobby/admission", tests: []string{"lobby/play", "lobby/storetest", "lobby/db/sqlite", "lobby/api"}},
	{pkg: "lobby/core", files: []string{"counts.go"}, tests: []string{"lobby/core", "lobby/account", "lobby/storetest", "lobby/api"}},
	{pkg: "lobby/play", files: []string{"tickets.go"}, tests: []string{"lobby/play", "lobby/storetest", "lobby/db/sqlite", "lobby/api"}},
	{pkg: "lobby/room", files: []string{"admission.go"}, tests: []string{"lobby/storetest", "lobby/db/sqlite", "lobby/api"}},
	{pkg: "lobby/admin", files: []string{"session.go"}, tests: []string{"lobby/storetest", "lobby/db/sqlite", "lobby/api"}},
	{pkg: "lobby/model", files: []string{"ban.go", "lobby_seats.go", "code.go", "session.go"},
		tests: []string{"lobby/model", "lobby", "lobby/db/sqlite", "lobby/api"}},
}
