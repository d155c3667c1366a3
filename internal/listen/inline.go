package listen

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// InlineSources returns the sources for a Content-Security-Policy that permit the inline elements of a tag, such as
// "script", in a page: the hash of each, so that the browser runs no injected element. A page without any gets 'none'.
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
