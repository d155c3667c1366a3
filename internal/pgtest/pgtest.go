package pgtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// The durability that nothing here needs.
var fast = []string{"fsync=off", "synchronous_commit=off", "full_page_writes=off"}

var (
	once     sync.Once
	startErr error
	base     string // conninfo without dbname
	stop     = func() {}
	seq      atomic.Int64
)

// TB is the part of testing.TB that [New] needs.
type TB interface {
	Helper()
	Fatal(...any)
	Cleanup(func())
}

// Main is for TestMain: it runs the tests, stops the server and exits.
func Main(m interface{ Run() int }) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// Stop ends the server, if there is one, and removes its folder.
func Stop() { stop() }

// New gives a test its own database and returns its conninfo. template is the
// name of a database to copy; "" is the empty one.
func New(t TB, template string) string {
	t.Helper()
	dsn, drop, err := Create(template)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(drop)
	return dsn
}

// Create is New for those who are not tests.
func Create(template string) (dsn string, drop func(), err error) {
	once.Do(func() { startErr = start() })
	if startErr != nil {
		return "", nil, startErr
	}
	name := fmt.Sprintf("t%d_%d", os.Getpid(), seq.Add(1))
	if err := admin("CREATE DATABASE " + name + " TEMPLATE " + cmp.Or(template, "template1")); err != nil {
		return "", nil, err
	}
	return base + " dbname=" + name, func() { admin("DROP DATABASE " + name + " WITH (FORCE)") }, nil
}

// Bin returns the path of one of PostgreSQL's programs, such as pg_dump.
func Bin(program string) (string, error) {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // Debian: not on PATH
	if d := os.Getenv("PG_BIN"); d != "" {
		dirs = []string{d}
	}
	if len(dirs) == 0 {
		return "", errors.New("no PostgreSQL found: apt-get install -y postgresql, or set PG_BIN to its bin folder")
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return filepath.Join(dirs[len(dirs)-1], program), nil
}

func start() error {
	if base = os.Getenv("TEST_POSTGRES"); base != "" {
		return nil
	}
	initdb, err := Bin("initdb")
	if err != nil {
		return err
	}
	postgres, _ := Bin("postgres")
	dir, err := os.MkdirTemp("/dev/shm", "pg") // memory; short, as a socket's path holds 107 bytes
	if err != nil {
		dir, err = os.MkdirTemp("/tmp", "pg")
	}
	if err != nil {
		return err
	}
	stop = func() { os.RemoveAll(dir) }
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGQUIT}
	if os.Geteuid() == 0 {
		if err := dropTo("postgres", dir, attr); err != nil {
			return err
		}
	}
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "PG") })
	command := func(program string, args ...string) *exec.Cmd {
		c := exec.Command(program, args...)
		c.Dir, c.Env, c.SysProcAttr = dir, append(env, "LC_ALL=C"), attr
		return c
	}
	if out, err := command(initdb, "-D", dir+"/d", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync").CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	args := []string{"-D", dir + "/d", "-k", dir, "-h", "", "-c", "shared_buffers=32MB", "-c", "max_connections=100"}
	for _, setting := range fast {
		args = append(args, "-c", setting)
	}
	var log bytes.Buffer
	pg := command(postgres, args...)
	pg.Stdout, pg.Stderr = &log, &log
	started, done := make(chan error, 1), make(chan struct{})
	go func() { // Pdeathsig follows the thread that forked: hold it until the server is gone
		runtime.LockOSThread()
		defer close(done)
		err := pg.Start()
		started <- err
		if err == nil {
			pg.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	stop = func() { // a fast shutdown
		pg.Process.Signal(syscall.SIGINT)
		<-done
		os.RemoveAll(dir)
	}
	base = "host=" + dir + " user=postgres"
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err = admin("SELECT 1"); err == nil {
			return nil
		}
		select {
		case <-done:
			return fmt.Errorf("postgres exited:\n%s", log.String())
		default:
		}
	}
	return fmt.Errorf("postgres does not answer: %w", err)
}

// dropTo makes the server run as a user, who gets the folder.
func dropTo(name, dir string, attr *syscall.SysProcAttr) error {
	u, err := user.Lookup(name) // made by Debian's package
	if err != nil {
		return err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(dir, uid, gid)
}

func admin(sql string) error {
	ctx := context.Background()
	c, err := pgx.Connect(ctx, base+" dbname=postgres")
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, sql)
	return err
}
