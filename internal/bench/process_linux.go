package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// processMeasured says whether [usageNow] and [writtenBytes] work on this system.
const processMeasured = true

// usageNow is this process's use so far.
func usageNow() (usage, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return usage{}, fmt.Errorf("bench: processor time: %w", err)
	}
	return usage{time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano()), int64(u.Nvcsw) + int64(u.Nivcsw)}, nil
}

// writtenBytes returns the bytes that a process of ours has written to disks.
func writtenBytes(pid int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0, fmt.Errorf("bench: disk: %w", err)
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, "write_bytes: "); ok {
			return strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		}
	}
	return 0, fmt.Errorf("bench: disk: /proc/%d/io has no write_bytes: %q", pid, b)
}
