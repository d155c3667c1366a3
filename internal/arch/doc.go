// Package arch holds the code in shape: its tests read the imports and the
// syntax of every package and fail, naming the replacement, where a room
// reaches for what it must not have.
//
//	go.mod's packages ──► parser ──► rules of docs/architecture.md ──► go test
//
// It has no code of its own besides tests, and nobody imports it. It exists
// because a rule that only a document holds is a rule that a tired evening
// breaks: the core stays deterministic and the fog stays tight only as long as
// nothing impure and nothing all-seeing can be reached from the wrong place.
package arch
