package natsnode_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/natsnode"
	"github.com/fogkeep/fogkeep/internal/natsnode/natstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func plan() natsnode.Plan {
	return natsnode.Plan{
		Servers: []natsnode.Server{
			{Name: "a", Clients: "127.0.0.1:4222", Routes: "127.0.0.1:4223"},
			{Name: "b", Clients: "b.example:4222", Routes: "b.example:4223"},
			{Name: "c", Clients: "[::1]:4222", Routes: "[::1]:4223"},
		},
		Nodes: []string{"x", "a"},
	}
}

func initFolder(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "cluster")
	if err := natsnode.Init(out, plan()); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestInitFoldersCanBeRead(t *testing.T) {
	out := initFolder(t)
	var first *natsnode.Folder
	for _, name := range []string{"a", "b", "c", "x"} {
		f, err := natsnode.Read(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = f
		}
		if f.Name != name || f.Cluster != first.Cluster || f.Seal != first.Seal || f.Seal == [32]byte{} || len(f.Servers) != 3 || strings.Join(f.Nodes, " ") != "a x" {
			t.Errorf("%s: %+v", name, f)
		}
		if s, own := f.Server(); own != (name != "x") || own && s.Name != name {
			t.Errorf("%s runs %+v, %v", name, s, own)
		}
		if time.Until(f.Expires()) < 4*365*24*time.Hour {
			t.Errorf("%s expires %s", name, f.Expires())
		}
		for file, mode := range map[string]os.FileMode{"": 0o700, "key.pem": 0o600, "seal.key": 0o600} {
			if info, err := os.Stat(filepath.Join(out, name, file)); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s/%s: %v, %v", name, file, info.Mode(), err)
			}
		}
		if _, err := os.Stat(filepath.Join(out, name, "ca-key.pem")); !os.IsNotExist(err) {
			t.Errorf("%s has the authority's key", name)
		}
	}
	if err := natsnode.Init(out, plan()); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second cluster in the same folder: %v", err)
	}
	if other, err := natsnode.Read(filepath.Join(initFolder(t), "a")); err != nil || other.Seal == first.Seal || other.Cluster == first.Cluster {
		t.Errorf("two clusters share secrets: %v", err)
	}
}

