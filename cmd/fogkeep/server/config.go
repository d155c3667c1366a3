package server

import (
	"cmp"
	"context"
	"crypto/tls"
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

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/outbound"
	"github.com/fogkeep/fogkeep/lobby/identity"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// Config is what a server works with. The fields are the flags of `fogkeep serve`:
// the command line's parser (alecthomas/kong) reads their tags, [Defaults] reads default,
// and [Config.Check] reads range: "MIN..MAX", or "0|MIN..MAX" if 0 is a value of its own.
// The zero value is not complete: begin with Defaults.
type Config struct {
	Addr        string `env:"FOGKEEP_ADDR" default:"127.0.0.1:8080" help:"Address for players."`
	AdminAddr   string `env:"FOGKEEP_ADMIN_ADDR" default:"127.0.0.1:8081" help:"Address for admins. Keep it on loopback, or behind something that asks who is there."`
	ServiceAddr string `env:"FOGKEEP_SERVICE_ADDR" placeholder:"127.0.0.1:8083" help:"Address for the servers of a studio (docs/service-api.md). Off by default. Keep it on loopback, or behind something that speaks TLS."`
	MetricsAddr string `env:"FOGKEEP_METRICS_ADDR" default:"127.0.0.1:8082" help:"Address for metrics."`
	DataDir     string `env:"FOGKEEP_DATA_DIR" default:"./data" help:"Folder for the embedded database, journals, and maps and rulesets to offer."`
	DatabaseURL string `env:"FOGKEEP_DATABASE_URL" help:"postgres://… to store on PostgreSQL instead of the embedded SQLite."`
	MapsDir     string `env:"FOGKEEP_MAPS_DIR" help:"Folder of further maps to offer. Default: maps in the data folder."`
	RulesDir    string `env:"FOGKEEP_RULES_DIR" help:"Folder of further rulesets to offer, each a file NAME.json. Default: rules in the data folder."`
	PublicURL   string `env:"FOGKEEP_PUBLIC_URL" help:"Where players reach the server, if not at its address: https://play.example.org. Pages from there may call."`

	Cluster     string        `env:"FOGKEEP_CLUSTER" placeholder:"FOLDER" help:"This node's folder of a cluster, as fogkeep cluster init made it; see docs/cluster.md. Needs PostgreSQL, the same for all nodes."`
	NATS        []string      `name:"nats" env:"FOGKEEP_NATS" placeholder:"nats://HOST:PORT" help:"Log servers of the cluster to connect to, in place of those that its folder names. None is embedded then."`
	NodeURL     string        `name:"node-url" env:"FOGKEEP_NODE_URL" help:"Where players reach this node, and no other: https://n1.example.org. Default in a cluster: the player listener."`
	NodeAddr    string        `name:"node-addr" env:"FOGKEEP_NODE_ADDR" placeholder:"HOST:PORT" help:"Address for the other nodes of a cluster, with the certificates of its folder on both sides. Default: the host of --addr, at any free port."`
	Proxy       bool          `env:"FOGKEEP_PROXY" help:"Carry the sockets of players whose match runs on another node there, so that players need only one address for all nodes."`
	MoveGrace   time.Duration `env:"FOGKEEP_MOVE_GRACE" default:"20s" range:"0s..1h" help:"How long a node of a cluster that stops may take to move its matches to others; 0: they are taken over from it."`
	LogStoreMiB int           `name:"log-store-mib" env:"FOGKEEP_LOG_STORE_MIB" default:"0" range:"0|1024..1073741824" help:"Most that a log server keeps on disk, in MiB, the same for all of the cluster; 0: 8,192."`

	QueuesFile string `name:"queues" env:"FOGKEEP_QUEUES" placeholder:"FILE" help:"JSON file of the queues for which players wait, see docs/matchmaking.md. Default: 1v1 and 2v2. With none there is no matchmaking."`

	AllowedOrigins []string `env:"FOGKEEP_ALLOWED_ORIGINS" help:"Origins of further pages that may call the API and open sockets, such as https://game.example.org."`
	AllowedHosts   []string `env:"FOGKEEP_ALLOWED_HOSTS" placeholder:"admin.example.org" help:"Further host names under which the listeners for admins, metrics and the servers of a studio answer. They always answer under addresses, localhost and the host of --public-url."`
	WebhookAllow   []string `env:"FOGKEEP_WEBHOOK_ALLOW" placeholder:"10.0.0.0/8" help:"Address ranges that are not public and that webhook endpoints may be in. None by default."`
	FrameAncestors []string `env:"FOGKEEP_FRAME_ANCESTORS" help:"Origins whose pages may show the game in a frame. None by default."`

	IdentityFile string `env:"FOGKEEP_IDENTITY_FILE" help:"JSON file of the identity providers that players may continue with; see docs/how-to/log-in-with-your-own-accounts.md."`
	OwnLogin     bool   `env:"FOGKEEP_OWN_LOGIN" default:"true" negatable:"" help:"Players may register and log in by name and password."`
	Guests       bool   `env:"FOGKEEP_GUESTS" default:"true" negatable:"" help:"Players may play as guests, without an account."`

	TLSCert        string   `env:"FOGKEEP_TLS_CERT" help:"Certificate file of the player listener."`
	TLSKey         string   `env:"FOGKEEP_TLS_KEY" help:"Key file of the player listener."`
	TrustedProxies []string `env:"FOGKEEP_TRUSTED_PROXIES" help:"Address ranges of proxies whose X-Forwarded-For is believed."`

	Limit []string `name:"limit" env:"FOGKEEP_LIMITS" placeholder:"RESOURCE.SCOPE=N" help:"Changes a limit, such as match-ticks.process=1280; see docs/limits.md. May be given more than once."`

	// The cost of one password hash (argon2id): from the least that OWASP advises (with five
	// passes) to the most that a server can bear a few times. More is safer and slower; the
	// next login of each player brings its hash to the new cost.
	PasswordMemoryKiB uint32 `name:"password-memory-kib" env:"FOGKEEP_PASSWORD_MEMORY_KIB" default:"19456" range:"7168..1048576" help:"Memory of one password hash."`
	PasswordPasses    uint32 `env:"FOGKEEP_PASSWORD_PASSES" default:"2" range:"1..16" help:"Passes of one password hash."`

	BytesPerSecond  int  `env:"FOGKEEP_BYTES_PER_SECOND" range:"0|512..1073741824" help:"Most that one player is sent a second, in bytes of payload; 0 is no limit, 512 the least."`
	OrdersPerSecond int  `env:"FOGKEEP_ORDERS_PER_SECOND" range:"0..1000" help:"Orders a player may send a second in the long run; 0 leaves it to the ruleset."`
	OrderBurst      int  `env:"FOGKEEP_ORDER_BURST" range:"0..1000" help:"Orders a player may send at once; 0 leaves it to the ruleset."`
	ReplayMiB       int  `name:"replay-mib" env:"FOGKEEP_REPLAY_MIB" default:"512" range:"64..1048576" help:"Most memory that all replays that are watched or played on, and all matches that late spectators watch, take together."`
	AuditDays       int  `env:"FOGKEEP_AUDIT_DAYS" default:"0" range:"0..36500" help:"Days that rows of the audit are kept; 0 is for ever."`
	GuestDays       int  `env:"FOGKEEP_GUEST_DAYS" default:"90" range:"0..36500" help:"Days that guests without a session, matches that are over and their lobbies are kept; 0 is for ever."`
	JournalDays     int  `env:"FOGKEEP_JOURNAL_DAYS" default:"90" range:"0..36500" help:"Days that the journals of matches that are over are kept for replays; 0 is for ever."`
	PlayerScenarios bool `env:"FOGKEEP_PLAYER_SCENARIOS" help:"Players may make lobbies of scenarios of their own (docs/scenarios.md). Admins always may."`
	// A match that no person is connected to ends: a lobby says after how many
	// minutes, up to this.
	AbandonMinutesMax int           `name:"abandon-minutes-max" env:"FOGKEEP_ABANDON_MINUTES_MAX" default:"60" range:"5..60" help:"The most minutes that a lobby may have a match go on for without people."`
	WaitForBuild      time.Duration `env:"FOGKEEP_WAIT_FOR_BUILD" default:"1h" range:"1m..720h" help:"How long a match is kept that this build cannot continue, for a server of the build that began it."`
	DiskReserveMiB    int           `name:"disk-reserve-mib" env:"FOGKEEP_DISK_RESERVE_MIB" default:"512" range:"0..1048576" help:"With less room than this on the disk of the data folder no match is started; 0 is for never."`
	LogTraffic        bool          `env:"FOGKEEP_LOG_TRAFFIC" help:"Log once a second what each match sends."`

	LogLevel string        `env:"FOGKEEP_LOG_LEVEL" default:"info" help:"debug, info, warn or error. A file log-level in the data folder goes first."`
	Grace    time.Duration `env:"FOGKEEP_SHUTDOWN_GRACE" default:"10s" help:"How long requests may take to end when the server stops."`

	Hooks Hooks `kong:"-"` // what has no flag
}

// Hooks are how a program that embeds the server takes part. All may be nil.
type Hooks struct {
	// Maps and Rulesets are offered beside the shipped ones and those of the
	// folders. A map's id is made of its name, a ruleset's is its key here. The
	// server does not change them, and nobody else may.
	Maps     []*grid.Map
	Rulesets map[string]*rules.Ruleset
	// Admission, if not nil, is given the lobby's admission and returns the one that
	// the match service asks: to let in players of a lobby of the program's own, to
	// see who comes, or to take results. A type that embeds the given value and
	// overrides single methods is enough.
	Admission func(lobby Admission) Admission
	// Routes are handlers on the players' listener, by patterns of [http.ServeMux].
	// The server's own paths (/api/, /admin/, /maps/, /ws, /healthz, /livez) and the
	// start page are not to be had. The listener's limits hold for them too.
	Routes map[string]http.Handler
	// Logger takes the server's log. nil: standard error, from LogLevel on. Level, if not
	// nil, is the logger's, and [Server.Reload] sets it.
	Logger *slog.Logger
	Level  *slog.LevelVar
	// Reload lets a server that runs call [Server.Reload], once for each signal. nil: never.
	Reload <-chan os.Signal
	// Ready is called once, when the listeners serve.
	Ready func(*Server)
	// Ticked is called on each match's goroutine after each tick: how long the tick
	// took, and how much later than planned it began. It must return at once.
	Ticked func(match string, took, late time.Duration)
	// Verifiers are further identity providers: players log in by tokens that these
	// verify.
	Verifiers []identity.Own
}

// Admission is what the match service asks about players, and tells of its matches.
type Admission interface {
	match.Admitter
	match.Reporter
	// Fate says what becomes of a match whose journal was found without an end, at
	// the start of the server. One that nobody knows is left alone.
	Fate(ctx context.Context, matchID string) (match.Fate, error)
}

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
		default:
			_, err = fmt.Sscan(text, field)
		}
		if err != nil {
			panic(fmt.Sprintf("server: default of %s: %v", v.Type().Field(i).Name, err)) // the table above is wrong
		}
	}
	return c
}

