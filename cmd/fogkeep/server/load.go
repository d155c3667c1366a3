package server

import (
	"bytes"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"
)

// loadMeter measures this process's share of its machine, in thousandths.
type loadMeter struct {
	memoryMost float64 // bytes; 0: not known

	mu     sync.Mutex
	at     time.Time
	used   time.Duration
	smooth float64
}

// loadOver is how much of the past counts.
const loadOver = 2 * time.Second

func newLoadMeter() *loadMeter {
	return &loadMeter{memoryMost: MemoryMost(), at: time.Now(), used: processorTime()}
}

// processor returns the share of the processors' time that the process has used
// lately.
func (l *loadMeter) processor() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	passed := now.Sub(l.at)
	if passed < 100*time.Millisecond {
		return int(l.smooth)
	}
	used := processorTime()
	share := 1000 * float64(used-l.used) / float64(passed) / float64(runtime.GOMAXPROCS(0))
	weight := 1 - math.Exp(-float64(passed)/float64(loadOver))
	l.at, l.used = now, used
	l.smooth += weight * (min(share, 1000) - l.smooth)
	return int(l.smooth)
}

// memory returns the share of the memory that the process may use.
func (l *loadMeter) memory() int {
	if l.memoryMost == 0 {
		return 0
	}
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int(1000 * float64(s[0].Value.Uint64()-s[1].Value.Uint64()) / l.memoryMost)
}

// MemoryMost returns how many bytes of memory the process may use, from GOMEMLIMIT, its
// control group or the machine; 0 if it is not known.
func MemoryMost() float64 {
	most := math.Inf(1)
	if n := debug.SetMemoryLimit(-1); n < math.MaxInt64 {
		most = float64(n)
	}
	if raw, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64); err == nil && n > 0 {
			most = min(most, n)
		}
	}
	if raw, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(raw)) {
			if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemTotal:" {
				if n, err := strconv.ParseFloat(f[1], 64); err == nil {
					most = min(most, n*1024)
				}
			}
		}
	}
	if math.IsInf(most, 1) {
		return 0
	}
	return most
}
