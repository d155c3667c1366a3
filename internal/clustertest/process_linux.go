package clustertest

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// endsWithUs kills the process when this one is gone, however that ends.
func endsWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
func freeze(p *os.Process) error    { return p.Signal(syscall.SIGSTOP) }
func thaw(p *os.Process) error      { return p.Signal(syscall.SIGCONT) }

// cpuOf returns the processor time of a process that runs, 0 if it has gone.
func cpuOf(pid int) time.Duration {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// Behind the name in brackets, user and system time are the 12th and 13th field, in
	// hundredths of a second.
	_, rest, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// MemoryMB returns the memory that a process has, in MiB, 0 if it has gone.
func MemoryMB(pid int) float64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return float64(pages*int64(os.Getpagesize())) / (1 << 20)
}

// descriptorsOf returns how many files and sockets a process has open, 0 if it has gone.
func descriptorsOf(pid int) int {
	list, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
