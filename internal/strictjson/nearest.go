package strictjson

// Nearest returns the name that a person most likely meant by text: a name that a few letters make from it, at most one
// in three and at least one. It returns "" if no name is near enough.
func Nearest(text string, names []string) string {
	if len(text) > nearestMax {
		return ""
	}
	best, least := "", max(1, len(text)/3)+1
	for _, name := range names {
		if len(name) <= nearestMax {
			if d := edits(text, name); d < least {
				best, least = name, d
			}
		}
	}
	return best
}

// nearestMax bounds the bytes of texts that are compared: the work grows with the square.
const nearestMax = 64

// edits counts the letters to insert, to leave out, to replace or to swap with the next one, to make b from a: the
// optimal string alignment distance.
func edits(a, b string) int {
	var older, old, row [nearestMax + 1]int
	for j := range len(b) + 1 {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := old[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(replaced, old[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, old = old, row
	}
	return old[len(b)]
}
