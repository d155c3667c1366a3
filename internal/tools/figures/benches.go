package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// bench is one command that measures.
type bench struct {
	name  string
	argv  []string
	short []string // with few seconds
	read  func(argv []string) (json.RawMessage, error)
}

// benches lists all benches; each takes at most six minutes. MAP is the map of the battles.
var benches = []bench{
	{"w1", words("bin/fogkeep-bench w1 --floor --json"), words("bin/fogkeep-bench w1 --floor --seconds 5 --json"), object},
	{"w1-beats", words("bin/fogkeep-bench w1 --floor --beats --json"), words("bin/fogkeep-bench w1 --floor --beats --seconds 5 --json"), object},
	{"w2", words("bin/fogkeep-bench w2 --json"), words("bin/fogkeep-bench w2 --seconds 5 --json"), object},
	{"w1-small", words("bin/fogkeep-bench w1-small --json"), words("bin/fogkeep-bench w1-small --seconds 5 --json"), object},
	{"battle", words("bin/fogkeep-bench battle --map MAP --json"), words("bin/fogkeep-bench battle --map MAP --seconds 5 --json"), object},
	{"w1-many", words("bin/fogkeep-bench w1 --units 8000 --floor --json"), words("bin/fogkeep-bench w1 --units 1000 --floor --seconds 5 --json"), object},
	{"w1-huge", words("bin/fogkeep-bench w1 --units 16000 --side 512 --json"), words("bin/fogkeep-bench w1 --units 1000 --side 512 --seconds 5 --json"), object},
	{"load", words("bin/fogkeep-bench load --json"), words("bin/fogkeep-bench load --matches 5 --seconds 5 --delay 5 --idle 50 --storm 20 --json"), object},
	{"fit", words("bin/fogkeep-bench fit --json"), words("bin/fogkeep-bench fit --matches 4 --seconds 5 --json"), object},
	{"fit-large", words("bin/fogkeep-bench fit --players 8 --units 200 --matches 16 --json"), words("bin/fogkeep-bench fit --players 8 --units 200 --matches 4 --seconds 5 --json"), object},
	{"sim-many", words("bin/fogkeep-bench sim --map MAP --units 1000 --engaged --json"), words("bin/fogkeep-bench sim --map MAP --units 1000 --engaged --seconds 5 --json"), object},
	{"paths", words("go test ./internal/bench -run ^$ -bench MazePaths -benchtime 1x"), words("go test ./internal/bench -run ^$ -bench MazePaths -benchtime 1x"), benchmarks},
	{"sim", words("bin/fogkeep-bench sim --map MAP --json"), words("bin/fogkeep-bench sim --map MAP --seconds 5 --json"), object},
	{"recovery", words("go test ./internal/bench -run ^$ -bench Recovery/from -benchtime 1x"), words("go test ./internal/bench -run ^$ -bench Recovery/from -benchtime 1x -short"), benchmarks},
	{"vision", words("go test ./visibility -run ^$ -bench Vision/ -benchtime 2s"), words("go test ./visibility -run ^$ -bench Vision/ -benchtime 20x"), benchmarks},
	{"bots", words("bin/fogkeep-bench bots --json"), words("bin/fogkeep-bench bots --seeds 1 --json"), object},
	{"matchmaking", words("bin/fogkeep-bench matchmaking --json"), words("bin/fogkeep-bench matchmaking --hours 1 --json"), object},
	{"lobby", words("go run ./internal/tools/withpg bin/fogkeep-bench lobby --json"), words("go run ./internal/tools/withpg bin/fogkeep-bench lobby --guests 100 --json"), object},
	{"attack", words("bin/fogkeep-bench attack --json"), words("bin/fogkeep-bench attack --only pings,logins --seconds 2 --json"), object},
	{"tick", words("go test ./internal/bench -run ^$ -bench Tick/w1/200 -benchtime 700x"), words("go test ./internal/bench -run ^$ -bench Tick/w1/200 -benchtime 20x"), benchmarks},
	{"spectators", words("go test ./match -run ^$ -bench Spectators -benchtime 1000x"), words("go test ./match -run ^$ -bench Spectators -benchtime 20x"), benchmarks},
	{"schema", words("node --experimental-websocket web/bench/schema.mjs"), words("node --experimental-websocket web/bench/schema.mjs --seconds 5 --least 0"), object},
	{"first-visit", words("node web/bench/stream.mjs --open --json"), words("node web/bench/stream.mjs --open --json"), object},
	{"pages", words("make web"), words("make web"), pageSizes},
}

