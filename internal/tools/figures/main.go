package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// record is docs/figures.json.
type record struct {
	Machine machine `json:"machine"`
	Runs    []run   `json:"runs"`
}

// machine is where all runs of a record were measured.
type machine struct {
	CPU       string `json:"cpu"`
	Cores     int    `json:"cores"`
	MemoryMiB int    `json:"memory_mib"`
	Kernel    string `json:"kernel"`
	Go        string `json:"go"`
}

// run is what one command measured.
type run struct {
	Name    string          `json:"name"`
	Command string          `json:"command"`
	Commit  string          `json:"commit"` // that the code was built from
	Date    string          `json:"date"`
	Load    float64         `json:"load"`              // of the machine just before, by the kernel's count over one minute
	Short   bool            `json:"short"`             // measured with less than the bench's own settings
	Machine *machine        `json:"machine,omitempty"` // none: the record's
	Result  json.RawMessage `json:"result"`
}

const (
	recordFile = "docs/figures.json"
	defaultMap = "eight-crowns"
)

func main() {
	only := flag.String("only", "", "names of benches, separated by commas; none is all")
	short := flag.Bool("short", false, "a few seconds a bench, to try this program out; the tables say that they are short")
	mapPath := flag.String("map", defaultMap, "the map of the battles")
	render := flag.Bool("render", false, "measure nothing: write the tables from "+recordFile)
	flag.Parse()
	if err := figures(*only, *short, *mapPath, *render); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func figures(only string, short bool, mapPath string, render bool) error {
	var kept record
	if raw, err := os.ReadFile(recordFile); err == nil {
		if err := json.Unmarshal(raw, &kept); err != nil {
			return fmt.Errorf("%s: %w", recordFile, err)
		}
	} else if !errors.Is(err, os.ErrNotExist) || render {
		return err
	}
	if !render {
		if err := measure(&kept, only, short, mapPath); err != nil {
			return err
		}
	}
	for _, b := range benches {
		if !slices.ContainsFunc(kept.Runs, func(r run) bool { return r.Name == b.name }) {
			fmt.Fprintf(os.Stderr, "figures: %s is not measured on this machine yet: the tables are left as they are\n", b.name)
			return nil
		}
	}
	for _, p := range pages {
		raw, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		text, err := fill(string(raw), kept)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// measure runs the benches one after the other and keeps each result at once: a failing run does not lose the
// earlier results.
func measure(kept *record, only string, short bool, mapPath string) error {
	here, err := thisMachine()
	if err != nil {
		return err
	}
	kept.moveTo(here)
	commit, err := builtFrom()
	if err != nil {
		return err
	}
	var names []string
	for _, b := range benches {
		if only != "" && !slices.Contains(strings.Split(only, ","), b.name) {
			continue
		}
		names = append(names, b.name)
		argv := b.argv
		if short {
			argv = b.short
		}
		argv = slices.Clone(argv)
		for i := range argv {
			argv[i] = strings.ReplaceAll(argv[i], "MAP", mapPath)
		}
		r := run{
			Name: b.name, Command: strings.Join(argv, " "), Commit: commit, Date: time.Now().Format(time.DateOnly),
			Load: load(), Short: short,
		}
		fmt.Fprintln(os.Stderr, "figures:", r.Command)
		if r.Result, err = b.read(argv); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		kept.Runs = slices.DeleteFunc(kept.Runs, func(old run) bool { return old.Name == b.name })
		kept.Runs = append(kept.Runs, r)
		slices.SortFunc(kept.Runs, func(a, b run) int { return strings.Compare(a.Name, b.Name) })
		raw, err := json.MarshalIndent(kept, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(recordFile, append(raw, '\n'), 0o644); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("no bench is called %s", only)
	}
	return nil
}

// moveTo makes here the machine of the record. Runs that stay were made on another
// one, and say so.
func (k *record) moveTo(here machine) {
	old := k.Machine
	if old == here {
		return
	}
	k.Machine = here
	for i := range k.Runs {
		switch r := &k.Runs[i]; {
		case r.Machine == nil:
			r.Machine = &old
		case *r.Machine == here:
			r.Machine = nil
		}
	}
}

// builtFrom names the commit, and says whether code that is not committed was measured. Pages do not
// count.
func builtFrom() (string, error) {
	commit, err := command("git", "rev-parse", "--short", "HEAD")
	if err != nil {
		return "", err
	}
	changed, err := command("git", "status", "--porcelain", "--", ".", ":!docs", ":!*.md")
	if err == nil && changed != "" {
		return strings.TrimSpace(commit) + "-dirty", nil
	}
	return strings.TrimSpace(commit), err
}

// command runs a program and returns its output.
func command(argv ...string) (string, error) {
	var errs bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, errs.String())
	}
	return string(out), nil
}

func thisMachine() (machine, error) {
	kernel, err := command("uname", "-sr")
	if err != nil {
		return machine{}, err
	}
	m := machine{CPU: runtime.GOARCH, Cores: runtime.NumCPU(), Kernel: strings.TrimSpace(kernel), Go: runtime.Version()}
	if name := field("/proc/cpuinfo", "model name"); name != "" {
		m.CPU = name
	}
	if kib, err := strconv.Atoi(strings.TrimSuffix(field("/proc/meminfo", "MemTotal"), " kB")); err == nil {
		m.MemoryMiB = kib / 1024
	}
	return m, nil
}

// field returns the first value of a key in a file of /proc.
func field(file, key string) string {
	raw, _ := os.ReadFile(file)
	for line := range strings.Lines(string(raw)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func load() float64 {
	raw, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(raw), " ")
	l, _ := strconv.ParseFloat(first, 64)
	return l
}
