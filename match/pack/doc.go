// Package pack reads packs: rulesets, maps, scenarios, texts, pictures, models and sounds of one game, in a folder or
// in one file NAME.fogpack.
//
//	folder, .fogpack ──► Open ──► Pack ──► rulesets and maps for lobbies
//	                       │        └────► index and files for clients, by hash
//	                       └──► errors: file, line, JSON pointer
//
// In: folders and files of designers. Out: read-only packs, which any goroutine may use. The commands `fogkeep pack` and
// the server call the package.
//
// A pack's hash is the SHA-256 of its files' names and contents, and of the hash of the pack that it extends. The form of the
// zip has no part in it, so a folder and the file that is built from it have the same hash.
//
// Each count and size has a bound, which holds before anything of that size is read. A pack without a fault is
// whole: each of its rulesets can be played, each scenario fits its map, and each asset was parsed.
package pack
