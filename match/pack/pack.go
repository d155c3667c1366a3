package pack

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/internal/strictjson"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
	"github.com/fogkeep/fogkeep/match/scenario"
)

// ManifestFile is the file that makes a folder a pack.
const ManifestFile = "pack.json"

const (
	packNameMax  = 19 // with a dash and the name of a ruleset it is the id of a ruleset
	partsMax     = 16 // rulesets, maps and scenarios, each
	warningsMax  = 50
	assetRowsMax = 512
)

// Pack is a pack without a fault. It is read-only.
type Pack struct {
	Name, Title, Version, Licence, About string
	Hash                                 string // in hexadecimal
	Bytes                                int    // of its files
	Base                                 *Pack  // the pack that it extends, or nil

	Rulesets  []Ruleset
	Maps      []*grid.Map
	Scenarios []Scenario
	Missions  []Mission // in the order in which they are played
	Warnings  []string

	assets map[assetName]asset // without the base's
	texts  map[string]texts    // by language; without the base's
	source *source
}

// Ruleset is a ruleset of a pack.
type Ruleset struct {
	ID    string // for lobbies: PACK-NAME, or PACK if the two are the same
	Rules *rules.Ruleset
}

// Scenario is a scenario of a pack.
type Scenario struct {
	Name  string // of its file, without .json
	Title string
	Text  []byte

	read *scenario.Scenario
}

// Open reads and checks a pack in a folder or a .fogpack. bases finds the pack that it extends by its name; nil: there is no
// other pack. The error has all faults, each with its file, and with its line and JSON pointer where there is one.
func Open(p string, bases func(name string) (*Pack, error)) (*Pack, error) {
	src, err := read(p)
	if err != nil {
		return nil, err
	}
	out, err := check(src, bases)
	if err != nil {
		return nil, within(p, err)
	}
	return out, nil
}

// Read is [Open] for the content of a .fogpack.
func Read(b []byte, bases func(name string) (*Pack, error)) (*Pack, error) {
	if len(b) > BytesMax {
		return nil, fmt.Errorf("%d bytes, at most %d", len(b), BytesMax)
	}
	src, err := readZip(b)
	if err != nil {
		return nil, err
	}
	return check(src, bases)
}

// within puts the pack's path before each fault.
func within(p string, err error) error {
	p = strings.TrimRight(p, "/") + "/"
	return errors.New(p + strings.ReplaceAll(err.Error(), "\n", "\n"+p))
}

func (p *Pack) warn(format string, args ...any) {
	if len(p.Warnings) < warningsMax {
		p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
	}
}

func check(src *source, bases func(string) (*Pack, error)) (*Pack, error) {
	p := &Pack{source: src, assets: map[assetName]asset{}, texts: map[string]texts{}}
	for _, b := range src.files {
		p.Bytes += len(b)
	}
	m, err := p.manifest(bases)
	if err != nil {
		return nil, err
	}
	base := ""
	if p.Base != nil {
		base = p.Base.Hash
	}
	p.Hash = src.hash(base)
	err = errors.Join(p.places(), p.readRulesets(), p.readMaps())
	if err == nil {
		err = errors.Join(p.readScenarios(), m.assets(p), p.readTexts())
	}
	if err == nil {
		err = m.missions(p)
	}
	if err == nil && len(p.Rulesets)+len(p.Maps)+len(p.Scenarios) == 0 {
		err = fmt.Errorf("%s: the pack has no ruleset, map or scenario", ManifestFile)
	}
	return p, err
}

// places refuses files that have no place in a pack: most are misspelt.
func (p *Pack) places() (all error) {
	for _, name := range p.source.names() {
		top, _, below := strings.Cut(name, "/")
		end := path.Ext(name)
		ok := false
		switch top {
		case ManifestFile, "LICENSE", "LICENSE.txt", "LICENSE.md", "README.md":
			ok = !below
		case "rules":
			ok = end == ".json" && path.Dir(name) == top || end == ".star" && p.source.files[path.Dir(name)+".json"] != nil
		case "scenarios", "texts":
			ok = end == ".json" && path.Dir(name) == top
		case "maps":
			ok = below && slices.Contains([]string{".tmj", ".tmx", ".tsj", ".tsx"}, end)
		case "assets":
			ok = below
		}
		if !ok {
			all = errors.Join(all, fmt.Errorf("%s: a pack has pack.json, LICENSE, README.md, rules/NAME.json, rules/NAME/SCRIPT.star, maps/NAME.tmj, scenarios/NAME.json, texts/NAME.json and files in assets", name))
		}
	}
	return all
}

