package bench

import "time"

// usage is a process's use of the processor.
type usage struct {
	User, System time.Duration
	Switches     int64 // of threads, wished or not
}

func (u usage) total() time.Duration { return u.User + u.System }

func (u usage) minus(o usage) usage {
	return usage{u.User - o.User, u.System - o.System, u.Switches - o.Switches}
}

// cpuTime is user and system time of this process.
func cpuTime() (time.Duration, error) {
	u, err := usageNow()
	return u.total(), err
}
