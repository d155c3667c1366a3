// Package archive writes state to bytes and reads it back.
//
//	description of a state ──Writer──► bytes ──Reader──► the same description ──► state
//
// A package describes its state once, as a function of an [Archive]: the function
// passes a pointer to each value. A writer appends the values to the bytes; a
// reader takes them off and sets them. So what is written and what is read cannot
// differ. Numbers are little-endian and fixed in width, or varints where the form
// says so. A list has its length first, and the length is checked against the bytes
// that are left before anything is allocated.
//
// The first error stays. After it, reading changes nothing, so that a description
// needs no checks of its own until it uses a value to index or to loop. The package
// opens no files and knows no type of the domain.
package archive
