package plain

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// scripts are those in everyday use today (UAX #31, table 5) whose words need
// no combining marks to be letters of a name here.
var scripts = []*unicode.RangeTable{
	unicode.Latin, unicode.Arabic, unicode.Armenian, unicode.Bengali, unicode.Bopomofo, unicode.Cyrillic, unicode.Devanagari, unicode.Ethiopic,
	unicode.Georgian, unicode.Greek, unicode.Gujarati, unicode.Gurmukhi, unicode.Han, unicode.Hangul, unicode.Hebrew, unicode.Hiragana,
	unicode.Kannada, unicode.Katakana, unicode.Khmer, unicode.Lao, unicode.Malayalam, unicode.Myanmar, unicode.Oriya, unicode.Sinhala,
	unicode.Tamil, unicode.Telugu, unicode.Thaana, unicode.Thai, unicode.Tibetan, unicode.Common,
}

// together are the scripts that one name may mix: those that Japanese, Korean
// and Chinese are written in, each with Latin (UTS #39, highly restrictive).
var together = [][]*unicode.RangeTable{
	{unicode.Latin, unicode.Han, unicode.Hiragana, unicode.Katakana},
	{unicode.Latin, unicode.Han, unicode.Hangul},
	{unicode.Latin, unicode.Han, unicode.Bopomofo},
}

func scriptOf(r rune) *unicode.RangeTable {
	if i := slices.IndexFunc(scripts, func(s *unicode.RangeTable) bool { return unicode.Is(s, r) }); i >= 0 {
		return scripts[i]
	}
	return nil
}

// InNames reports whether a name can hold a letter or digit.
func InNames(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && scriptOf(r) != nil && norm.NFKC.IsNormalString(string(r))
}

// ErrName is the general reason why a text is no name; other errors are more specific.
var ErrName = errors.New("a name has letters, digits, spaces, dots, dashes and underscores, and at least one letter or digit")

// Name brings a name to its plain form (NFKC: full width, ligatures, accents
// apart), trims it and squeezes its spaces. It refuses marks of zero width,
// direction and combination, letters of scripts that are not in use, and letters
// of several scripts that are not written together: those are how one name is
// made to look like another.
func Name(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", ErrName
	}
	name := strings.Join(strings.Fields(norm.NFKC.String(text)), " ")
	solid := false
	var used []*unicode.RangeTable
	for _, r := range name {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			s := scriptOf(r)
			if s == nil {
				return "", fmt.Errorf("%q is of a script that names are not written in", r)
			}
			if solid = true; s != unicode.Common && !slices.Contains(used, s) {
				used = append(used, s)
			}
		case r == ' ', r == '.', r == '-', r == '_':
		default:
			return "", ErrName
		}
	}
	if !solid {
		return "", ErrName
	}
	if len(used) > 1 && !mix(used) {
		return "", errors.New("a name does not mix letters of several alphabets")
	}
	return name, nil
}

// mix reports whether one name may mix scripts.
func mix(used []*unicode.RangeTable) bool {
	return slices.ContainsFunc(together, func(set []*unicode.RangeTable) bool {
		return !slices.ContainsFunc(used, func(s *unicode.RangeTable) bool { return !slices.Contains(set, s) })
	})
}

//go:embed confusables.txt
var confusablesText string

// confusables maps a character to its look-alike.
var confusables = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{}
	for line := range strings.Lines(confusablesText) {
		source, target, ok := strings.Cut(strings.TrimSpace(line), ";")
		from, err := strconv.ParseUint(source, 16, 32)
		if !ok || err != nil || line[0] == '#' {
			continue
		}
		var to strings.Builder
		for _, code := range strings.Fields(target) {
			r, err := strconv.ParseUint(code, 16, 32)
			if err != nil {
				panic("plain: confusables.txt: " + line)
			}
			to.WriteRune(rune(r))
		}
		m[rune(from)] = to.String()
	}
	return m
})

// skeleton is the skeleton of UTS #39.
func skeleton(text string) string {
	var out strings.Builder
	for _, r := range norm.NFD.String(text) {
		if to, ok := confusables()[r]; ok {
			out.WriteString(to)
		} else {
			out.WriteRune(r)
		}
	}
	return norm.NFD.String(out.String())
}

// Look is the appearance of a name in capitals, without accents and without the marks between its letters: names that
// look alike have one Look. It is for comparisons, not for display.
func Look(name string) string { return look(name, strings.ToUpper) }

// LookSmall is [Look] in small letters: some small letters look alike although their capitals do not.
func LookSmall(name string) string { return look(name, strings.ToLower) }

func look(name string, letters func(string) string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" .-_", r) {
			return -1
		}
		return r
	}, norm.NFKC.String(name))
	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1 // accents
		}
		return unicode.ToLower(r)
	}, skeleton(letters(name)))
}

// Line reports whether every character of a text is visible to its reader: no control characters, no marks that turn
// the direction of writing, no characters outside the Unicode tables of this program. The joiner that emoji of several
// parts are made with is let through.
func Line(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if !unicode.IsGraphic(r) && r != '\u200d' {
			return false
		}
	}
	return true
}
