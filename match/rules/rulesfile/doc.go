// Package rulesfile opens ruleset files and keeps a library of rulesets.
//
//	NAME.json in a folder ─┐
//	                       ├──► rules.Parse ──► Library: by id, which is NAME
//	shipped rulesets ──────┘
//
// It opens files, so it is not part of the pure core. A [Library] is read-only
// once it is made; its functions may then be called from any goroutine. The
// package never changes a file, and never reads more of one than
// [rules.RulesBytesMax]. An error is one line that names the file and, where there
// is one, the line and the field.
package rulesfile