func words(s string) []string { return strings.Fields(s) }

// object reads the JSON value that a bench writes.
func object(argv []string) (json.RawMessage, error) {
	out, err := command(argv...)
	if err != nil {
		return nil, err
	}
	var v any
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return json.Marshal(v)
}

var benchLine = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// benchmarks reads what Go's benchmarks print: for each its values by unit.
func benchmarks(argv []string) (json.RawMessage, error) {
	out, err := command(argv...)
	if err != nil {
		return nil, err
	}
	result, err := parseBenchmarks(out)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

func parseBenchmarks(out string) (map[string]map[string]float64, error) {
	result := map[string]map[string]float64{}
	for _, m := range benchLine.FindAllStringSubmatch(out, -1) {
		values := map[string]float64{}
		for f := strings.Fields(m[2]); len(f) > 1; f = f[2:] {
			v, err := strconv.ParseFloat(f[0], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m[0], err)
			}
			values[f[1]] = v
		}
		result[m[1]] = values
	}
	if len(result) == 0 {
		return nil, fmt.Errorf("no benchmark ran:\n%s", out)
	}
	return result, nil
}

// pageSizes builds the pages and adds up the bytes that a player's browser loads for the first screen, for the
// scene behind it and for a match, each without the files of the one before: plain, and in the two compressed
// forms.
func pageSizes(argv []string) (json.RawMessage, error) {
	if _, err := command(argv...); err != nil {
		return nil, err
	}
	site, err := readSite("web/dist/site")
	if err != nil {
		return nil, err
	}
	result := map[string]map[string]float64{}
	count := func(what string, names []string) {
		for _, name := range names {
			size, not := site.sizes[name]
			if !not || site.counted[name] {
				continue
			}
			site.counted[name] = true
			of := what
			if strings.HasPrefix(name, "three-") {
				of = "three.js"
			}
			if result[of] == nil {
				result[of] = map[string]float64{}
			}
			for form, n := range size {
				result[of][form] += n
			}
		}
	}
	count("first screen", append([]string{"index.html"}, site.named(site.texts["index.html"])...))
	count("first screen", site.part("en"))
	count("scene", site.part("scenepart"))
	count("match", append(site.part("matchpart"), site.part("game")...)) // the styles that matches and replays share
	count("settings", site.part("menu"))
	count("replay", site.part("replaypart"))
	count("texts", append(site.part("match"), site.part("replay")...)) // asked for by the language
	count("another language", site.part("de"))
	count("admins only", append([]string{"admin.html"}, site.named(site.texts["admin.html"])...))
	for name := range site.sizes {
		if !site.counted[name] {
			return nil, fmt.Errorf("%s: what loads it?", name)
		}
	}
	return json.Marshal(result)
}

// A site is the built pages: the sizes of each file by the form that it is sent in.
type site struct {
	sizes   map[string]map[string]float64
	texts   map[string]string
	counted map[string]bool
}

// readSite reads a folder of built pages.
func readSite(dir string) (*site, error) {
	s := &site{sizes: map[string]map[string]float64{}, texts: map[string]string{}, counted: map[string]bool{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") || strings.HasSuffix(path, ".br") || strings.HasSuffix(path, ".gz") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s.texts[d.Name()] = string(text)
		size := map[string]float64{}
		for form, suffix := range map[string]string{"plain": "", "gzip": ".gz", "brotli": ".br"} {
			info, err := os.Stat(path + suffix)
			if err != nil && suffix != "" { // small files have no compressed form and are sent as they are
				info, err = os.Stat(path)
			}
			if err != nil {
				return err
			}
			size[form] = float64(info.Size())
		}
		s.sizes[d.Name()] = size
		return nil
	})
	return s, err
}

var (
	asset  = regexp.MustCompile(`assets/([\w.-]+\.(?:js|css))`)
	static = regexp.MustCompile(`(?:from|import)\s*"\./([\w.-]+\.js)"`)
)

// named returns the files that a page names.
func (s *site) named(page string) []string {
	var names []string
	for _, m := range asset.FindAllStringSubmatch(page, -1) {
		names = append(names, m[1])
	}
	return names
}

// part returns the files of a part that is loaded when it is needed: its script, the scripts that this
// one imports, and its styles.
func (s *site) part(name string) []string {
	var names []string
	for file := range s.sizes {
		if strings.HasPrefix(file, name+"-") {
			names = append(names, file)
		}
	}
	for i := 0; i < len(names); i++ {
		for _, m := range static.FindAllStringSubmatch(s.texts[names[i]], -1) {
			if !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	return names
}
