package rules

import (
	"strconv"

	"github.com/fogkeep/fogkeep/internal/strictjson"
)

// Change is one difference between two rulesets.
type Change struct {
	Place string `json:"place"`         // the way to a value, by the names of types, weapons and the like: /types/soldier/health
	Old   string `json:"old,omitempty"` // absent: it is new
	New   string `json:"new,omitempty"` // absent: it was removed
}

func (c Change) String() string {
	switch {
	case c.Old == "":
		return c.Place + ": new, " + c.New
	case c.New == "":
		return c.Place + ": removed, was " + c.Old
	}
	return c.Place + ": " + c.New + ", was " + c.Old
}

// Diff compares the files of two rulesets, in the order of the new file; removed things come last in each list. It
// compares members of a list by their names, not by their places: a new type before others does not change these.
func Diff(old, now *Ruleset) []Change {
	a, _ := strictjson.Parse(old.Source, levelsMax, problemsMax)
	b, _ := strictjson.Parse(now.Source, levelsMax, problemsMax)
	return diff(nil, "", a, b)
}

func diff(out []Change, place string, a, b *node) []Change {
	nested := (a.Kind == '{' || a.Kind == '[') && a.Kind == b.Kind
	if !nested {
		x, _ := a.Milli()
		y, _ := b.Milli()
		if a.Kind != b.Kind || a.Text != b.Text && (a.Kind != 'n' || x != y) { // 1.0 is 1
			out = append(out, Change{place, a.Got(), b.Got()})
		}
		return out
	}
	before := map[string]*node{}
	names, namesNow := namesOf(a), namesOf(b)
	for i, kid := range a.Kids {
		before[names[i]] = kid
	}
	for i, kid := range b.Kids {
		if was := before[namesNow[i]]; was != nil {
			out = diff(out, place+"/"+namesNow[i], was, kid)
			delete(before, namesNow[i])
		} else {
			out = append(out, Change{Place: place + "/" + namesNow[i], New: kid.Got()})
		}
	}
	for i, kid := range a.Kids {
		if before[names[i]] != nil {
			out = append(out, Change{Place: place + "/" + names[i], Old: kid.Got()})
		}
	}
	return out
}

// namesOf returns a name for each member, with #2 after the second of a name, as in a list of places.
func namesOf(n *node) []string {
	out, seen := make([]string, len(n.Kids)), map[string]int{}
	for i, kid := range n.Kids {
		name := nameOf(kid, i)
		if seen[name]++; seen[name] > 1 {
			out[i] = name + "#" + strconv.Itoa(seen[name])
		} else {
			out[i] = name
		}
	}
	return out
}

// nameOf returns the name by which a member is compared: of an object its field; of a list its own name, the name of
// its type, the member itself if it is a text, else its place.
func nameOf(n *node, index int) string {
	if n.In.Kind == '{' {
		return n.Name
	}
	if n.Kind == 's' {
		return n.Text
	}
	for _, by := range []string{"name", "type"} {
		for _, kid := range n.Kids {
			if kid.Name == by && kid.Kind == 's' {
				return kid.Text
			}
		}
	}
	return strconv.Itoa(index)
}