// LogStoreDir is the folder in the data folder where a log server keeps its store.
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

// Check says which setting cannot work, and why, before anything starts.
func (c *Config) Check() error {
	for _, a := range []struct{ flag, value string }{
		{"--addr", c.Addr}, {"--admin-addr", c.AdminAddr}, {"--service-addr", c.ServiceAddr}, {"--metrics-addr", c.MetricsAddr},
	} {
		if _, _, err := net.SplitHostPort(a.value); err != nil && (a.flag != "--service-addr" || a.value != "") {
			return fmt.Errorf("%s %q: want host:port, such as 127.0.0.1:8080", a.flag, a.value)
		}
	}
	if err := CheckRanges(c); err != nil {
		return err
	}
	if c.DataDir == "" {
		return fmt.Errorf("--data-dir is empty: name a folder, such as ./data")
	}
	if u := c.DatabaseURL; u != "" && !strings.HasPrefix(u, "postgres://") && !strings.HasPrefix(u, "postgresql://") {
		return fmt.Errorf("--database-url: want postgres://user@host/name, or nothing for the embedded SQLite")
	}
	if err := errors.Join(checkFolder("--rules-dir", c.RulesDir), checkFolder("--maps-dir", c.MapsDir)); err != nil {
		return err
	}
	if _, err := c.identityFile(); err != nil {
		return fmt.Errorf("--identity-file: %w", err)
	}
	if !c.OwnLogin && !c.Guests && c.IdentityFile == "" && len(c.Hooks.Verifiers) == 0 {
		return fmt.Errorf("--own-login=false, --guests=false: nobody could log in; name identity providers with --identity-file")
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return fmt.Errorf("--tls-cert and --tls-key belong together: give both, or none")
	}
	if c.TLSCert != "" {
		if _, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey); err != nil {
			return fmt.Errorf("--tls-cert %s, --tls-key %s: %w", c.TLSCert, c.TLSKey, err)
		}
	}
	if c.PublicURL != "" {
		if u, err := url.Parse(c.PublicURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("--public-url %q: want http(s)://host", c.PublicURL)
		}
	}
	if _, err := listen.ParseOrigins(c.AllowedOrigins); err != nil {
		return fmt.Errorf("--allowed-origins: %w", err)
	}
	if _, err := c.hosts(); err != nil {
		return err
	}
	if _, err := outbound.ParseAllow(c.WebhookAllow); err != nil {
		return fmt.Errorf("--webhook-allow: %w", err)
	}
	if _, err := listen.ParseOrigins(c.FrameAncestors); err != nil {
		return fmt.Errorf("--frame-ancestors: %w", err)
	}
	if err := c.checkCluster(); err != nil {
		return err
	}
	if _, err := c.limits(); err != nil {
		return err
	}
	_, err := c.proxies()
	return err
}

