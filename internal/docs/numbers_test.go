package docs

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// numbers are sentences of pages with the constants that they repeat: {folder.Name}, or {folder.Name/unit}.
var numbers = []struct{ page, text string }{
	{"build/add-a-ruleset", "at most {match/rules/rulesfile.LibraryMax} rulesets of at most {match/rules.RulesBytesMax/MiB} MiB"},
	{"build/log-in-with-your-own-accounts", "a JSON file with up to {lobby/identity.providersMax} providers"},
	{"build/log-in-with-your-own-accounts", "on the button: 1 to {lobby/identity.nameLenMax} characters"},
	{"build/log-in-with-your-own-accounts", "Answer within {lobby/identity.callTimeout/s} seconds"},
	{"build/log-in-with-your-own-accounts", "until it expires, within {lobby/identity.tokenLifeMax/h} hours"},
	{"build/log-in-with-your-own-accounts", "took more than {lobby/identity.LoginLife/min} minutes"},
	{"build/packs", "up to {match/pack.partsMax} rulesets"},
	{"build/packs", "up to {match/pack.partsMax} maps with start points"},
	{"build/packs", "up to {match/pack.partsMax} scenarios"},
	{"build/packs", "up to {match/pack.packNameMax} lower-case letters"},
	{"build/packs", "{match/pack.spriteSideMax} pixels a side"},
	{"build/packs", "{match/pack.iconSideMax} pixels a side, {match/pack.assetBytesMax/KiB} KiB"},
	{"build/packs", "at most {match/pack.missionsMax} missions, {match/pack.FilesMax} files, {match/pack.FileBytesMax/MiB} MiB per file and " +
		"{match/pack.BytesMax/MiB} MiB in all; a server at most {match/pack.LibraryMax} packs with {match/pack.LibraryBytesMax/MiB} MiB"},
	{"build/packs", "more than {match/pack.ratioMax} times its size"},
	{"build/scenarios", "A file has at most {match/scenario.BytesMax/MiB} MiB, {match/scenario.levelsMax} levels, {match/scenario.UnitsMax} units, " +
		"{match/grid.ResourcesMax} resource places, and {match/scenario.OrdersMax} orders, which name at most {match/scenario.ScriptMax} units together"},
	{"build/scripts", "a script: {match/script.SourceMax} bytes, {match/script.depthMax} brackets in brackets"},
	{"build/scripts", "a call: {match/script.StepsMax} steps, one for each member in a pass over a list, and {match/script.EffectsMax} effects"},
	{"build/scripts", "calls in a tick: {match/sim.scriptStepsMax} steps"},
	{"build/scripts", "a text: {match/script.TextMax} bytes; a list: {match/script.ListMax} members"},
	{"build/scripts", "up to {match/sim.modeSpawnsMax} per tick"},
	{"build/scripts", "up to {match/sim.modeRevealsMax} per tick"},
	{"build/scripts", "at most {match/sim.unitActsMax} acts per call and {match/sim.unitActsTickMax} per tick; `spawn` makes at most {match/sim.unitSpawnsMax} units " +
		"per call and {match/sim.unitSpawnsTickMax} per tick, `reveal` {match/sim.unitRevealsMax} circles and {match/sim.unitRevealsTickMax}."},
	{"build/write-a-client", "a `ticket`, valid for {lobby/admission.TicketLife/s} seconds"},
	{"learn/concepts", "opens one seat of a match once, for {lobby/admission.TicketLife/s} seconds"},
	{"learn/security", "has {proto/wire.HelloSeconds} seconds for its hello, which shows a ticket (single-use, valid for {lobby/admission.TicketLife/s} seconds)"},
	{"learn/security", "at most {match/link.ReadBytesPerS/KiB} KiB per second from it ({match/link.ReadBurst/KiB} KiB at once)"},
	{"reference/limits", "{match/sim.pathAsksMax} units of a player get a path in a tick"},
	{"reference/limits", "spawns {match/sim.modeSpawnsMax} entities in a tick (0 in a match with {match/sim.modeEntitiesMax}), and reveals {match/sim.modeRevealsMax} circles"},
	{"reference/limits", "| searches and acts | {match/sim.unitActsMax} | {match/sim.unitActsTickMax} |"},
	{"reference/limits", "| spawned units | {match/sim.unitSpawnsMax} | {match/sim.unitSpawnsTickMax}; 0 from {match/sim.unitEntitiesMax} units"},
	{"reference/limits", "take at most {match/notes.BytesMax/MiB} MiB; a slow disk"},
	{"reference/lobby", "a line of chat, at most {lobby/model.ChatLenMax} characters"},
	{"reference/lobby", "and {lobby/relation.onlineFor/s} seconds after that"},
	{"reference/lobby", "`text` has at most {lobby/model.CaseTextMax} characters. The server adds up to {lobby/model.ReportLinesMax} lines"},
	{"reference/lobby", "one JSON object of at most {lobby/account.AccountSettingsMax/KiB} KiB for each account"},
	{"reference/lobby", "a log-in of the last {lobby/account.FreshLogIn/min} minutes"},
	{"reference/maps", "up to {match/grid/mapfile.findDepthMax} folders deep"},
	{"reference/maps", "At most {match/grid/mapfile.findFoldersMax} folders are read"},
	{"reference/maps", "at most {match/grid/mapfile.tiledBytesMax/MiB} MiB a Tiled file, {match/grid/mapfile.tiledSetBytesMax/MiB} MiB and " +
		"{match/grid/mapfile.tiledAllTilesMax} described tiles in all its tilesets"},
	{"reference/matchmaking", "at least every {lobby/queue.QueueKeep/s} seconds"},
	{"reference/matchmaking", "does not accept within {lobby/queue.AcceptFor/s} seconds"},
	{"reference/matchmaking", "a party of up to {lobby/matchmaking.TeamSizeMax} players"},
	{"reference/matchmaking", "at most {lobby/model.QueuesMax} queues, and {lobby/model.QueuedMax} parties in one"},
	{"reference/protocol", "| starts | how many, 1 to {match/grid.SlotsMax} |"},
	{"reference/protocol", "| resources | how many, 0 to {match/grid.ResourcesMax} |"},
	{"reference/protocol", "A server's message has at most {proto/wire.ServerBytesMax/MiB} MiB"},
	{"reference/protocol", "A question ends after {match.voteMost/s} seconds"},
	{"reference/protocol", "{match/replayserver.flightBytes/KiB} KiB that the client has not acknowledged"},
	{"reference/rules", "| `resources` | up to {match/rules.ResourceKindsMax} names |"},
	{"reference/rules", "up to {match/rules.SoundsMax} classes of [sounds]"},
	{"reference/rules", "up to {match/rules.signaturesMax} classes of signatures"},
	{"reference/rules", "declares up to {match/rules.FactionsMax} factions"},
	{"reference/rules", "has up to {match/rules.UnitEffectsMax} effects that end, and takes no fifth. It has up to {match/rules.LastingMax} that do not end"},
	{"reference/rules", "`changes` of an effect is a list of up to {match/rules.ChangesMax}"},
	{"reference/rules", "A ruleset declares up to {match/rules.ValuesMax} ([fields](rules-reference.md#values))"},
	{"reference/rules", "declares up to {match/rules.ModesMax} modes of its own"},
	{"reference/rules", "a match has up to {match/sim.waitsMax} such units"},
	{"reference/rules", "at most {match/sim.HeardMax} sounds in one tick"},
	{"reference/service-api", "At most {lobby/studio.ServiceKeysMax} keys that are not revoked"},
	{"reference/service-api", "as long as you say (at most {lobby/hook.OverlapMax/days} days)"},
	{"reference/service-api", "your name for the player, 1 to {lobby/model.ExternalIDPartMax} bytes"},
	{"reference/service-api", "1 to {lobby/studio.RequestKeyLenMax} characters, new for each match. The same request again, within {lobby/model.RequestKeyLife/h} hours"},
	{"reference/service-api", "once, within {lobby/model.ServiceTicketLife/min} minutes, in the process"},
	{"reference/service-api", "for up to {lobby/studio.ServiceReplayTicketsMax} `subjects`"},
	{"reference/service-api", "An answer has at most {lobby/studio.MatchEventsMax} events"},
	{"reference/service-api", "At most {lobby/hook.EndpointsPerMax} endpoints an issuer, and {lobby/hook.EndpointsMax} in all"},
	{"reference/service-api", "up to {lobby/hook.hookPauseMax/h} hours. After {lobby/hook.HookTriesMax} tries"},
	{"reference/service-api", "kept for {lobby/hook.HookDeadLife/days} days, are at"},
	{"reference/service-api", "at most {lobby/hook.HookWaitingMax} waiting and {lobby/hook.HookDeadMax} dead events"},
}