func (p *Pack) readRulesets() (all error) {
	files := p.source.under("rules", ".json")
	if len(files) > partsMax {
		return fmt.Errorf("rules: %d files, at most %d", len(files), partsMax)
	}
	for _, file := range files {
		id := p.RulesetID(file)
		if err := rulesfile.CheckID(id); err != nil {
			all = errors.Join(all, fmt.Errorf("%s: the id %q: %w", file, id, err))
			continue
		}
		rs, err := p.ruleset(file, id)
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		p.Rulesets = append(p.Rulesets, Ruleset{id, rs})
	}
	return all
}

// RulesetID returns the id of the ruleset in a file of the pack.
func (p *Pack) RulesetID(file string) string {
	if name := strings.TrimSuffix(path.Base(file), ".json"); name != p.Name {
		return p.Name + "-" + name
	}
	return p.Name
}

func (p *Pack) readMaps() (all error) {
	files := p.source.under("maps", ".tmj", ".tmx")
	if len(files) > partsMax {
		return fmt.Errorf("maps: %d files, at most %d", len(files), partsMax)
	}
	for _, file := range files {
		m, err := mapfile.OpenFS(p.source, file, file)
		if err == nil && len(m.Starts) == 0 {
			err = fmt.Errorf(`%s: no start points, which a match needs: objects of class "start"`, file)
		}
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		p.Maps = append(p.Maps, m)
	}
	return all
}

func (p *Pack) readScenarios() (all error) {
	library, err := p.Library()
	if err != nil {
		return err
	}
	files := p.source.under("scenarios", ".json")
	if len(files) > partsMax {
		return fmt.Errorf("scenarios: %d files, at most %d", len(files), partsMax)
	}
	for _, file := range files {
		text := p.source.files[file]
		s, err := scenario.Parse(text)
		if err == nil {
			_, err = s.Make(library)
		}
		if bad := (*scenario.Error)(nil); errors.As(err, &bad) {
			line := 1
			if root, _ := strictjson.Parse(text, levelsMax, 1); root != nil {
				line = lineOf(root, bad.Path)
			}
			err = &Problems{File: file, List: []strictjson.Problem{{Line: line, Pointer: bad.Path, Why: bad.Why}}}
		}
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		p.Scenarios = append(p.Scenarios, Scenario{strings.TrimSuffix(path.Base(file), ".json"), s.Name, text, s})
	}
	return all
}

// Library has the maps and rulesets that a scenario of the pack may name: its own and the shipped ones.
func (p *Pack) Library() (scenario.Library, error) {
	shipped, err := mapfile.Shipped()
	return scenario.Library{
		Map: func(id string) (*grid.Map, bool) {
			if i := slices.IndexFunc(p.Maps, func(m *grid.Map) bool { return mapfile.Slug(m.Name) == id }); i >= 0 {
				return p.Maps[i], true
			}
			e, ok := shipped.ByID(id)
			return e.Map, ok
		},
		Ruleset: func(id string) (*rules.Ruleset, bool) {
			if i := slices.IndexFunc(p.Rulesets, func(rs Ruleset) bool { return rs.ID == id }); i >= 0 {
				return p.Rulesets[i].Rules, true
			}
			rs, err := rules.Shipped(id)
			return rs, err == nil
		},
	}, err
}

// lineOf returns the line of a JSON pointer, or of the innermost value on the way to it that is there.
func lineOf(n *strictjson.Node, pointer string) int {
	for _, k := range n.Kids {
		if at := k.Pointer(); pointer == at || strings.HasPrefix(pointer, at+"/") {
			return lineOf(k, pointer)
		}
	}
	return int(n.Line)
}

// manifest is pack.json.
type manifest struct {
	root  *strictjson.Node
	found []strictjson.Problem
}

func (m *manifest) fail(n *strictjson.Node, format string, args ...any) {
	if len(m.found) < problemsMax {
		m.found = append(m.found, strictjson.Problem{Line: int(n.Line), Pointer: n.Pointer(), Why: fmt.Sprintf(format, args...)})
	}
}

