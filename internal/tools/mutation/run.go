package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memory is what one test process may map, in KiB: a mutant can loop and
// allocate.
const memory = 12 << 20

// rounds has how long a test may take to be run in each round of a mutant:
// most mutants are noticed by tests that take no time.
var rounds = [...]time.Duration{30 * time.Millisecond, 300 * time.Millisecond, 2 * time.Second, time.Hour}

// reach says which tests come to which mutants, and how long they take.
type reach struct {
	by   [][]test // index = number of a mutant
	slow []string // tests left out because they take too long
}

type test struct {
	bin  int
	name string
	took time.Duration
}

// verdict of a mutant.
type verdict int

const (
	survived verdict = iota
	notReached
	killed
)

// run starts a test binary in the directory of its package.
func run(ctx context.Context, root string, bin testBinary, env []string, args ...string) ([]byte, error) {
	sh := append([]string{"-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, memory), bin.path}, append(bin.flags, args...)...)
	cmd := exec.CommandContext(ctx, "sh", sh...)
	cmd.Dir = filepath.Join(root, bin.pkg)
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = 5 * time.Second
	return cmd.CombinedOutput()
}

// measure runs each test alone, without a mutant, and notes which mutants it
// reaches. asked has the pattern of a package's tests, if not all are asked.
func measure(root, dir string, b *built, each time.Duration, asked map[string]string) (*reach, error) {
	top := 0
	for i := range b.mutants {
		top = max(top, b.mutants[i].id)
	}
	r := &reach{by: make([][]test, top+1)}
	for k, bin := range b.bins {
		out, err := run(context.Background(), root, bin, nil, "-test.list", cmp.Or(asked[bin.pkg], "^(Test|Fuzz|Example)"))
		if err != nil {
			return nil, fmt.Errorf("tests of %s: %w\n%s", bin.pkg, err, out)
		}
		for _, name := range strings.Fields(string(out)) {
			if !strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "Fuzz") && !strings.HasPrefix(name, "Example") {
				continue
			}
			log := filepath.Join(dir, "reached")
			os.Remove(log)
			ctx, cancel := context.WithTimeout(context.Background(), each)
			began := time.Now()
			out, err := run(ctx, root, bin, []string{"FOGKEEP_MUTANTS_REACHED=" + log}, "-test.run", "^"+name+"$")
			took := time.Since(began)
			late := ctx.Err() != nil
			cancel()
			if late {
				r.slow = append(r.slow, bin.pkg+" "+name)
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("%s %s fails without a mutant: %w\n%s", bin.pkg, name, err, out)
			}
			ids, err := numbers(log)
			if err != nil {
				return nil, err
			}
			for _, id := range ids {
				if id < len(r.by) {
					r.by[id] = append(r.by[id], test{bin: k, name: name, took: took})
				}
			}
		}
	}
	return r, nil
}

func numbers(name string) ([]int, error) {
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	var ids []int
	for sc := bufio.NewScanner(f); sc.Scan(); {
		id, err := strconv.Atoi(sc.Text())
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// try runs the tests that reach a mutant, the quickest of all packages first.
func try(root string, b *built, r *reach, id int) verdict {
	if len(r.by[id]) == 0 {
		return notReached
	}
	least := time.Duration(0)
	for _, most := range rounds {
		for k, bin := range b.bins {
			var names []string
			total := time.Duration(0)
			for _, t := range r.by[id] {
				if t.bin == k && least <= t.took && t.took < most {
					names = append(names, regexp.QuoteMeta(t.name))
					total += t.took
				}
			}
			if len(names) == 0 {
				continue
			}
			slices.Sort(names)
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second+5*total)
			_, err := run(ctx, root, bin, []string{"FOGKEEP_MUTANT=" + strconv.Itoa(id)},
				"-test.failfast", "-test.run", "^("+strings.Join(names, "|")+")$")
			cancel()
			if err != nil {
				return killed
			}
		}
		least = most
	}
	return survived
}

// tryAll tries mutants, some at a time, and calls done with each result in the
// order of the list.
func tryAll(root string, b *built, r *reach, list []mutant, jobs int, done func(m *mutant, v verdict)) {
	results := make([]chan verdict, len(list))
	for i := range results {
		results[i] = make(chan verdict, 1)
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range jobs {
		wg.Go(func() {
			for i := range next {
				results[i] <- try(root, b, r, list[i].id)
			}
		})
	}
	go func() {
		for i := range list {
			next <- i
		}
		close(next)
	}()
	for i := range list {
		done(&list[i], <-results[i])
	}
	wg.Wait()
}
