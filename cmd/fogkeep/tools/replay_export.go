package tools

import (
	"bufio"
	"fmt"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/replay/export"
)

// replayExportCmd writes a journal for other programs.
type replayExportCmd struct {
	File string `arg:"" help:"A .journal file."`
	Play bool   `help:"Also play the match, and add its events and each player's numbers, second by second."`
	Text bool   `help:"Include the texts of chat. Without it a chat entry has its sender and its number only."`
}

// exportMatch is the first line of an export.
type exportMatch struct {
	Kind string `json:"kind"` // "match"
	replayReport
	Seats []export.Seat `json:"seats"`
}

// Run reads the journal twice: once for its sum, which is the first line.
func (c *replayExportCmd) Run(in *Invocation) error {
	path := journalPath{File: c.File}
	p := &played{}
	var err error
	if c.Play {
		if p, err = path.play(in); err != nil {
			return err
		}
	} else if p.sum, err = journal.Walk(path.read(&p.torn), nil); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	sum := &p.sum
	w := bufio.NewWriter(in.Stdout)
	lines, err := export.NewWriter(w, exportMatch{"match", path.report(*sum, p.torn), export.Seats(&sum.Header)}, sum.Setup.Rules, p.line)
	if err != nil {
		return err
	}
	lines.Text = c.Text
	progress := newProgressBar(in)
	defer progress.clear()
	first := sum.Header.First()
	_, err = journal.Walk(path.read(&p.torn), func(_ uint64, r journal.Record, _ *journal.Summary) error {
		if r.Tick == nil {
			return in.Ctx.Err()
		}
		progress.show(int(r.Tick.Tick-first), int(sum.Ticks-first), fmt.Sprintf("tick %d", r.Tick.Tick))
		return lines.Tick(r.Tick)
	})
	if err == nil {
		err = lines.Known(sum.Ticks + 1)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return w.Flush()
}
