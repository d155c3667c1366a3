package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/journal"
)

// RecoveryConfig is a battle that is brought back from its journal at the worst moment, just before the next state
// would be saved.
type RecoveryConfig struct {
	Battle `set:"seconds=599"`
	asJSON
}

// RecoveryReport is how long a battle takes to come back.
type RecoveryReport struct {
	Map          string  `json:"map"`
	Seconds      int     `json:"match_seconds"`
	Orders       int     `json:"orders"`
	JournalBytes int64   `json:"journal_bytes"`
	StateBytes   int     `json:"state_bytes"`
	FromStateS   float64 `json:"from_state_s"` // from the state saved last, as after a kill
	FromStartS   float64 `json:"from_start_s"` // from the start of the journal alone
}

// Run fights, recovers twice and prints.
func (c *RecoveryConfig) Run(in *cli.Invocation) error {
	folder, err := os.MkdirTemp("", Name+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	in.Progress("fighting for %d seconds of match time", c.Seconds)
	f, err := fightToJournal(in.Ctx, c.Battle, match.StateSeconds, folder)
	if err != nil {
		return err
	}
	r := RecoveryReport{Map: c.Map.Map.Name, Seconds: c.Seconds, Orders: f.orders, JournalBytes: f.journalBytes, StateBytes: f.stateBytes}
	took, err := recoverOnce(in.Ctx, f.dir)
	if err != nil {
		return err
	}
	r.FromStateS = took.Seconds()
	if err := os.Remove(savedState(folder)); err != nil {
		return err
	}
	if took, err = recoverOnce(in.Ctx, f.dir); err != nil {
		return err
	}
	r.FromStartS = took.Seconds()
	return c.print(in.Stdout, &r)
}

// savedState is the file of the battle's saved state.
func savedState(folder string) string { return filepath.Join(folder, foughtMatch+".state") }

// recoverOnce brings the match back as a server that starts does, and lets it go again.
func recoverOnce(ctx context.Context, dir *journal.Dir) (time.Duration, error) {
	s := match.New(match.Config{Journals: dir, Admitter: porter{}, Reporter: porter{}, Build: "bench"})
	defer s.Close()
	began := time.Now()
	if err := s.Recover(ctx, nil); err != nil {
		return 0, err
	}
	took := time.Since(began)
	if len(s.Matches()) != 1 {
		return 0, errors.New("the battle did not come back")
	}
	return took, nil
}
