package bench

// usage is what a process took of the processor.
type usage struct {
	User, System float64 // seconds
	Switches     int64   // of threads, wished or not
}

func (u usage) total() float64 { return u.User + u.System }

func (u usage) minus(o usage) usage {
	return usage{u.User - o.User, u.System - o.System, u.Switches - o.Switches}
}
