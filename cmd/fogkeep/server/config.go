package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/outbound"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/identity"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
)

// Config has a server's settings. The fields are the flags of `fogkeep serve`: the
// command line's parser (alecthomas/kong) reads their tags, [Defaults] reads default, and
// [Config.Check] reads range: "MIN..MAX", or "0|MIN..MAX" if 0 is also valid. The zero
// value is not complete: begin with Defaults.
type Config struct {
	Addr        string `env:"FOGKEEP_ADDR" default:"127.0.0.1:8080" help:"Address for players."`
	AdminAddr   string `env:"FOGKEEP_ADMIN_ADDR" default:"127.0.0.1:8081" help:"Address for admins. Keep it on loopback, or behind a proxy that authenticates callers."`
	ServiceAddr string `env:"FOGKEEP_SERVICE_ADDR" placeholder:"127.0.0.1:8083" help:"Address for the servers of a studio (docs/reference/service-api.md). Off by default. Keep it on loopback, or behind a proxy that speaks TLS."`
	MetricsAddr string `env:"FOGKEEP_METRICS_ADDR" default:"127.0.0.1:8082" help:"Address for metrics."`
	DataDir     string `env:"FOGKEEP_DATA_DIR" default:"./data" help:"Folder for the embedded database, journals, and maps and rulesets to offer."`
	DatabaseURL string `env:"FOGKEEP_DATABASE_URL" secret:"" help:"postgres://… to store on PostgreSQL instead of the embedded SQLite."`
	ContentDir  string `env:"FOGKEEP_CONTENT_DIR" help:"Folder with more maps, rulesets and packs to offer, in its folders maps, rules and packs; a ruleset is a file NAME.json. Default: the data folder."`
	PublicURL   string `env:"FOGKEEP_PUBLIC_URL" help:"Address at which players reach the server, if it is not the listener's: https://play.example.org. Pages from this origin may call the API."`

	Cluster  string `env:"FOGKEEP_CLUSTER" placeholder:"FOLDER" help:"This node's folder of a cluster, as fogkeep cluster init made it; see docs/operate/cluster.md. Needs PostgreSQL, the same for all nodes."`
	NodeURL  string `name:"node-url" env:"FOGKEEP_NODE_URL" placeholder:"URL" help:"Address at which players reach this node alone: https://n1.example.org. Default in a cluster: the player listener. any: players reach any node, which forwards their connections to the node of their match."`
	NodeAddr string `name:"node-addr" env:"FOGKEEP_NODE_ADDR" placeholder:"HOST:PORT" help:"Address for the other nodes of a cluster. Both sides use the certificates of their folders. Default: the host of --addr, at any free port."`

	QueuesFile string `name:"queues" env:"FOGKEEP_QUEUES" placeholder:"FILE" help:"JSON file of the matchmaking queues, see docs/reference/matchmaking.md. Default: 1v1 and 2v2. A file without queues turns matchmaking off."`

	AllowedOrigins []string `env:"FOGKEEP_ALLOWED_ORIGINS" help:"Origins of further pages that may call the API and open sockets, such as https://game.example.org."`
	AllowedHosts   []string `env:"FOGKEEP_ALLOWED_HOSTS" placeholder:"admin.example.org" help:"Further host names under which the listeners for admins, metrics and the servers of a studio answer. They always answer under addresses, localhost and the host of --public-url."`
	WebhookAllow   []string `env:"FOGKEEP_WEBHOOK_ALLOW" placeholder:"10.0.0.0/8" help:"Private address ranges that webhooks may call. By default they may call public addresses only."`
	FrameAncestors []string `env:"FOGKEEP_FRAME_ANCESTORS" help:"Origins whose pages may show the game in a frame. By default no page may."`

	IdentityFile string  `env:"FOGKEEP_IDENTITY_FILE" help:"JSON file of the identity providers at which players may log in; see docs/build/log-in-with-your-own-accounts.md."`
	Allow        Allowed `env:"FOGKEEP_ALLOW" default:"accounts,guests" help:"Rights of players: accounts (register, and log in by name and password), guests (play without an account), scenarios (make lobbies from own scenario files; admins always may), or none."`

	TLS            []string `name:"tls" env:"FOGKEEP_TLS" placeholder:"CERT,KEY" help:"Certificate file and key file of the player listener."`
	ACME           []string `name:"tls-acme" env:"FOGKEEP_TLS_ACME" placeholder:"play.example.org" help:"Host names for which the player listener gets and renews certificates by ACME, as you accept the terms of the authority. Port 443 of each name must lead to --addr. An address among them is the authority's directory; default: Let's Encrypt."`
	TrustedProxies []string `env:"FOGKEEP_TRUSTED_PROXIES" help:"Address ranges of proxies whose X-Forwarded-For the server trusts."`

	Limit []string `name:"limit" env:"FOGKEEP_LIMITS" placeholder:"RESOURCE.SCOPE=N" help:"Changes a limit, such as match-ticks.process=1280; see docs/reference/limits.md. May be given more than once."`

	BytesPerSecond int           `env:"FOGKEEP_BYTES_PER_SECOND" range:"0|512..1073741824" help:"Largest rate at which the server sends to one player, in bytes of payload per second: 512 or more; 0: no limit."`
	KeepDays       KeepDays      `env:"FOGKEEP_KEEP_DAYS" default:"audit=0,guests=90,journals=90" help:"Days for which the server keeps data. audit: rows of the audit; guests: guests without a session, and ended matches with their lobbies; journals: journals of ended matches, for replays. 0: forever."`
	WaitForBuild   time.Duration `env:"FOGKEEP_WAIT_FOR_BUILD" default:"1h" range:"1m..720h" help:"Time for which the server keeps a match that this build cannot continue, for a server of the build that began the match."`
	DiskReserveMiB int           `name:"disk-reserve-mib" env:"FOGKEEP_DISK_RESERVE_MIB" default:"512" range:"0..1048576" help:"With less free space than this on the disk of the data folder, the server starts no match; 0: it always does."`

	Pprof bool `env:"FOGKEEP_PPROF" help:"Serve profiles of the process below /debug/pprof/ at --metrics-addr."`

	LogLevel string        `env:"FOGKEEP_LOG_LEVEL" default:"info" help:"debug (with each request, and the traffic of each match once per second), info (with a sample of the requests), warn or error. A file log-level in the data folder overrides it."`
	Grace    time.Duration `env:"FOGKEEP_SHUTDOWN_GRACE" default:"10s" range:"0s..1h" help:"Time that open requests get when the server stops. A node of a cluster first moves its matches to other nodes, for at most twice this time."`

	Hooks Hooks `kong:"-"` // settings without a flag
}

