// Package export writes a match as lines of JSON, for other programs. docs/reference/archive.md describes the lines.
//
//	journal ticks ─────────► Writer ──► {"kind":"order",…} {"kind":"hash",…}
//	timeline ──TimelineOf──►   │        {"kind":"event",…} {"kind":"values",…}
//
// `fogkeep replay export` calls it for a file, and the server for the archive of shared replays. It has all of a match
// that a replay shows. The caller decides on permissions, and on the words of chat.
package export
