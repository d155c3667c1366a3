package pack

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fogkeep/fogkeep/internal/strictjson"
)

// Bounds of texts.
const (
	languagesMax  = 16
	textsMax      = 2000 // of a language
	textBytesMax  = 500
	textsBytesMax = 128 << 10 // of a language's file
)

// texts are the texts of a language by their whole keys, such as type.tank.
type texts map[string]string

// textGroups are the groups of keys that a pack may have: the names of its rules. A pack cannot change a text of the pages.
var textGroups = []string{"type", "weapon", "ability", "effect", "value", "sound", "resource", "armour", "mode", "modeValue", "reason", "faction", "pack", "mission", "briefing", "stars"}

var languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z]{2}|-[A-Z][a-z]{3})?$`)

func (p *Pack) readTexts() (all error) {
	files := p.source.under("texts", ".json")
	if len(files) > languagesMax {
		return fmt.Errorf("texts: %d languages, at most %d", len(files), languagesMax)
	}
	for _, file := range files {
		tag := strings.TrimSuffix(path.Base(file), ".json")
		b := p.source.files[file]
		switch {
		case !languageTag.MatchString(tag):
			all = errors.Join(all, fmt.Errorf("%s: the name has to be the tag of a language, such as de or pt-BR", file))
			continue
		case len(b) > textsBytesMax:
			all = errors.Join(all, fmt.Errorf("%s: %d bytes, at most %d", file, len(b), textsBytesMax))
			continue
		}
		root, err := parse(file, b)
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		m := &manifest{root: root}
		read := texts{}
		m.only(root, textGroups...)
		for _, group := range root.Kids {
			m.texts(group, group.Name, read)
		}
		if len(m.found) > 0 {
			all = errors.Join(all, &Problems{File: file, List: m.found})
		}
		p.texts[tag] = read
	}
	if len(p.texts) > 0 && p.texts["en"] == nil && all == nil {
		all = errors.New("texts: en.json is missing: clients of other languages show its texts")
	}
	named := p.named()
	for _, tag := range slices.Sorted(maps.Keys(p.texts)) {
		for _, key := range slices.Sorted(maps.Keys(p.texts[tag])) {
			group, rest, _ := strings.Cut(key, ".")
			name, _, _ := strings.Cut(rest, ".")
			if names := named[group]; len(names) > 0 && !slices.Contains(names, name) {
				p.warn("texts/%s.json: no ruleset of the pack has the %s %q", tag, group, name)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(p.texts[tag])) {
			if p.texts["en"][key] == "" {
				p.warn("texts/%s.json: en.json has no %q", tag, key)
			}
		}
	}
	return all
}

// named lists the names that the texts of a group may have, by group: names in rulesets of the pack and of the packs below it.
// Other groups have names of the server or of missions.
func (p *Pack) named() map[string][]string {
	out := map[string][]string{}
	for of := p; of != nil; of = of.Base {
		for _, r := range of.Rulesets {
			add := func(group, name string) { out[group] = append(out[group], name) }
			for _, t := range r.Rules.Types {
				add("type", t.Name)
			}
			for _, w := range r.Rules.Weapons {
				add("weapon", w.Name)
			}
			for _, a := range r.Rules.Abilities {
				add("ability", a.Name)
			}
			for _, e := range r.Rules.Effects {
				add("effect", e.Name)
			}
			for _, f := range r.Rules.Factions {
				add("faction", f.Name)
			}
			out["resource"] = append(out["resource"], r.Rules.Resources...)
			out["armour"] = append(out["armour"], r.Rules.Armours...)
		}
	}
	return out
}

func (m *manifest) texts(n *strictjson.Node, key string, to texts) {
	switch {
	case n.Kind == '{':
		for _, k := range n.Kids {
			m.texts(k, key+"."+k.Name, to)
		}
	case n.Kind != 's' || n.Text == "" || !plain(n.Text, textBytesMax):
		m.fail(n, "want a text of 1 to %d bytes that can be seen, got %s", textBytesMax, n.Got())
	case len(to) == textsMax:
		m.fail(n, "more than %d texts", textsMax)
	default:
		to[key] = n.Text
	}
}

// plain reports whether a text is short enough and has no characters that cannot be seen.
func plain(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
