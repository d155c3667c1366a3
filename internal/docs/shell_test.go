package docs

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// blockTime bounds what one block may take.
const blockTime = 3 * time.Minute

// shell runs the blocks of one page in one bash, so that a block has the variables and functions of the earlier
// ones. The first command that fails ends it.
type shell struct {
	t     *testing.T
	w     *workspace
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner
}

const blockEnd = "@@ the block has ended"

// run runs one block and returns its output.
func (s *shell) run(b block) string {
	s.t.Helper()
	if s.cmd == nil {
		s.start()
	}
	timer := time.AfterFunc(blockTime, func() { _ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	if _, err := io.WriteString(s.stdin, "{\n"+s.w.here(b.code)+"\n} </dev/null 2>&1\necho '"+blockEnd+"'\n"); err != nil {
		s.t.Fatalf("%s:%d: the shell has ended: %v", b.page.path, b.line, err)
	}
	var out strings.Builder
	for s.lines.Scan() {
		// The last output may have no line end.
		if text, ok := strings.CutSuffix(s.lines.Text(), blockEnd); ok {
			return out.String() + text
		}
		out.WriteString(s.lines.Text() + "\n")
	}
	s.t.Fatalf("%s:%d: a command failed, or took longer than %s; it printed\n%s", b.page.path, b.line, blockTime, out.String())
	return ""
}

func (s *shell) start() {
	s.t.Helper()
	s.cmd = exec.Command("bash")
	s.cmd.Dir, s.cmd.Env = s.w.dir, s.w.env()
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		s.t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(s.end) // also after a failure
	s.lines = bufio.NewScanner(out)
	s.lines.Buffer(nil, 1<<20)
	if _, err := io.WriteString(s.stdin, "set -euo pipefail\n"); err != nil {
		s.t.Fatal(err)
	}
}

// end ends the shell, and its remaining processes.
func (s *shell) end() {
	if s.cmd == nil {
		return
	}
	_ = s.stdin.Close()
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	_ = s.cmd.Wait()
	s.cmd = nil
}

// output is a server's output so far.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// serve starts the server of a block, waits until it serves, and returns its output. The server
// runs until the test ends. It must then end by itself when asked to.
func (w *workspace) serve(b block) string {
	w.t.Helper()
	cmd := exec.Command("bash", "-ec", "exec "+strings.TrimSpace(w.here(b.code)))
	cmd.Dir, cmd.Env = w.dir, w.env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out output
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	w.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		select {
		case err := <-done:
			if err != nil {
				w.t.Errorf("%s:%d: %v\n%s", b.page.path, b.line, err, out.String())
			}
		case <-time.After(20 * time.Second):
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			w.t.Errorf("%s:%d: the server does not end\n%s", b.page.path, b.line, out.String())
		}
	})
	for range 300 {
		select {
		case err := <-done:
			done <- nil
			w.t.Fatalf("%s:%d: the server ended: %v\n%s", b.page.path, b.line, err, out.String())
		case <-time.After(100 * time.Millisecond):
		}
		if strings.Contains(out.String(), "Log in as") {
			return out.String()
		}
	}
	w.t.Fatalf("%s:%d: the server does not serve\n%s", b.page.path, b.line, out.String())
	return ""
}
