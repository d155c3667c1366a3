package docs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/rules"
	_ "github.com/fogkeep/fogkeep/proto/fogkeepv1" // registers the messages
)

// kinds lists the kinds of blocks. The rest of the block's first line is in brackets.
//
//	sh                 is run in bash, in a folder that all pages share, with the built binary on PATH
//	sh serve           is run beside the following blocks, and ended by a signal
//	sh check=syntax    needs another machine, or minutes: its programs, subcommands, flags, targets
//	                   and folders are checked to exist
//	text               pictures, formulas
//	text layers        lists packages: each imports only packages of the lines above; see TestLayers
//	text output        is the output of the shell block before it; … stands for anything in a line
//	go NAME            is a file that compiles; commands find it under that name
//	ts                 is a file that compiles; @fogkeep/client is web/sdk
//	cs NAME            is the file with this name in proto/csharp/examples, which scripts/csharp.sh compiles
//	json POST /api/x   is a body that the server accepts
//	json ruleset       is a ruleset that a match can be played by
//	json               parses
//	python FILE        is the text of the script FILE of the ruleset arsenal
//	json queues        is read as a file for --queues
//	textproto NAME     is a message of the protocol
//	nginx              is a proxy's configuration with the server's default address
var kinds = []string{"sh", "sh serve", "sh check=syntax", "text", "text layers", "text output", "go", "ts", "cs", "json", "json POST", "json ruleset", "json queues", "python", "textproto", "nginx"}

// TestBlocks runs, compiles or parses every block of code of every page.
func TestBlocks(t *testing.T) {
	all := pages(t)
	w := newWorkspace(t)
	var ran, compiled, parsed int
	for _, p := range inOrder(all) {
		sh := &shell{t: t, w: w}
		printed := ""
		for _, b := range p.blocks {
			kind := b.kind
			if len(b.args) > 0 && kind != "textproto" && kind != "go" && kind != "cs" && kind != "python" {
				kind += " " + b.args[0]
			}
			if !slices.Contains(kinds, kind) {
				t.Errorf("%s:%d: a block of the kind %q: the kinds are %q", p.path, b.line, kind, kinds)
				continue
			}
			switch kind {
			case "sh":
				printed = sh.run(b)
				ran++
			case "sh serve":
				printed = w.serve(b)
				ran++
			case "sh check=syntax":
				w.checkSyntax(b)
			case "text output":
				for _, line := range missing(w.here(b.code), printed) {
					t.Errorf("%s:%d: the commands before do not print %q, but:\n%s", p.path, b.line, line, printed)
				}
			case "go":
				w.compileGo(b)
				compiled++
			case "ts":
				compiled++ // below, all at once
			case "cs":
				file := filepath.Join(root, "proto/csharp/examples", filepath.Base(strings.Join(b.args, " ")))
				if text, err := os.ReadFile(file); err != nil || string(text) != b.code {
					t.Errorf("%s:%d: the block is not the text of %s (%v)", p.path, b.line, file, err)
				}
				compiled++
			case "python":
				file := filepath.Join(root, "match/rules/shipped/arsenal", filepath.Base(strings.Join(b.args, " ")))
				if text, err := os.ReadFile(file); err != nil || string(text) != b.code {
					t.Errorf("%s:%d: the block is not the text of %s (%v)", p.path, b.line, file, err)
				}
				parsed++
			case "json POST":
				w.accepts(b)
				parsed++
			case "json ruleset":
				if _, err := rules.Parse("example.json", []byte(b.code)); err != nil {
					t.Errorf("%s:%d: %v", p.path, b.line, err)
				}
				parsed++
			case "json queues":
				if _, err := model.ParseQueues([]byte(b.code)); err != nil {
					t.Errorf("%s:%d: %v", p.path, b.line, err)
				}
				parsed++
			case "json":
				var v any
				if err := json.Unmarshal([]byte(b.code), &v); err != nil {
					t.Errorf("%s:%d: %v", p.path, b.line, err)
				}
				parsed++
			case "textproto":
				if err := parseMessage(b); err != nil {
					t.Errorf("%s:%d: %v", p.path, b.line, err)
				}
				parsed++
			case "nginx":
				if strings.Count(b.code, "{") != strings.Count(b.code, "}") || !strings.Contains(b.code, "proxy_pass http://127.0.0.1:8080;") {
					t.Errorf("%s:%d: braces do not match, or the server's default address is not passed to", p.path, b.line)
				}
			}
		}
		sh.end()
		if t.Failed() {
			break // what follows builds on what failed
		}
	}
	w.compileTypeScript(all)
	if !t.Failed() && (ran < 20 || compiled < 2 || parsed < 2) {
		t.Errorf("%d blocks ran, %d compiled, %d parsed: the walk is broken", ran, compiled, parsed)
	}
}

// inOrder puts the tutorial first: the other pages go on with its server and its match.
func inOrder(all []*page) []*page {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b *page) int {
		first := func(p *page) int {
			if p.path == "docs/start/tutorial.md" {
				return 0
			}
			return 1
		}
		return first(a) - first(b)
	})
	return out
}

