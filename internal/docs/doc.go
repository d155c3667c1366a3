// Package docs compares the pages with the code that they describe: its tests read README.md, CONTRIBUTING.md and
// everything in docs.
//
//	pages ──► blocks: shell commands run, Go and TypeScript compile, messages and JSON parse
//	      ──► links, files, functions, tests and endpoints that they name: each exists
//	      ──► words: no retired ones; sentences, comments' too: named nouns
//
// It has no code besides tests, and nobody imports it. A block of code says its kind in its first
// line; see TestBlocks for the kinds. A page whose commands are wrong is worse than no page, and
// only a run shows that they are wrong.
package docs
