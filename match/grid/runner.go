package grid

// Runner calls f(0) to f(n-1) and returns when all calls have returned. It may make calls
// side by side and in any order, so a call may not write data that another call reads. The
// core starts no goroutine: its caller hands it a Runner. The result must not depend on the
// Runner.
type Runner func(n int, f func(i int))

// Run calls f by r, or in order if r is nil.
func (r Runner) Run(n int, f func(i int)) {
	if r != nil && n > 1 {
		r(n, f)
		return
	}
	for i := range n {
		f(i)
	}
}
