package web

import (
	"embed"
	"io/fs"
)

// The pattern needs a file even where the pages are not built. The demo beside them is no part of the program.
//
//go:embed all:dist/site*
var dist embed.FS

// Site returns the built pages, or false if the binary was built without
// them: `go build` alone works on a clean clone, and the server then serves
// one page that says how to build the rest.
func Site() (fs.FS, bool) {
	site, err := fs.Sub(dist, "dist/site")
	if err != nil {
		return nil, false
	}
	if _, err := fs.Stat(site, "index.html"); err != nil {
		return nil, false
	}
	return site, true
}
