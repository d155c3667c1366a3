package main

import (
	"fmt"
	"runtime/debug"
	"strings"
)

type versionCmd struct{}

// Run prints the module's version and the commit that was built, as far as
// the binary knows them.
func (versionCmd) Run(in *invocation) error {
	_, err := fmt.Fprintln(in.Stdout, "fogkeep "+buildVersion())
	return err
}

func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && !strings.Contains(v, s.Value[:12]) {
			v += " " + s.Value[:12]
		}
	}
	return v
}