func (m *manifest) err() error {
	if len(m.found) == 0 {
		return nil
	}
	slices.SortStableFunc(m.found, func(a, b strictjson.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return &Problems{File: ManifestFile, List: m.found}
}

// only refuses members of an object besides some.
func (m *manifest) only(n *strictjson.Node, names ...string) {
	if n.Kind != '{' {
		m.fail(n, "want an object, got %s", n.Got())
		return
	}
	for _, k := range n.Kids {
		if !slices.Contains(names, k.Name) {
			m.fail(k, "unknown name %q%s", strictjson.Cut(k.Name), meant(k.Name, names))
		}
	}
}

func meant(text string, names []string) string {
	if near := strictjson.Nearest(text, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Sprintf("; want one of %s", strings.Join(names, ", "))
}

func member(n *strictjson.Node, name string) *strictjson.Node {
	if i := slices.IndexFunc(n.Kids, func(k *strictjson.Node) bool { return k.Name == name }); n.Kind == '{' && i >= 0 {
		return n.Kids[i]
	}
	return nil
}

// text reads a text of the manifest.
func (m *manifest) text(name string, most int, required bool) string {
	n := member(m.root, name)
	switch {
	case n == nil && required:
		m.fail(m.root, "%q is missing", name)
	case n == nil:
	case n.Kind != 's' || !plain(n.Text, most) || required && n.Text == "":
		m.fail(n, "want a text of 1 to %d bytes that can be seen, got %s", most, n.Got())
	default:
		return n.Text
	}
	return ""
}

func (p *Pack) manifest(bases func(string) (*Pack, error)) (*manifest, error) {
	raw, ok := p.source.files[ManifestFile]
	if !ok {
		return nil, fmt.Errorf("%s is missing: it has the pack's name", ManifestFile)
	}
	root, err := parse(ManifestFile, raw)
	if err != nil {
		return nil, err
	}
	m := &manifest{root: root}
	m.only(root, "$schema", "name", "title", "version", "licence", "about", "extends", "types", "weapons", "missions")
	p.Name, p.Title, p.Version = m.text("name", packNameMax, true), m.text("title", 64, true), m.text("version", 32, true)
	if n := member(root, "version"); strings.Trim(p.Version, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+_") != "" {
		m.fail(n, "a version has letters, digits and . - + _, got %s", n.Got())
	}
	p.Licence, p.About = m.text("licence", 64, true), m.text("about", 500, false)
	if n := member(root, "name"); p.Name != "" && strings.Trim(p.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		m.fail(n, "a pack's name has lower-case letters, digits and dashes, got %s", n.Got())
	}
	if slices.Contains(rules.ShippedNames(), p.Name) {
		m.fail(member(root, "name"), "%q is a shipped ruleset", p.Name)
	}
	if n := member(root, "extends"); n != nil {
		switch {
		case n.Kind != 's':
			m.fail(n, "want the name of a pack, got %s", n.Got())
		case bases == nil:
			m.fail(n, "no pack %s here", n.Got())
		default:
			if p.Base, err = bases(n.Text); err != nil {
				m.fail(n, "%v", err)
			}
		}
	}
	return m, m.err()
}

// names returns the names that the rulesets of the pack have: of types, or of weapons.
func (p *Pack) names(of func(*rules.Ruleset) []string) []string {
	all := map[string]bool{}
	for q := p; q != nil; q = q.Base {
		for _, rs := range q.Rulesets {
			for _, name := range of(rs.Rules) {
				all[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func typeNames(rs *rules.Ruleset) (out []string) {
	for i := range rs.Types {
		out = append(out, rs.Types[i].Name)
	}
	return out
}

func weaponNames(rs *rules.Ruleset) (out []string) {
	for i := range rs.Weapons {
		out = append(out, rs.Weapons[i].Name)
	}
	return out
}

// assets reads the manifest's tables of assets, and parses each file that they name.
func (m *manifest) assets(p *Pack) error {
	used := map[string]bool{}
	for _, table := range []struct {
		name  string
		uses  []use
		known []string
	}{
		{"types", typeUses, p.names(typeNames)},
		{"weapons", weaponUses, p.names(weaponNames)},
	} {
		rows := member(m.root, table.name)
		if rows == nil {
			continue
		}
		if rows.Kind != '{' || len(rows.Kids) > assetRowsMax {
			m.fail(rows, "want an object with at most %d names, got %s", assetRowsMax, rows.Got())
			continue
		}
		var uses []string
		for _, u := range table.uses {
			uses = append(uses, u.name)
		}
		for _, row := range rows.Kids {
			if !slices.Contains(table.known, row.Name) {
				m.fail(row, "no ruleset of the pack has %q among its %s%s", strictjson.Cut(row.Name), table.name, suggestion(row.Name, table.known))
				continue
			}
			m.only(row, uses...)
			for _, u := range table.uses {
				n := member(row, u.name)
				if n == nil {
					continue
				}
				b, there := p.source.files[n.Text]
				if n.Kind != 's' || !strings.HasPrefix(n.Text, "assets/") || !there {
					m.fail(n, "want a file of the folder assets, got %s", n.Got())
					continue
				}
				used[n.Text] = true
				a, err := u.read(b)
				if err != nil {
					m.fail(n, "%s: %v", n.Text, err)
					continue
				}
				p.assets[assetName{table.name, row.Name, u.name}] = a
			}
			if member(row, "model") != nil && member(row, "sprite") != nil {
				m.fail(row, "a type has a model or a sprite, not both")
			}
		}
	}
	for _, name := range p.source.names() {
		if strings.HasPrefix(name, "assets/") && !used[name] {
			p.warn("%s: pack.json does not name this file", name)
		}
	}
	return m.err()
}

func suggestion(text string, names []string) string {
	if near := strictjson.Nearest(text, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