// missing lists the expected lines that are not printed in their order.
func missing(expected, printed string) (out []string) {
	lines := strings.Split(printed, "\n")
	for line := range strings.Lines(expected) {
		line = strings.TrimRight(line, "\n ")
		like := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + `\s*$`)
		i := slices.IndexFunc(lines, like.MatchString)
		if i < 0 {
			out = append(out, line)
			continue
		}
		lines = lines[i+1:]
	}
	return out
}

// parseMessage parses a message of the protocol.
func parseMessage(b block) error {
	name := protoreflect.FullName("fogkeep.v1." + strings.Join(b.args, " "))
	kind, err := protoregistry.GlobalTypes.FindMessageByName(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return prototext.Unmarshal([]byte(b.code), kind.New().Interface())
}

// workspace is the folder in which the commands of all pages run, outside the checkout and empty at first. While the
// test runs, it has the servers that the pages start.
type workspace struct {
	t     *testing.T
	dir   string
	ports map[string]string // a port that a page names -> a free one
	cli   *commandLine
}

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	w := &workspace{t: t, dir: t.TempDir(), ports: map[string]string{}}
	w.cli = newCommandLine(t)
	// A module that requires fogkeep, as an example has it.
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(here, "examples/bot", name))
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("=> ../.."), []byte("=> "+here))
		if err := os.WriteFile(filepath.Join(w.dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// address matches an address on a page.
var address = regexp.MustCompile(`\b(127\.0\.0\.1|localhost):(8[0-9]{3})\b`)

// here puts free ports in place of a page's.
func (w *workspace) here(code string) string {
	return address.ReplaceAllStringFunc(code, func(a string) string {
		m := address.FindStringSubmatch(a)
		return m[1] + ":" + w.port(m[2])
	})
}

func (w *workspace) port(named string) string {
	if w.ports[named] == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			w.t.Fatal(err)
		}
		_, w.ports[named], _ = net.SplitHostPort(l.Addr().String())
		_ = l.Close()
	}
	return w.ports[named]
}

// env is the environment of all commands: without this machine's settings of fogkeep, and with the
// free ports in place of the default ones.
func (w *workspace) env() []string {
	out := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "FOGKEEP_") })
	out = append(out, "PATH="+w.cli.dir+":"+os.Getenv("PATH"))
	return append(out, "FOGKEEP_ADDR=127.0.0.1:"+w.port("8080"), "FOGKEEP_ADMIN_ADDR=127.0.0.1:"+w.port("8081"), "FOGKEEP_METRICS_ADDR=127.0.0.1:"+w.port("8082"))
}

// accepts posts a body to the running server, as a new guest.
func (w *workspace) accepts(b block) {
	w.t.Helper()
	if len(b.args) != 2 {
		w.t.Errorf("%s:%d: want json POST /path", b.page.path, b.line)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-ec", w.here(`
		curl --silent --fail-with-body --cookie-jar jar.txt --json '{"name": "Poster"}' http://127.0.0.1:8080/api/guest > /dev/null
		curl --silent --fail-with-body --cookie jar.txt --json @- "http://127.0.0.1:8080$0"`), b.args[1])
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env(), strings.NewReader(b.code)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Errorf("%s:%d: POST %s: %v\n%s", b.page.path, b.line, b.args[1], err, out)
	}
}

// compileGo writes a Go block into the workspace and checks it.
func (w *workspace) compileGo(b block) {
	w.t.Helper()
	file := filepath.Join(w.dir, filepath.Base(strings.Join(b.args, "")))
	if err := os.WriteFile(file, []byte(w.here(b.code)), 0o644); err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", file)
	cmd.Dir = root // not in the workspace, whose packages were never compiled
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Errorf("%s:%d: %v\n%s", b.page.path, b.line, err, out)
	}
}

// compileTypeScript checks the types of all TypeScript blocks together.
func (w *workspace) compileTypeScript(all []*page) {
	web, err := filepath.Abs(filepath.Join(root, "web"))
	if err != nil {
		w.t.Fatal(err)
	}
	dir := w.t.TempDir()
	config, err := json.Marshal(map[string]any{
		"extends":         filepath.Join(web, "tsconfig.json"),
		"compilerOptions": map[string]any{"paths": map[string][]string{"@fogkeep/client": {filepath.Join(web, "sdk", "src", "index.ts")}}},
		"include":         []string{"*.ts"},
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "tsconfig.json"), config, 0o644)
	}
	if err == nil {
		err = os.Symlink(filepath.Join(web, "node_modules"), filepath.Join(dir, "node_modules"))
	}
	at := map[string]string{}
	for _, p := range all {
		for i, b := range p.blocks {
			if b.kind == "ts" && err == nil {
				name := fmt.Sprintf("%s_%d.ts", strings.TrimSuffix(filepath.Base(p.path), ".md"), i)
				at[name] = fmt.Sprintf("%s:%d", p.path, b.line)
				err = os.WriteFile(filepath.Join(dir, name), []byte(b.code), 0o644)
			}
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(web, "node_modules", ".bin", "tsc"), "--noEmit", "--project", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Errorf("blocks %v: %v\n%s", at, err, out)
	}
}