func TestPlansThatAreRefused(t *testing.T) {
	long := strings.Repeat("n", 33) // match/cluster refuses such a node
	for want, change := range map[string]func(*natsnode.Plan){
		"a majority of two is both":                              func(p *natsnode.Plan) { p.Servers = p.Servers[:2] },
		"0 journal servers":                                      func(p *natsnode.Plan) { p.Servers = nil },
		`servers[1]: name "a" is there twice`:                    func(p *natsnode.Plan) { p.Servers[1].Name = "a" },
		`servers[0]: name "A.b"`:                                 func(p *natsnode.Plan) { p.Servers[0].Name = "A.b" },
		`servers[2]: "a" already has the address 127.0.0.1:4222`: func(p *natsnode.Plan) { p.Servers[2].Routes = "127.0.0.1:4222" },
		`servers[0]: clients: address "host"`:                    func(p *natsnode.Plan) { p.Servers[0].Clients = "host" },
		"port from 1 to 65535":                                   func(p *natsnode.Plan) { p.Servers[0].Routes = "host:0" },
		`nodes[0]: name "../x"`:                                  func(p *natsnode.Plan) { p.Nodes[1] = "../x" },
		`nodes[0]: name "` + long + `": want 1 to 32`:            func(p *natsnode.Plan) { p.Nodes[1] = long },
		`nodes[1]: name "a" is there twice`:                      func(p *natsnode.Plan) { p.Nodes[0] = "a" },
	} {
		p := plan()
		change(&p)
		out := filepath.Join(t.TempDir(), "cluster")
		if err := natsnode.Init(out, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if _, err := os.Stat(out); !os.IsNotExist(err) {
			t.Errorf("%q: a folder was made", want)
		}
	}
	for _, text := range []string{"", "a", "a=", "a=host", "a=host:0", "a=host:65535", "a=host:x", "=host:1", "A=host:1", "a=:1"} {
		if s, err := natsnode.ParseServer(text); err == nil {
			t.Errorf("%q was read as %+v", text, s)
		}
	}
	if s, err := natsnode.ParseServer("n1=[::1]:4222"); err != nil || s != (natsnode.Server{Name: "n1", Clients: "[::1]:4222", Routes: "[::1]:4223"}) {
		t.Errorf("%+v, %v", s, err)
	}
}

// Errors of a folder name the file and its fault.
func TestFoldersThatAreRefused(t *testing.T) {
	other := filepath.Join(initFolder(t), "a")
	edit := func(key string, v any) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, "node.json")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var m map[string]any
			if err := json.Unmarshal(b, &m); err != nil {
				t.Fatal(err)
			}
			m[key] = v
			if b, err = json.Marshal(m); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	from := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			b, err := os.ReadFile(filepath.Join(other, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	mode := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Chmod(filepath.Join(dir, name), 0o640); err != nil {
				t.Fatal(err)
			}
		}
	}
	put := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		file, want string
		change     func(*testing.T, string)
	}{
		{"key.pem", "mode 0640", mode("key.pem")},
		{"seal.key", "mode 0640", mode("seal.key")},
		{"seal.key", "32 bytes in base64", put("seal.key", "c2hvcnQ=")},
		{"ca.pem", "no certificate", put("ca.pem", "")},
		{"ca.pem", "no such file", func(_ *testing.T, dir string) { os.Remove(filepath.Join(dir, "ca.pem")) }},
		{"cert.pem", "unknown authority", from("ca.pem")},
		{"cert.pem", "key.pem", from("key.pem")},
		{"node.json", "version is 2", edit("version", 2)},
		{"node.json", "unknown field", edit("verison", 1)},
		{"node.json", "two journal servers", edit("servers", plan().Servers[:2])},
		{"node.json", "neither nodes nor servers", edit("name", "y")},
		{"node.json", "cluster: name", edit("cluster", "")},
		{"node.json", "listen_host", edit("listen_host", "a b")},
		{"cert.pem", `certificate of "a", node.json names "b"`, edit("name", "b")},
		{"node.json", "something follows", put("node.json", "")},
	} {
		dir := filepath.Join(initFolder(t), "a")
		if c.want == "something follows" {
			b, err := os.ReadFile(filepath.Join(dir, "node.json"))
			if err != nil {
				t.Fatal(err)
			}
			put("node.json", string(b)+"{}")(t, dir)
		} else {
			c.change(t, dir)
		}
		if _, err := natsnode.Read(dir); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, c.file)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s and %q", err, c.file, c.want)
		}
	}
}

