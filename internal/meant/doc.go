// Package meant finds the name that somebody meant who misspelt it.
//
//	a name that is unknown, the names that are known ──► Name ──► the closest one, or ""
//	two names                                          ──► Slips ──► how many letters differ
//
// Readers of files and of variables call it for their errors. It is pure, and never
// corrects anything: the caller asks.
package meant