// checkFolder looks whether a folder that was named is there; "": none was.
func checkFolder(flag, dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %s: there is no such folder", flag, dir)
	case err != nil:
		return fmt.Errorf("%s %s: %w", flag, dir, cause(err))
	case !info.IsDir():
		return fmt.Errorf("%s %s: this is no folder", flag, dir)
	}
	return nil
}

// checkCluster looks at what makes this server a node of a cluster.
func (c *Config) checkCluster() error {
	if c.NodeURL != "" {
		if u, err := url.Parse(c.NodeURL); err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("--node-url %q: want http(s)://host", c.NodeURL)
		}
	}
	if c.Cluster == "" {
		switch {
		case len(c.NATS) > 0:
			return fmt.Errorf("--nats needs --cluster: the folder has the certificates by which log servers let this node in")
		case c.Proxy:
			return fmt.Errorf("--proxy needs --cluster: without it no other node is known")
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

// nodeURLs returns where players reach this node and no other ("": where they reach
// any of them), and where other nodes do. players is where the listener was opened.
func (c *Config) nodeURLs(players string) (forPlayers, forNodes string) {
	own := strings.TrimSuffix(c.NodeURL, "/")
	switch {
	case c.Cluster == "":
		return own, own
	case own == "":
		own = players
	}
	if c.Proxy {
		return "", own
	}
	return own, own
}

// identityFile reads the identity providers and their secrets; nil if there is
// no file.
func (c *Config) identityFile() (*identity.File, error) {
	if c.IdentityFile == "" {
		return nil, nil
	}
	return identity.ReadFile(c.IdentityFile, os.Getenv)
}

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

// limits returns the table of limits with the operator's changes.
func (c *Config) limits() (budget.Limits, error) { return budget.Defaults().Set(c.Limit) }

// origins returns the origins whose pages may call: the public URL's and the
// allowed ones.
func (c *Config) origins() (*listen.Origins, error) {
	origins := c.AllowedOrigins
	if u, err := url.Parse(c.PublicURL); err == nil && u.Host != "" {
		origins = append([]string{u.Scheme + "://" + u.Host}, origins...)
	}
	return listen.ParseOrigins(origins)
}

// hosts returns the names under which the listeners for operators answer: the allowed ones,
// the listeners' own addresses, and the public URL's.
func (c *Config) hosts() (listen.Hosts, error) {
	if _, err := listen.ParseHosts(c.AllowedHosts); err != nil {
		return nil, fmt.Errorf("--allowed-hosts: %w", err)
	}
	names := slices.Clone(c.AllowedHosts)
	for _, addr := range []string{c.AdminAddr, c.ServiceAddr, c.MetricsAddr} {
		if host, _, err := net.SplitHostPort(addr); err == nil && host != "" && !strings.Contains(host, ":") {
			names = append(names, host)
		}
	}
	if u, err := url.Parse(c.PublicURL); err == nil && u.Hostname() != "" && !strings.Contains(u.Hostname(), ":") {
		names = append(names, u.Hostname())
	}
	return listen.ParseHosts(names)
}

// Exposed returns the flags of the listeners for operators that other machines
// can reach: admin, service and metrics speak plain HTTP.
func (c *Config) Exposed() (flags []string) {
	for _, a := range []struct{ flag, addr string }{{"--admin-addr", c.AdminAddr}, {"--service-addr", c.ServiceAddr}, {"--metrics-addr", c.MetricsAddr}} {
		if a.addr == "" {
			continue // off
		}
		host, _, _ := net.SplitHostPort(a.addr)
		if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.Unmap().IsLoopback()) {
			flags = append(flags, a.flag)
		}
	}
	return flags
}

// proxies returns the address ranges of the trusted proxies.
func (c *Config) proxies() (listen.Proxies, error) {
	var out listen.Proxies
	for _, s := range c.TrustedProxies {
		if a, err := netip.ParseAddr(s); err == nil {
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("--trusted-proxies %q: want an address or a range such as 10.0.0.0/8", s)
		}
		out = append(out, p)
	}
	return out, nil
}
