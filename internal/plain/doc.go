// Package plain says which text people may show to each other: names, lines of
// chat, announcements, reasons.
//
//	a client's input ──► Name ──► a clean name, or the reason why it is refused
//	                        Look ──► its looks: equal for names that look alike
//	                        Line ──► whether every character is visible
//
// lobby and proto/wire call it, so that the rules are the same in both. All
// functions are pure and may be called from any goroutine. They know no account
// and no lobby: the lobby decides which names are taken or reserved.
//
// confusables.txt is cut from the file with this name of Unicode 13.0.0 (UTS #39)
// by cut.go: the letters and digits that a name can have. Its terms of use are
// at its top. To update it, run
//
//	go run cut.go < path/to/confusables.txt > confusables.new && mv confusables.new confusables.txt
package plain
