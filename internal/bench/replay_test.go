package bench

import "testing"

// A short battle is opened, played once and gone to at random: what is asked for is
// measured.
func TestReplayReport(t *testing.T) {
	r, err := Replay(t.Context(), ReplayConfig{Dir: t.TempDir(), Battle: shippedBattle(t, "twin-fords", 2, 10, 31), Seeks: 5})
	if err != nil {
		t.Fatal(err)
	}
	if r.Ticks != 620 || r.Checkpoints < 5 || r.CheckpointBytes == 0 || r.TicksPerS <= 0 || r.SeekP95Ms < r.SeekP50Ms || r.OpenMs <= 0 || r.FromStartP50Ms <= 0 || r.RSSMB <= 0 {
		t.Errorf("%+v", r)
	}
	if _, err := Replay(t.Context(), ReplayConfig{}); err == nil {
		t.Error("a battle without a map is measured")
	}
}
