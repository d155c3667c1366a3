package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// rerunMax is how many failed browser tests of a whole run may be tried again.
const rerunMax = 2

// rerun runs the files of failed browser tests once more, with the machine to
// themselves, and names each. The steps of a file follow from each other, so the whole
// file runs. rerun returns how many failures of the first run no longer count, because all files of their suites pass
// now.
func rerun(ctx context.Context, ended []ran, w io.Writer) (mended int) {
	failed := 0
	for _, r := range ended {
		for _, tests := range r.failedIn {
			failed += len(tests)
		}
	}
	if failed > rerunMax {
		return 0
	}
	for i := range ended {
		r := &ended[i]
		if r.rerun == nil || len(r.failedIn) == 0 {
			continue
		}
		still := false
		for _, file := range slices.Sorted(maps.Keys(r.failedIn)) {
			again := r.suite
			again.argv = append(slices.Clone(r.rerun), file)
			tests := strings.Join(r.failedIn[file], ", ")
			fmt.Fprintf(w, "== %s, rerun of %s: %s\n", r.name, file, tests)
			verdict := "passed on the rerun: find the cause"
			if runSuite(ctx, again, w).failed > 0 {
				still, verdict = true, "failed twice"
			}
			fmt.Fprintf(w, "   RERUN %s: %s: %s\n", file, tests, verdict)
		}
		if !still {
			mended += r.failed
			r.failures = nil
		}
	}
	return mended
}
