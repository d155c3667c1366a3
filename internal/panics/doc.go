// Package panics keeps a bug in one goroutine from ending the process.
//
//	go func() {
//		defer panics.Catch(log, "reader", end) ──► log, count, end()
//		…
//	}()
//
// Every goroutine that works for one match, socket or request defers [Catch] at
// its root: that match, socket or request ends, and the others go on. Any
// goroutine may call it. It never hides a panic: each one is in the log with
// its stack and in the metric fogkeep_panics_total.
package panics