// Hooks are how a program that embeds the server takes part. All may be nil.
type Hooks struct {
	// Maps and Rulesets are offered beside the shipped ones and the folders'. A map's id
	// is made of its name, a ruleset's is its key here. The server does not change them,
	// and the program must not.
	Maps     []*grid.Map
	Rulesets map[string]*rules.Ruleset
	// Admission, if not nil, gets the lobby's admission and returns the admission for the
	// match service: to let in players of the program's own lobby, to see arrivals, or to
	// take results. A type that embeds the given value and overrides single methods is
	// enough.
	Admission func(lobby Admission) Admission
	// Routes are handlers on the players' listener, by patterns of [http.ServeMux].
	// The server's own paths (/api/, /admin/, /maps/, /ws, /readyz, /livez) and the
	// start page are not to be had. The listener's limits hold for them too.
	Routes map[string]http.Handler
	// Drivers are further ways to the matches, by name, beside the drivers of the server: each
	// runs while the server does, and limits count its clients as they count sockets. The
	// driver "in-process" takes the place of the one by which the server's bots come. A nil
	// "websocket" leaves players without sockets.
	Drivers map[string]link.Driver
	// Logger takes the server's log. nil: standard error, from LogLevel on. Level, if not
	// nil, is the logger's, and [Server.Reload] sets it.
	Logger *slog.Logger
	Level  *slog.LevelVar
	// Traces takes spans of requests, of their transactions and of takeovers. nil: none.
	Traces trace.TracerProvider
	// Reload lets a server that runs call [Server.Reload], once for each signal. nil: never.
	Reload <-chan os.Signal
	// Replace lets the server take the place of another one that runs on the data folder:
	// that server stops in order, and its matches go on in this one. Without another
	// server it changes nothing.
	Replace bool
	// Ready is called once, when the listeners serve.
	Ready func(*Server)
	// Ticked is called on each match's goroutine after each tick: how long the tick
	// took, and how much later than planned it began. It must return at once.
	Ticked func(match string, took, late time.Duration)
	// Verifiers are further identity providers: players log in by tokens that these
	// verify.
	Verifiers []identity.Own
}

