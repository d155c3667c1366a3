package telemetry

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// The build of a release, which the release tool sets by the linker. A release is built from a copy of the sources, so
// that the compiler does not know the commit.
var release, commit, date string

// Build describes the running program.
type Build struct {
	Version string `json:"version"`        // "devel": no release
	Commit  string `json:"commit"`         // the first 12 digits; "": unknown
	Date    string `json:"date,omitempty"` // of the commit, as 2026-11-27; "": unknown
	Go      string `json:"go"`
}

// BuildInfo returns the description of the running program, as far as the binary knows it.
func BuildInfo() Build {
	b := Build{Version: release, Commit: commit, Date: date, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok || release != "" {
		b.Version = cmp.Or(b.Version, "unknown")
		return b
	}
	if b.Version = info.Main.Version; b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			b.Commit = s.Value[:12]
		case s.Key == "vcs.time" && len(s.Value) >= len("2026-11-27"):
			b.Date = s.Value[:len("2026-11-27")]
		}
	}
	return b
}

// Version returns the version and the commit. Journals name it.
func Version() string {
	b := BuildInfo()
	if b.Commit == "" || strings.Contains(b.Version, b.Commit) {
		return b.Version
	}
	return b.Version + " " + b.Commit
}
