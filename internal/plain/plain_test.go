package plain

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"  Ada   Lovelace ": "Ada Lovelace", "\uff21\uff44\uff41": "Ada", "cafe\u0301": "caf\u00e9", "\u5c71\u7530 taro": "\u5c71\u7530 taro",
		"\u0418\u0432\u0430\u043d 2": "\u0418\u0432\u0430\u043d 2", "x-1_y.z": "x-1_y.z", "\u3072\u30ab\u6f22": "\u3072\u30ab\u6f22",
	} {
		if got, err := Name(in); err != nil || got != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{
		"", "--", "a\u200bb", "ab\u202e", "a\x00b", "a@b", "x\u0301x", "\xff",
		"\u0410da" /* Cyrillic and Latin */, "\u13a0\u13da" /* Cherokee, which looks like Latin */, "\ua4d0\ua4d1" /* Lisu, likewise */, "\u2c80\u2c82", /* Coptic */
		"\u0531a", "\ud55c\u3072", /* Hangul and Hiragana */
	} {
		if got, err := Name(in); err == nil {
			t.Errorf("%q is a name: %q", in, got)
		}
	}
}

func TestLooks(t *testing.T) {
	for _, pair := range [][2]string{
		{"SYSTEM", "\u0405\u0423\u0405\u0422\u0415\u041c"}, {"admin", "admin."}, {"Bill", "BiIl"}, {"Bill", "Bi1l"}, {"zoo", "z00"}, {"Ada", "\u0391d\u0430"},
		{"modern", "modem"}, {"Caf\u00e9", "CAFE"},
	} {
		if Look(pair[0]) != Look(pair[1]) && LookSmall(pair[0]) != LookSmall(pair[1]) {
			t.Errorf("%q and %q: %q and %q", pair[0], pair[1], Look(pair[0]), Look(pair[1]))
		}
	}
	for _, pair := range [][2]string{{"Ada", "Adam"}, {"\u0418\u0432\u0430\u043d", "Ivan"}, {"Guest 1234", "Guest 1235"}} {
		if Look(pair[0]) == Look(pair[1]) {
			t.Errorf("%q and %q look alike: %q", pair[0], pair[1], Look(pair[0]))
		}
	}
	if len(confusables()) < 1000 {
		t.Errorf("%d confusables", len(confusables()))
	}
	for from := range confusables() {
		if !InNames(from) {
			t.Errorf("%U is in the table, and in no name", from)
		}
	}
}

func TestLines(t *testing.T) {
	for _, in := range []string{"hello", "", "\u043f\u0440\u0438\u0432\u0435\u0442", "\u0645\u0631\u062d\u0628\u0627", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "e\u0301"} {
		if !Line(in) {
			t.Errorf("%q is refused", in)
		}
	}
	for _, in := range []string{
		"a\x00b", "bell\a", "two\nlines", "\u202egnp.exe", "\u2066x\u2069", "\u200fx", "zero\u200bwidth", "\ufeffx", "\u0378", "\ue000", "\u2028", "\xff", "\U000e0041",
	} {
		if Line(in) {
			t.Errorf("%q is let through", in)
		}
	}
}

// A name stays what it is when it is cleaned again, is a line, and none of its
// characters is invisible.
func TestNameIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "text")
		name, err := Name(in)
		if err != nil {
			return
		}
		if again, err := Name(name); err != nil || again != name {
			t.Fatalf("%q, and again %q, %v", name, again, err)
		}
		if !Line(name) || strings.ContainsFunc(name, unicode.IsControl) || Look(name) == "" {
			t.Fatalf("%q of %q", name, in)
		}
	})
}
