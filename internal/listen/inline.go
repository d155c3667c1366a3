package listen

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// InlineSources returns what a Content-Security-Policy names to permit the inline elements
// of a tag, such as "script", in a page: the hash of each, so that the browser runs no
// element that something else has put there. A page without any gets 'none'.
func InlineSources(page, tag string) string {
	var out []string
	for rest := page; ; {
		_, after, ok := strings.Cut(rest, "<"+tag+">")
		text, behind, closed := strings.Cut(after, "</"+tag+">")
		if !ok || !closed {
			break
		}
		sum := sha256.Sum256([]byte(text))
		out, rest = append(out, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'"), behind
	}
	if out == nil {
		return "'none'"
	}
	return strings.Join(out, " ")
}