// units are divisors of constants: bytes, and durations in nanoseconds.
var units = map[string]int64{"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "s": 1e9, "min": 60e9, "h": 3600e9, "days": 86400e9}

// smallNumbers are written as words in prose, from 0 on.
var smallNumbers = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")

var repeated = regexp.MustCompile(`\{([\w/]+)\.(\w+)/?(\w*)\}`)

// TestNumbersAreTheConstants: a number of a page that repeats a constant has its value. The tables that tests write are
// compared elsewhere.
func TestNumbersAreTheConstants(t *testing.T) {
	texts := map[string]string{}
	for _, p := range pages(t) {
		texts[p.path] = strings.Join(strings.Fields(p.prose), " ")
	}
	folders := map[string]constants{}
	for _, n := range numbers {
		pattern, end := "", 0
		for _, m := range repeated.FindAllStringSubmatchIndex(n.text, -1) {
			folder, name, unit := n.text[m[2]:m[3]], n.text[m[4]:m[5]], n.text[m[6]:m[7]]
			if folders[folder] == nil {
				folders[folder] = constantsOf(t, folder)
			}
			value, err := folders[folder].value(name)
			if err != nil || units[unit] == 0 || value%units[unit] != 0 {
				t.Errorf("%s: %s.%s/%s: %d, %v", n.page, folder, name, unit, value, err)
			}
			pattern += regexp.QuoteMeta(n.text[end:m[0]]) + written(value/max(1, units[unit]))
			end = m[1]
		}
		pattern += regexp.QuoteMeta(n.text[end:])
		if !regexp.MustCompile(pattern).MatchString(texts["docs/"+n.page+".md"]) {
			t.Errorf("docs/%s.md does not match %q: a number differs from its constant, or the sentence is another", n.page, pattern)
		}
	}
}

// written is a pattern for the ways in which pages write a number.
func written(n int64) string {
	digits := strconv.FormatInt(n, 10)
	grouped := digits
	for i := len(digits) - 3; i > 0; i -= 3 {
		grouped = grouped[:i] + ",?" + grouped[i:]
	}
	if n < int64(len(smallNumbers)) {
		return "(?:" + grouped + "|" + smallNumbers[n] + ")"
	}
	return grouped
}

// constants are the expressions of a package's constants.
type constants map[string]ast.Expr

func constantsOf(t *testing.T, folder string) constants {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := constants{}
	for _, file := range slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") }) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				for i, name := range v.Names {
					if i < len(v.Values) {
						out[name.Name] = v.Values[i]
					}
				}
			}
		}
	}
	return out
}

// value computes a constant of whole numbers and times.
func (c constants) value(name string) (int64, error) {
	expr, ok := c[name]
	if !ok {
		return 0, fmt.Errorf("there is no constant %s", name)
	}
	var text strings.Builder
	if err := printer.Fprint(&text, token.NewFileSet(), expr); err != nil {
		return 0, err
	}
	plain := strings.NewReplacer("time.Second", "1000000000", "time.Minute", "60000000000", "time.Hour", "3600000000000").Replace(text.String())
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, plain)
	if err != nil {
		return 0, err
	}
	n, exact := constant.Int64Val(constant.ToInt(v.Value))
	if !exact {
		return 0, fmt.Errorf("%s is no whole number", name)
	}
	return n, nil
}
