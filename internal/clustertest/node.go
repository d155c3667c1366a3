package clustertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/notes"
)

// Program is how fogkeep is run.
type Program struct {
	Path string   // of the binary
	Env  []string // besides this process's own
}

// openMax is how long a server may take until it lets players in.
const openMax = 60 * time.Second

// Node is one `fogkeep serve`.
type Node struct {
	Process
	URL        string // of its players' listener
	AdminURL   string
	MetricsURL string
	Data       string // its folder
}

// NewNode returns a node that was not started. args are further flags of serve.
func NewNode(program Program, ports *Ports, dir, name string, args ...string) (*Node, error) {
	n := &Node{Data: filepath.Join(dir, name)}
	if err := os.MkdirAll(n.Data, 0o700); err != nil {
		return nil, err
	}
	argv := []string{program.Path, "serve", "--data-dir", n.Data, "--log-level=info"}
	for flag, url := range map[string]*string{"--addr": &n.URL, "--admin-addr": &n.AdminURL, "--metrics-addr": &n.MetricsURL} {
		addr, err := ports.Next()
		if err != nil {
			return nil, err
		}
		argv = append(argv, flag, addr)
		*url = "http://" + addr
	}
	n.Process = Process{Name: name, Path: filepath.Join(dir, name+".log"), argv: append(argv, args...), Env: program.Env}
	return n, nil
}

// StartNode starts a node and waits until it lets players in. end ends it.
func StartNode(ctx context.Context, program Program, dir, name string, args ...string) (n *Node, end func(), err error) {
	var ports Ports
	if n, err = NewNode(program, &ports, dir, name, args...); err == nil {
		err = n.Start()
	}
	if err == nil {
		err = n.Open(ctx)
	}
	if err != nil {
		if n != nil {
			n.Kill()
		}
		ports.Close()
		return nil, nil, err
	}
	return n, func() { n.Kill(); ports.Close() }, nil
}

// Open waits until the node lets players in.
func (n *Node) Open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openMax)
	defer cancel()
	var last error
	for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		if last = n.healthy(ctx); last == nil || errors.Is(last, errHealth) {
			return last
		}
		if !n.Runs() {
			return fmt.Errorf("%s has ended:\n%s", n.Name, n.Output(4000))
		}
	}
	return fmt.Errorf("%s does not open: %w\n%s", n.Name, last, n.Output(4000))
}

func (n *Node) healthy(ctx context.Context) error {
	return get(ctx, 2*time.Second, n.URL+"/readyz", func(res *http.Response) error {
		switch {
		case res.StatusCode == http.StatusOK:
			return nil
		case res.StatusCode == http.StatusTooManyRequests && res.Header.Get("Retry-After") != "":
			// The players of the test come back from this address too, all at once.
		case res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "":
			return fmt.Errorf("%w: %s, Retry-After %q", errHealth, res.Status, res.Header.Get("Retry-After"))
		}
		return errors.New(res.Status)
	})
}

// Get asks a server for a page, which has to answer with 200.
func Get(ctx context.Context, url string) error {
	return get(ctx, 5*time.Second, url, func(res *http.Response) error {
		if res.StatusCode != http.StatusOK {
			return errors.New(res.Status)
		}
		return nil
	})
}

// get asks for a page of a node, and reads the answer in the same time.
func get(ctx context.Context, most time.Duration, url string, read func(*http.Response) error) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return read(res)
}

// errHealth: a server that is not open has to say when to ask again.
var errHealth = errors.New("clustertest: a server that is not open answers wrong")

// Socket is the address of the node's websocket.
func (n *Node) Socket() string { return "ws" + strings.TrimPrefix(n.URL, "http") + "/ws" }

// Notes is the file of what the node noted of a match that it runs, beside its journal.
func (n *Node) Notes(match string) string {
	return filepath.Join(n.Data, "journals", match+notes.Suffix)
}

// Journal reads the file of a match's journal in the node's own folder, as it is now.
// The node may still write it.
func (n *Node) Journal(match string) journal.Reader {
	return func(each func(uint64, []byte) error) error {
		path := filepath.Join(n.Data, "journals", match+".journal")
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			path = filepath.Join(n.Data, "journals", "past", match+".journal")
		}
		_, err := journal.ReadFile(path, each)
		return err
	}
}

// Successor returns a process of a program that takes the place of the node's, at the same
// addresses and in the same folder.
func (n *Node) Successor(program Program) *Node {
	argv := slices.Clone(n.argv)
	argv[0], argv[1] = program.Path, "replace"
	return &Node{
		Process: Process{Name: n.Name, Path: n.Path, argv: argv, Env: program.Env},
		URL:     n.URL, AdminURL: n.AdminURL, MetricsURL: n.MetricsURL, Data: n.Data,
	}
}