// Admission answers the match service about players, and hears of its matches.
type Admission interface {
	match.Admitter
	match.Reporter
	// Fate decides about a match whose journal has no end, at the start of the server. An
	// unknown match is left alone.
	Fate(ctx context.Context, matchID string) (match.Fate, error)
}

// Allowed has the actions open to players, as text a list such as "accounts,guests".
type Allowed struct {
	Accounts  bool // register, and log in by name and password
	Guests    bool
	Scenarios bool // make lobbies of scenarios of their own
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Allowed) UnmarshalText(text []byte) error {
	*a = Allowed{}
	names := map[string]*bool{"accounts": &a.Accounts, "guests": &a.Guests, "scenarios": &a.Scenarios}
	if string(text) == "none" {
		return nil
	}
	for name := range strings.SplitSeq(string(text), ",") {
		may := names[strings.TrimSpace(name)]
		if may == nil {
			return fmt.Errorf("%q: want a list of accounts, guests and scenarios, or none", name)
		}
		*may = true
	}
	return nil
}

// KeepDays is for how many days the server keeps things, 0 for ever; as text a list such
// as "journals=30". Kinds missing in the list have their defaults.
type KeepDays struct{ Audit, Guests, Journals int }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *KeepDays) UnmarshalText(text []byte) error {
	*k = KeepDays{Guests: 90, Journals: 90}
	kinds := map[string]*int{"audit": &k.Audit, "guests": &k.Guests, "journals": &k.Journals}
	for item := range strings.SplitSeq(string(text), ",") {
		kind, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		n, err := strconv.Atoi(value)
		if kinds[kind] == nil || err != nil || n < 0 || n > keepDaysMax {
			return fmt.Errorf("%q: want KIND=DAYS with a kind of audit, guests and journals, and 0 to %d days", item, keepDaysMax)
		}
		*kinds[kind] = n
	}
	return nil
}

const keepDaysMax = 36500

// Defaults returns the configuration that `fogkeep serve` has without flags and
// without variables.
func Defaults() Config {
	var c Config
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		text, ok := v.Type().Field(i).Tag.Lookup("default")
		if !ok {
			continue
		}
		var err error
		switch field := v.Field(i).Addr().Interface().(type) {
		case *string:
			*field = text
		case *time.Duration:
			*field, err = time.ParseDuration(text)
		case encoding.TextUnmarshaler:
			err = field.UnmarshalText([]byte(text))
		default:
			_, err = fmt.Sscan(text, field)
		}
		if err != nil {
			panic(fmt.Sprintf("server: default of %s: %v", v.Type().Field(i).Name, err)) // the table above is wrong
		}
	}
	return c
}

// LogStoreDir is the folder in the data folder where a journal server keeps its store.
const LogStoreDir = "log"

