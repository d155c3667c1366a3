package bench

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

// cpuSet is a set of processors, as the kernel has it.
type cpuSet [16]uint64

func (s *cpuSet) call(trap uintptr, thread int) error {
	if _, _, errno := syscall.RawSyscall(trap, uintptr(thread), unsafe.Sizeof(*s), uintptr(unsafe.Pointer(s))); errno != 0 {
		return fmt.Errorf("bench: processors of thread %d: %w", thread, errno)
	}
	return nil
}

// coreSet returns the set with the n-th of the processors that this process may use.
func coreSet(n int) (*cpuSet, error) {
	var all cpuSet
	if err := all.call(syscall.SYS_SCHED_GETAFFINITY, 0); err != nil {
		return nil, err
	}
	for i := range len(all) * 64 {
		if all[i/64]>>(i%64)&1 == 0 {
			continue
		}
		if n--; n < 0 {
			one := &cpuSet{}
			one[i/64] = 1 << (i % 64)
			return one, nil
		}
	}
	return nil, errors.New("bench: server and clients cannot be on processors of their own: there is one")
}

// onCore runs f with its thread on the n-th processor: a process that f starts stays
// there.
func onCore(n int, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before cpuSet
	one, err := coreSet(n)
	if err == nil {
		err = before.call(syscall.SYS_SCHED_GETAFFINITY, 0)
	}
	if err == nil {
		err = one.call(syscall.SYS_SCHED_SETAFFINITY, 0)
	}
	if err != nil {
		return err
	}
	return errors.Join(f(), before.call(syscall.SYS_SCHED_SETAFFINITY, 0))
}

// stayOn keeps all threads of this process on the n-th processor.
func stayOn(n int) error {
	one, err := coreSet(n)
	if err != nil {
		return err
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("bench: threads: %w", err)
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			return fmt.Errorf("bench: threads: %w", err)
		}
		if err := one.call(syscall.SYS_SCHED_SETAFFINITY, id); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// usageNow is what this process took so far.
func usageNow() (usage, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return usage{}, fmt.Errorf("bench: processor time: %w", err)
	}
	return usage{float64(u.Utime.Nano()) / 1e9, float64(u.Stime.Nano()) / 1e9, int64(u.Nvcsw) + int64(u.Nivcsw)}, nil
}
