package bench

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// coreSet returns the set with the n-th of the processors that this process may use.
func coreSet(n int) (*unix.CPUSet, error) {
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return nil, fmt.Errorf("bench: processors: %w", err)
	}
	for i := range len(all) * 64 {
		if !all.IsSet(i) {
			continue
		}
		if n--; n < 0 {
			one.Set(i)
			return &one, nil
		}
	}
	return nil, errors.New("bench: server and clients cannot be on processors of their own: there is one")
}

// onCore runs f with its thread on the n-th processor: a process that f starts stays
// there.
func onCore(n int, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before unix.CPUSet
	one, err := coreSet(n)
	if err == nil {
		err = unix.SchedGetaffinity(0, &before)
	}
	if err == nil {
		err = unix.SchedSetaffinity(0, one)
	}
	if err != nil {
		return err
	}
	return errors.Join(f(), unix.SchedSetaffinity(0, &before))
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
		if err := unix.SchedSetaffinity(id, one); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("bench: processors of thread %d: %w", id, err)
		}
	}
	return nil
}
