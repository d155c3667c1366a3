package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/fogkeep/fogkeep/internal/strictjson"
)

// ConfigVariable names the configuration file if --config does not.
const ConfigVariable = "FOGKEEP_CONFIG"

// ConfigFlag is embedded by programs whose flags may be set in a configuration file. A
// flag on the command line counts before the variable of the process, and that before
// the file.
type ConfigFlag struct {
	Config string `name:"config" env:"FOGKEEP_CONFIG" placeholder:"FILE" help:"File with variables, one NAME=value per line. Flags and variables of the process count before it."`
}

// Bounds of a configuration file, and of a file with a secret.
const (
	configMax = 256 << 10 // bytes
	secretMax = 64 << 10  // bytes
)

// setting is the text of a variable, and its origin.
type setting struct{ text, from string }

// Variables are the settings of one command line besides its flags.
type Variables struct {
	path string             // of the configuration file; "": no file
	file map[string]setting // by name
}

// read reads the configuration file. known are the names of all variables.
func (v *Variables) read(path string, known []string) error {
	raw, err := readAtMost(path, configMax)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	v.path, v.file = path, map[string]setting{}
	for i, line := range strings.Split(string(raw), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		at := path + ":" + strconv.Itoa(i+1)
		name, text, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok {
			return fmt.Errorf("%s: %q: want NAME=value", at, line)
		}
		if name == ConfigVariable {
			return fmt.Errorf("%s: a configuration file cannot name another one: remove %s", at, name)
		}
		if !slices.Contains(known, name) {
			if best := NearestVariable(name, known); best != "" {
				return fmt.Errorf("%s: fogkeep has no variable %s: did you mean %s?", at, name, best)
			}
			return fmt.Errorf("%s: fogkeep has no variable %s", at, name)
		}
		if _, twice := v.file[name]; twice {
			return fmt.Errorf("%s: %s is set twice", at, name)
		}
		if text, err = unquote(strings.TrimSpace(text)); err != nil {
			return fmt.Errorf("%s: %s: %w", at, name, err)
		}
		v.file[name] = setting{text, at}
	}
	return nil
}

// NearestVariable returns the known variable that a person most likely meant; "": no name is
// near. The prefix that all have does not count.
func NearestVariable(name string, known []string) string {
	ends := make([]string, len(known))
	for i, k := range known {
		ends[i] = strings.TrimPrefix(k, variablePrefix)
	}
	i := slices.Index(ends, strictjson.Nearest(strings.TrimPrefix(name, variablePrefix), ends))
	if i < 0 {
		return ""
	}
	return known[i]
}

const variablePrefix = "FOGKEEP_"

// unquote takes the quotes away that systemd and shells want around a value with spaces.
func unquote(text string) (string, error) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return text, nil
	}
	if inner := text[1:]; strings.IndexByte(inner, text[0]) == len(inner)-1 && inner != "" {
		return inner[:len(inner)-1], nil
	}
	return "", errors.New("a quoted value ends with its quote, and has no further one inside")
}

// lookup returns the text of a flag's variable, and its origin. ok is false if it is not set.
// The value of a secret may be in a file that NAME_FILE names.
func (v *Variables) lookup(flag *kong.Flag) (s setting, ok bool, err error) {
	name := flag.Envs[0]
	process := func(name string) (setting, bool) {
		text, ok := os.LookupEnv(name)
		return setting{text, "variable " + name}, ok
	}
	file := func(name string) (setting, bool) {
		s, ok := v.file[name]
		return s, ok
	}
	for _, from := range []func(string) (setting, bool){process, file} {
		if s, ok = from(name); ok {
			return s, true, nil
		}
		if !isSecret(flag) {
			continue
		}
		if s, ok = from(name + fileSuffix); ok {
			raw, err := readAtMost(s.text, secretMax)
			if err != nil {
				return s, false, fmt.Errorf("%s%s: %w", name, fileSuffix, err)
			}
			return setting{strings.TrimRight(string(raw), "\r\n"), "file " + s.text}, true, nil
		}
	}
	return setting{}, false, nil
}

// fileSuffix makes the name of a variable that names a file with a secret.
const fileSuffix = "_FILE"

func isSecret(f *kong.Flag) bool { return f.Tag.Has("secret") }

// Validate implements kong.Resolver.
func (v *Variables) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver, after kong itself has read the variables of the process.
func (v *Variables) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if len(flag.Envs) == 0 {
		return nil, nil
	}
	if s, ok, err := v.lookup(flag); ok || err != nil {
		return s.text, err
	}
	return nil, nil
}

// Effective returns the value of a flag as text and its origin: "default", a variable of
// the process, a line of the configuration file, or "command line".
func (v *Variables) Effective(ctx *kong.Context, flag *kong.Flag) (text, from string) {
	text, from = flag.Default, "default"
	if len(flag.Envs) > 0 {
		if s, ok, err := v.lookup(flag); ok && err == nil {
			text, from = s.text, s.from
		}
	}
	for _, p := range ctx.Path {
		if p.Flag == flag && !p.Resolved {
			text, from = fmt.Sprint(ctx.FlagValue(flag)), "command line"
		}
	}
	if text != "" && isSecret(flag) {
		text = "(secret)"
	}
	return text, from
}

// configOf returns the configuration file that a command line or the environment names.
func configOf(args []string) string {
	for i, a := range args {
		if path, ok := strings.CutPrefix(a, "--config="); ok {
			return path
		}
		if a == "--config" && i+1 < len(args) {
			return args[i+1]
		}
		if a == "--" {
			break
		}
	}
	return os.Getenv(ConfigVariable)
}

// readAtMost reads a file of at most so many bytes.
func readAtMost(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(raw)) > most:
		return nil, fmt.Errorf("%s: more than %d bytes", path, most)
	case bytes.IndexByte(raw, 0) >= 0:
		return nil, fmt.Errorf("%s: this is no text", path)
	}
	return raw, nil
}
