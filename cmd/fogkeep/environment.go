package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
	"github.com/fogkeep/fogkeep/internal/cli"
)

// variablePrefix begins the name of each variable that the program reads.
const variablePrefix = "FOGKEEP_"

// Variables that are no settings: tests and the development of the pages set some, which
// servers inherit, and Kubernetes sets others for a Service named fogkeep.
var (
	testVariables = regexp.MustCompile(`^FOGKEEP_(TEST_\w+|DEV_\w+|BIN|LEAK|MUTANT|MUTANTS_REACHED|SDK|STRIP)$`)
	serviceLinks  = regexp.MustCompile(`^FOGKEEP_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_PROTO|_PORT|_ADDR)?)$`)
)

// CheckEnvironment refuses variables that look like settings and are none: the program
// would work with a default in their place. Commands besides serve and replace refuse misspelt names
// only: they do not know which further variables the server's files name.
func (c *commands) CheckEnvironment(command string, known []string) error {
	serves := map[string]*server.Config{
		"serve": &c.Serve.Config, "replace": &c.Replace.Config, "check": &c.Config.Check.Config, "doctor": &c.Doctor.Config,
	}[command]
	if serves != nil {
		known = append(known, serves.SecretVariables()...)
	}
	environ := os.Environ()
	slices.Sort(environ)
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, variablePrefix) || slices.Contains(known, name) || testVariables.MatchString(name) || serviceLinks.MatchString(name) {
			continue
		}
		if best := cli.NearestVariable(name, known); best != "" {
			return fmt.Errorf("fogkeep has no variable %s: did you mean %s?", name, best)
		}
		if serves != nil {
			return fmt.Errorf("fogkeep has no variable %s: correct or unset it (`fogkeep serve --help` lists all variables)", name)
		}
	}
	return nil
}