// CheckRanges says which number of a configuration is out of the range of its tag. It takes
// a pointer to a struct of flags, as [Config].
func CheckRanges(config any) error {
	v := reflect.ValueOf(config).Elem()
	for i := range v.NumField() {
		if err := checkRange(v.Type().Field(i), v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// checkRange says if a field of the configuration is out of its range.
func checkRange(field reflect.StructField, value reflect.Value) error {
	text, ok := field.Tag.Lookup("range")
	if !ok {
		return nil
	}
	bounds, zero := strings.CutPrefix(text, "0|")
	if zero && value.IsZero() {
		return nil
	}
	low, high, _ := strings.Cut(bounds, "..")
	number := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if _, ok := value.Interface().(time.Duration); ok {
			var d time.Duration
			d, err = time.ParseDuration(text)
			n = int64(d)
		}
		if err != nil {
			panic(fmt.Sprintf("server: range of %s: %v", field.Name, err)) // the table is wrong
		}
		return n
	}
	var is int64
	if value.CanUint() {
		is = int64(value.Uint()) // at most 32 bits
	} else {
		is = value.Int()
	}
	if is >= number(low) && is <= number(high) {
		return nil
	}
	want := low + " to " + high
	if zero {
		want = "0, or " + want
	}
	return fmt.Errorf("--%s %v: want %s", flagName(field), value, want)
}

// flagName is the flag that sets a field: OrderBurst is order-burst.
func flagName(field reflect.StructField) string {
	return cmp.Or(field.Tag.Get("name"), strings.ToLower(regexp.MustCompile(`\B[A-Z]`).ReplaceAllString(field.Name, "-$0")))
}

// parsed has the texts of a configuration, read.
type parsed struct {
	limits   quota.Limits
	proxies  listen.Proxies
	hosts    listen.Hosts    // names under which the listeners for operators answer
	origins  *listen.Origins // of the pages that may call: the public URL's and the allowed ones
	webhooks outbound.Policy
	identity *identity.File // nil: there is none
	queues   []model.Queue
	drivers  drivers
}

// Check says which setting cannot work, and why, before anything starts.
func (c *Config) Check() error {
	_, err := c.parse()
	return err
}

// parse reads the texts, and checks all settings.
func (c *Config) parse() (p parsed, err error) {
	for _, a := range []struct{ flag, value string }{
		{"--addr", c.Addr}, {"--admin-addr", c.AdminAddr}, {"--service-addr", c.ServiceAddr}, {"--metrics-addr", c.MetricsAddr},
	} {
		if _, _, err := net.SplitHostPort(a.value); err != nil && (a.flag != "--service-addr" || a.value != "") {
			return p, fmt.Errorf("%s %q: want host:port, such as 127.0.0.1:8080", a.flag, a.value)
		}
	}
	if err := CheckRanges(c); err != nil {
		return p, err
	}
	if c.DataDir == "" {
		return p, fmt.Errorf("--data-dir is empty: name a folder, such as ./data")
	}
	if u := c.DatabaseURL; u != "" && !strings.HasPrefix(u, "postgres://") && !strings.HasPrefix(u, "postgresql://") {
		return p, fmt.Errorf("--database-url: want postgres://user@host/name, or leave it out for the embedded SQLite")
	}
	if err := checkFolder("--content-dir", c.ContentDir); err != nil {
		return p, err
	}
	if c.IdentityFile != "" {
		if p.identity, err = identity.ReadFile(c.IdentityFile, os.Getenv); err != nil {
			return p, fmt.Errorf("--identity-file: %w", err)
		}
	}
	if !c.Allow.Accounts && !c.Allow.Guests && c.IdentityFile == "" && len(c.Hooks.Verifiers) == 0 {
		return p, fmt.Errorf("--allow has neither accounts nor guests: no player could log in; name identity providers with --identity-file")
	}
	if err := c.checkACME(); err != nil {
		return p, err
	}
	if len(c.TLS) != 0 && len(c.TLS) != 2 {
		return p, fmt.Errorf("--tls %s: want two files, CERT,KEY", strings.Join(c.TLS, ","))
	}
	if cert, key := c.tlsFiles(); cert != "" {
		if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
			return p, fmt.Errorf("--tls %s,%s: %w", cert, key, err)
		}
	}
	origins, own := c.AllowedOrigins, []string(nil)
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return p, fmt.Errorf("--public-url %q: want http(s)://host", c.PublicURL)
		}
		origins = append([]string{u.Scheme + "://" + u.Host}, origins...)
		own = append(own, u.Hostname())
	}
	if p.origins, err = listen.ParseOrigins(origins); err != nil {
		return p, fmt.Errorf("--allowed-origins: %w", err)
	}
	for _, addr := range []string{c.AdminAddr, c.ServiceAddr, c.MetricsAddr} {
		host, _, _ := net.SplitHostPort(addr) // checked
		own = append(own, host)
	}
	hosts := slices.Clone(c.AllowedHosts)
	for _, name := range own {
		if name != "" && !strings.Contains(name, ":") { // they always answer under addresses
			hosts = append(hosts, name)
		}
	}
	if p.hosts, err = listen.ParseHosts(hosts); err != nil {
		return p, fmt.Errorf("--allowed-hosts: %w", err)
	}
	if p.webhooks.Allow, err = outbound.ParseAllow(c.WebhookAllow); err != nil {
		return p, fmt.Errorf("--webhook-allow: %w", err)
	}
	if _, err := listen.ParseOrigins(c.FrameAncestors); err != nil {
		return p, fmt.Errorf("--frame-ancestors: %w", err)
	}
	if p.drivers, err = c.Hooks.drivers(); err != nil {
		return p, err
	}
	if p.queues, err = c.queues(); err != nil {
		return p, err
	}
	if err := c.checkCluster(); err != nil {
		return p, err
	}
	if p.limits, err = quota.Defaults().Set(c.Limit); err != nil {
		return p, err
	}
	if p.proxies, err = outbound.ParseAllow(c.TrustedProxies); err != nil {
		return p, fmt.Errorf("--trusted-proxies: %w", err)
	}
	return p, nil
}

