package tools

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/telemetry"
)

// progressBar shows a person how far a long command is, and about how long it still
// takes. It is one line, drawn anew a few times a second, and gone at the end. Where
// nobody looks it writes nothing.
type progressBar struct {
	out   io.Writer // nil: nobody looks
	now   func() time.Time
	begun time.Time
	drawn time.Time
}

// progressEvery is the time between two drawings.
const progressEvery = 200 * time.Millisecond

func newProgressBar(in *Invocation) *progressBar {
	b := &progressBar{now: time.Now}
	if telemetry.IsTerminal(in.Stderr) {
		b.out = in.Stderr
	}
	b.begun = b.now()
	b.drawn = b.begun
	return b
}

// show says that done of all is done, which what names.
func (b *progressBar) show(done, all int, what string) {
	if b.out == nil {
		return
	}
	now := b.now()
	if now.Sub(b.drawn) < progressEvery {
		return
	}
	b.drawn = now
	line := fmt.Sprintf("\r\033[K%s %d%% %s", bar(done, all), 100*done/max(1, all), what)
	if left := now.Sub(b.begun) * time.Duration(all-done) / time.Duration(max(1, done)); done > 0 && left >= time.Second {
		line += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	fmt.Fprint(b.out, line)
}

// clear takes the line away.
func (b *progressBar) clear() {
	if b.out != nil && b.drawn != b.begun {
		fmt.Fprint(b.out, "\r\033[K")
	}
}

// bar is a progress bar of twenty places.
func bar(done, all int) string {
	n := min(20, 20*done/max(1, all))
	return "[" + strings.Repeat("#", n) + strings.Repeat(".", 20-n) + "]"
}