// Update makes new certificates by the same authority, and adds new members.
func TestUpdate(t *testing.T) {
	out := initFolder(t)
	before, err := natsnode.Read(filepath.Join(out, "a"))
	if err != nil {
		t.Fatal(err)
	}
	oldCert, err := os.ReadFile(filepath.Join(out, "a", "cert.pem"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(out, "b", "node.json") // with an operator's addresses
	if b, err := os.ReadFile(file); err != nil || os.WriteFile(file, []byte(strings.Replace(string(b), "{", `{"urls":["nats://proxy:1"],`, 1)), 0o600) != nil {
		t.Fatal(err)
	}
	if err := natsnode.Update(out, natsnode.Plan{Nodes: []string{"y"}, StoreMiB: 2048, Servers: []natsnode.Server{{Name: "d", Clients: "d:1", Routes: "d:2"}}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c", "d", "x", "y"} {
		f, err := natsnode.Read(filepath.Join(out, name))
		if err != nil || f.Seal != before.Seal || f.Cluster != before.Cluster || len(f.Servers) != 4 || len(f.Nodes) != 3 || f.StoreMiB != 2048 || (name == "b") != slices.Equal(f.URLs, []string{"nats://proxy:1"}) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	// The old certificate is still good.
	newCert, err := os.ReadFile(filepath.Join(out, "a", "cert.pem"))
	if err != nil || string(newCert) == string(oldCert) {
		t.Errorf("the certificate is the old one, %v", err)
	}
	// A member that runs shows the new one once it has read it again, to both sides, and
	// keeps it if a file is invalid.
	x, err := natsnode.Read(filepath.Join(out, "x"))
	if err != nil {
		t.Fatal(err)
	}
	shown := func() string {
		t.Helper()
		both := [2]string{}
		for i, sides := range [][2]*natsnode.Folder{{before, x}, {x, before}} {
			one, other := net.Pipe()
			server, client := tls.Server(one, sides[0].TLS("")), tls.Client(other, sides[1].TLS(sides[0].Name))
			done := make(chan error, 1)
			go func() { done <- server.Handshake() }()
			if err := errors.Join(client.Handshake(), <-done); err != nil {
				t.Fatal(err)
			}
			of := []*tls.Conn{client, server}[i].ConnectionState().PeerCertificates[0]
			both[i] = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: of.Raw}))
			one.Close()
			other.Close()
		}
		if both[0] != both[1] {
			t.Error("clients and servers are shown different certificates")
		}
		return both[0]
	}
	if shown() != string(oldCert) {
		t.Error("a member shows another certificate than at its start")
	}
	if err := before.Renew(); err != nil || shown() != string(newCert) {
		t.Errorf("a member that read its certificate again shows another one, %v", err)
	}
	if err := os.WriteFile(filepath.Join(out, "a", "cert.pem"), []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := before.Renew(); err == nil || shown() != string(newCert) {
		t.Errorf("an invalid certificate is taken: %v", err)
	}
	if err := natsnode.Update(out, natsnode.Plan{Servers: []natsnode.Server{{Name: "a", Clients: "z:1", Routes: "z:2"}}}); err == nil || !strings.Contains(err.Error(), "other addresses") {
		t.Error(err)
	}
	one := filepath.Join(t.TempDir(), "one")
	if err := natsnode.Init(one, natsnode.Plan{Servers: plan().Servers[:1]}); err != nil {
		t.Fatal(err)
	}
	if err := natsnode.Update(one, natsnode.Plan{Servers: plan().Servers[1:]}); err == nil || !strings.Contains(err.Error(), "cannot become several") {
		t.Error(err)
	}
}

// One server: a node without one uses it, and is connected again by itself after the
// server was away. Clients without a certificate of this cluster are refused, and no server has a monitoring port.
func TestOneServer(t *testing.T) {
	c := natstest.Start(t, 1, 1)
	server, node := c.Nodes[0], c.Nodes[1]
	if server.ServerName() != "l1" || node.ServerName() != "" || server.Replicas() != 1 {
		t.Errorf("servers %q and %q, %d replicas", server.ServerName(), node.ServerName(), server.Replicas())
	}
	got := make(chan string, 1)
	if _, err := server.Conn().Subscribe("fogkeep.try", func(m *nats.Msg) { got <- string(m.Data) }); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(server.Conn().Flush(), node.Conn().Publish("fogkeep.try", []byte("hello")), node.Conn().Flush()); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "hello" {
		t.Errorf("got %q", text)
	}
	address := server.Folder().Servers[0].Clients
	strangers(t, address)

	c.Kill(0)
	// No message is kept for later: the sender learns that there is no server.
	publish := func() error { return node.Conn().Publish("fogkeep.try", nil) }
	eventually.Holds(t, "sending fails", func() bool { return errors.Is(publish(), nats.ErrReconnectBufExceeded) })
	c.Restart(t, 0)
	eventually.Holds(t, "the node is connected again", func() bool { return publish() == nil })
}

func strangers(t *testing.T, address string) {
	t.Helper()
	// Another cluster's certificate, no certificate, and no TLS.
	out := filepath.Join(t.TempDir(), "other")
	host, port, _ := net.SplitHostPort(address)
	if err := natsnode.Init(out, natsnode.Plan{Servers: []natsnode.Server{{Name: "l1", Clients: address, Routes: net.JoinHostPort(host, "1")}}, Nodes: []string{"n1"}}); err != nil {
		t.Fatal(err, port)
	}
	f, err := natsnode.Read(filepath.Join(out, "n1"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if n, err := natsnode.Start(ctx, natsnode.Config{Folder: f, Logger: slog.New(slog.DiscardHandler)}); err == nil {
		n.Close()
		t.Error("a node of another cluster got in")
	}
	for name, opts := range map[string][]nats.Option{
		"no certificate": {nats.Secure(&tls.Config{InsecureSkipVerify: true}), nats.TLSHandshakeFirst()},
		"no TLS":         {nats.Timeout(time.Second)},
	} {
		if c, err := nats.Connect("nats://"+address, opts...); err == nil {
			c.Close()
			t.Errorf("%s: it got in", name)
		}
	}
	for _, url := range []string{"http://" + address, "nats://user:secret@" + address, "nats://" + address + "/x", "host"} {
		f, err := natsnode.Read(filepath.Join(out, "n1"))
		if err != nil {
			t.Fatal(err)
		}
		n, err := natsnode.Start(t.Context(), natsnode.Config{Folder: f, URLs: []string{url}, Logger: slog.New(slog.DiscardHandler)})
		if err == nil {
			n.Close()
			t.Errorf("%s was taken", url)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("an error has the password: %v", err)
		}
	}
}

// Three servers keep each message three times, and acknowledged messages outlive the loss of one, at once where it
// was no leader. A returning server has the missed messages.
func TestThreeServers(t *testing.T) {
	c := natstest.Start(t, 3, 1)
	if r := c.Nodes[3].Replicas(); r != 3 {
		t.Fatalf("%d replicas", r)
	}
	js, err := jetstream.New(c.Nodes[3].Conn())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	var s jetstream.Stream
	eventually.Holds(t, "the leader has heard all three, and makes a stream on them", func() bool {
		s, err = js.CreateStream(ctx, jetstream.StreamConfig{Name: "try", Subjects: []string{"try"}, Replicas: 3, MaxBytes: 1 << 20})
		return err == nil
	}, &err)
	if _, err := js.Publish(ctx, "try", []byte("one")); err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(ctx)
	if err != nil || info.Cluster == nil || len(info.Cluster.Replicas) != 2 {
		t.Fatalf("%+v, %v", info, err)
	}
	follower := 0
	for c.Nodes[follower].ServerName() == info.Cluster.Leader {
		follower++
	}
	c.Kill(follower)
	for {
		one, cancel := context.WithTimeout(ctx, time.Second)
		_, err := js.Publish(one, "try", []byte("two"))
		cancel()
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	c.Restart(t, follower)
	eventually.Holds(t, "both replicas are current", func() bool {
		info, err = s.Info(ctx)
		return err == nil && info.Cluster != nil && len(info.Cluster.Replicas) == 2 && info.Cluster.Replicas[0].Current && info.Cluster.Replicas[1].Current
	}, &info, &err)
}

// Start says in its error why the log cannot be used, and does not wait for ever.
func TestStartWithoutAMajority(t *testing.T) {
	ports := natstest.FreePorts(t, 6)
	out := filepath.Join(t.TempDir(), "cluster")
	var p natsnode.Plan
	for i, name := range []string{"a", "b", "c"} {
		p.Servers = append(p.Servers, natsnode.Server{Name: name, Clients: ports[2*i], Routes: ports[2*i+1]})
	}
	if err := natsnode.Init(out, p); err != nil {
		t.Fatal(err)
	}
	f, err := natsnode.Read(filepath.Join(out, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := natsnode.Start(t.Context(), natsnode.Config{Folder: f, Logger: slog.New(slog.DiscardHandler)}); err == nil {
		n.Close()
		t.Error("a journal server without a folder for its store began")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	n, err := natsnode.Start(ctx, natsnode.Config{Folder: f, StoreDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		n.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "journal store cannot be used") {
		t.Error(err)
	}
	// Its port is taken.
	l, err := net.Listen("tcp", ports[0])
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if n, err := natsnode.Start(t.Context(), natsnode.Config{Folder: f, StoreDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)}); err == nil {
		n.Close()
		t.Error("it started on a port that is taken")
	} else if !strings.Contains(err.Error(), "address already in use") {
		t.Error(err)
	}
}