// tlsFiles returns the certificate's and the key's file of the player listener; empty: plain HTTP.
func (c *Config) tlsFiles() (cert, key string) {
	if len(c.TLS) != 2 {
		return "", ""
	}
	return c.TLS[0], c.TLS[1]
}

// checkFolder checks that a configured folder is there; "": not configured.
func checkFolder(flag, dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %s: the folder does not exist", flag, dir)
	case err != nil:
		return fmt.Errorf("%s %s: %w", flag, dir, cause(err))
	case !info.IsDir():
		return fmt.Errorf("%s %s: this is no folder", flag, dir)
	}
	return nil
}

// checkCluster checks the settings of a node of a cluster.
func (c *Config) checkCluster() error {
	if c.NodeURL != "" && !c.forwards() {
		if u, err := url.Parse(c.NodeURL); err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("--node-url %q: want http(s)://host, or any", c.NodeURL)
		}
	}
	if c.Cluster == "" {
		if c.forwards() {
			return fmt.Errorf("--node-url any needs --cluster: without it no other node is known")
		}
		return nil
	}
	if c.DatabaseURL == "" {
		return fmt.Errorf("--cluster needs --database-url: all nodes store on one PostgreSQL")
	}
	return nil
}

// nodeAddr is where the listener for the other nodes is opened.
func (c *Config) nodeAddr() string {
	host, _, _ := net.SplitHostPort(c.Addr)
	return cmp.Or(c.NodeAddr, net.JoinHostPort(host, "0"))
}

// nodeURLs returns where players reach this node and no other ("": where they reach any
// node), and where other nodes reach it. players is the listener's address.
func (c *Config) nodeURLs(players string) (forPlayers, forNodes string) {
	node := strings.TrimSuffix(c.NodeURL, "/")
	switch {
	case c.forwards():
		return "", players
	case c.Cluster != "" && node == "":
		node = players
	}
	return node, node
}

// forwards reports whether players know no nodes, and this one forwards their connections.
func (c *Config) forwards() bool { return c.NodeURL == "any" }

// SecretVariables returns the variables that the file of identity providers has secrets
// in.
func (c *Config) SecretVariables() (names []string) {
	if c.IdentityFile != "" {
		_, _ = identity.ReadFile(c.IdentityFile, func(name string) string { // [Config.Check] reports a bad file
			names = append(names, name)
			return os.Getenv(name)
		})
	}
	return names
}

// Warnings returns the settings that work and are unsafe, each with a remedy.
func (c *Config) Warnings() (out []string) {
	for _, a := range []struct{ flag, addr string }{{"--admin-addr", c.AdminAddr}, {"--service-addr", c.ServiceAddr}, {"--metrics-addr", c.MetricsAddr}} {
		if a.addr != "" && !onlyHere(a.addr) {
			out = append(out, fmt.Sprintf("%s %s: other machines reach this listener, and it speaks plain HTTP: keep it on loopback, or behind a proxy that speaks TLS and authenticates callers", a.flag, a.addr))
		}
	}
	if !onlyHere(c.Addr) && len(c.TLS) == 0 && len(c.ACME) == 0 && len(c.TrustedProxies) == 0 {
		out = append(out, fmt.Sprintf("--addr %s: other machines reach this listener, and passwords travel in the clear: set --tls or --tls-acme, or use a proxy that speaks TLS and name it with --trusted-proxies", c.Addr))
	}
	if c.Pprof && !onlyHere(c.MetricsAddr) {
		out = append(out, fmt.Sprintf("--pprof with --metrics-addr %s: other machines can read the memory's profile and make the server work: keep the listener on loopback", c.MetricsAddr))
	}
	if c.DiskReserveMiB == 0 {
		out = append(out, "--disk-reserve-mib 0: matches start until the disk is full, and then all stop: reserve some space")
	}
	if u, err := url.Parse(c.DatabaseURL); err == nil && u.Query().Get("sslmode") == "disable" && !onlyHere(net.JoinHostPort(u.Hostname(), "0")) {
		out = append(out, "--database-url with sslmode=disable: passwords and data travel in the clear: use sslmode=verify-full")
	}
	return out
}

// Local says that only this machine reaches the player listener.
func (c *Config) Local() bool { return onlyHere(c.Addr) }

// onlyHere says that only this machine reaches a listener at an address.
func onlyHere(addr string) bool {
	host, _, _ := net.SplitHostPort(addr)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}
