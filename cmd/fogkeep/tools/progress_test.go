package tools

import (
	"bytes"
	"testing"
	"time"
)

// TestProgressBar: one line, drawn a few times a second, with the time that is left, and
// taken away at the end. A command that is done at once draws nothing.
func TestProgressBar(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(1000, 0)
	begin := func() *progressBar {
		return &progressBar{out: &out, now: func() time.Time { return clock }, begun: clock, drawn: clock}
	}
	quick := begin()
	clock = clock.Add(progressEvery / 2)
	quick.show(1, 2, "tick 1")
	quick.clear()
	if out.Len() > 0 {
		t.Errorf("drawn at once: %q", &out)
	}
	b := begin()
	for done := range 5 {
		clock = clock.Add(progressEvery / 2)
		b.show(done, 100, "tick 7")
	}
	clock = clock.Add(10 * time.Second)
	b.show(100, 100, "tick 8")
	b.show(100, 100, "tick 9")
	b.clear()
	want := "\r\033[K[....................] 1% tick 7, about 20s left" + "\r\033[K[....................] 3% tick 7, about 13s left" +
		"\r\033[K[####################] 100% tick 8" + "\r\033[K"
	if out.String() != want {
		t.Errorf("drawn %q, want %q", &out, want)
	}
	silent := &progressBar{now: func() time.Time { return clock.Add(time.Hour) }, begun: clock, drawn: clock}
	silent.show(1, 2, "tick")
	silent.clear()
}
