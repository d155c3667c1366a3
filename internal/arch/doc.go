// Package arch tests the structure of the code. Its tests read the imports and
// the syntax of every package. A test that fails names what to use instead.
//
//	every package ──► parser ──► rules of docs/contributing/architecture.md ──► go test
//
// It has no code besides tests, and nobody imports it. Rules that are only
// written down get broken. The core must stay deterministic, and code that
// serves clients must have no way to the world: these tests check both.
package arch
