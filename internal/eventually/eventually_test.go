package eventually

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// told hands over the failure of a test.
type told struct {
	testing.TB
	text chan string
}

func (f told) Helper() {}

func (f told) Fatalf(format string, args ...any) {
	f.text <- fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		Holds(t, "half a minute", func() bool { return time.Since(began) > 30*time.Second })

		f := told{text: make(chan string, 1)}
		n, err := 0, error(nil)
		var text strings.Builder
		var asking sync.WaitGroup
		asking.Go(func() {
			Holds(f, "the end", func() bool {
				n, err = n+1, errors.New("shut")
				text.Reset()
				text.WriteString("door")
				return false
			}, &n, &err, &text)
		})
		time.Sleep(59 * time.Second) // moves the clock of synctest
		if synctest.Wait(); len(f.text) > 0 {
			t.Errorf("failed early: %s", <-f.text)
		}
		asking.Wait()
		got := <-f.text
		if want := fmt.Sprintf("not within a minute: the end\n%d\nshut\ndoor", n); got != want || n < 3000 || n > 3300 {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
