package clustertest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Process is one server of the cluster. It can be ended and started again with the same
// arguments.
type Process struct {
	Name string
	Path string   // of the file with its output, of all its runs
	Env  []string // besides this process's own

	argv []string

	mu   sync.Mutex
	run  *running // nil: it was not started, or was ended
	used time.Duration
}

// running is one run of a process.
type running struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed once it is gone
}

// Start starts the process. It may not be open yet when Start returns.
func (p *Process) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run != nil {
		return fmt.Errorf("%s runs already", p.Name)
	}
	out, err := os.OpenFile(p.Path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	defer out.Close()
	fmt.Fprintf(out, "=== %s starts: %s\n", time.Now().Format("15:04:05.000"), strings.Join(p.argv, " "))
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = append(environment(), p.Env...), out, out, endsWithUs()
	r := &running{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error, 1)
	go func() { // what ends the process with us is tied to the thread that started it
		runtime.LockOSThread()
		defer close(r.ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // a killed one has no good exit code
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	p.run = r
	return nil
}

// environment is this process's own, without what configures servers.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "FOGKEEP_") })
}

// Runs reports whether the process was started and has not ended, by us or by itself.
func (p *Process) Runs() bool {
	r := p.current()
	if r == nil {
		return false
	}
	select {
	case <-r.ended:
		return false
	default:
		return true
	}
}

// current returns the run that was not ended by us.
func (p *Process) current() *running {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run
}

// Kill ends the process at once, as kill -9 does, and returns when it is gone.
func (p *Process) Kill() { p.end((*os.Process).Kill, 0) }

// Stop asks the process to end, and kills it if it has not within the time.
func (p *Process) Stop(within time.Duration) { p.end(interrupt, within) }

func (p *Process) end(how func(*os.Process) error, within time.Duration) {
	r := p.current()
	if r == nil {
		return
	}
	_ = thaw(r.cmd.Process) // a stopped process hears nothing
	_ = how(r.cmd.Process)  // it may have ended
	if within > 0 {
		select {
		case <-r.ended:
		case <-time.After(within):
			_ = r.cmd.Process.Kill()
		}
	}
	<-r.ended
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == r {
		p.run = nil
		p.used += r.cmd.ProcessState.UserTime() + r.cmd.ProcessState.SystemTime()
	}
}

// Freeze stops the process as SIGSTOP does: it answers nothing, and its sockets stay
// open.
func (p *Process) Freeze() error { return p.signal(freeze) }

// Thaw lets a frozen process go on.
func (p *Process) Thaw() error { return p.signal(thaw) }

// Signal sends it a signal.
func (p *Process) Signal(s os.Signal) error {
	return p.signal(func(of *os.Process) error { return of.Signal(s) })
}

func (p *Process) signal(how func(*os.Process) error) error {
	r := p.current()
	if r == nil {
		return fmt.Errorf("%s does not run", p.Name)
	}
	return how(r.cmd.Process)
}

// CPU returns the processor time of all runs so far.
func (p *Process) CPU() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == nil {
		return p.used
	}
	return p.used + cpuOf(p.run.cmd.Process.Pid)
}

// RSSMB returns the memory that the process has, in MiB; 0 if it does not run.
func (p *Process) RSSMB() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == nil {
		return 0
	}
	return MemoryMB(p.run.cmd.Process.Pid)
}

// Descriptors returns how many files and sockets the process has open; 0 if it does not run.
func (p *Process) Descriptors() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == nil {
		return 0
	}
	return descriptorsOf(p.run.cmd.Process.Pid)
}

// Output returns the end of what the process printed, of at most so many bytes.
func (p *Process) Output(most int) string {
	b, err := os.ReadFile(p.Path)
	if err != nil {
		return err.Error()
	}
	if len(b) > most {
		b = b[len(b)-most:]
		b = b[bytes.IndexByte(b, '\n')+1:]
	}
	return string(b)
}

// Complaint returns what no server may print: a data race, or a panic.
func (p *Process) Complaint() error {
	b, err := os.ReadFile(p.Path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, bad := range []string{"DATA RACE", "panic"} {
		if i := bytes.Index(b, []byte(bad)); i >= 0 {
			return fmt.Errorf("%s says: %s", p.Name, b[max(0, i-200):min(len(b), i+4000)])
		}
	}
	return nil
}
