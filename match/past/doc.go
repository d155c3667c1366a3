// Package past reads a journal without playing it: how its match is set up, who sits where,
// what was set, and how it ended. It also takes a deleted account out of a journal.
package past
