// Package plain says what text people may show to each other: names, lines of
// chat, announcements, reasons.
//
//	what a client typed ──► Name ──► a clean name, or why it is none
//	                        Look ──► what it looks like: equal for names that look alike
//	                        Line ──► whether every character can be seen
//
// lobby and proto/wire call it, so that a name or a line is the same to both.
// All functions are pure and may be called from any goroutine. They know no
// account and no lobby; who may be called what is lobby's to say.
//
// confusables.txt is cut from the file of that name of Unicode 13.0.0 (UTS #39)
// by cut.go: the letters and digits that a name can hold. Its terms of use stand
// at its top. To bring it up to date, run
//
//	go run cut.go < path/to/confusables.txt > confusables.new && mv confusables.new confusables.txt
package plain
