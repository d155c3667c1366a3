// Package cli runs the command lines of fogkeep's programs: a table of commands, in kong's
// form, with one exit code for a command that failed and another for a wrong command line.
//
//	os.Args, variables, a configuration file ──► Run ──► kong ──► a command's Run(*Invocation)
//
// Only the programs in cmd, their packages of commands and the benches call it. It holds no
// command of its own.
package cli
