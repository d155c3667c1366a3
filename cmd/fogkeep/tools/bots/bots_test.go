package bots

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/tools"
)

// TestRefusals: a wrong flag is named before any match is played.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{
		"--rate=1": "--rate 1: want 5 to 60", "--seeds=0": "--seeds 0", "--limit-seconds=0": "--limit-seconds 0: want 1 to 36000", "--maps=none": `no map "none"`,
		"--pairs=odd": `pair "odd"`, "--mode=chess": "chess", "--rules=none.json": "none.json", "--maps-dir=none": "--maps-dir: ",
	} {
		var out, errs bytes.Buffer
		args := []string{"--seeds=1", "--limit-seconds=1", "--pairs=idle-idle", flag}
		if code := tools.Run(t.Context(), "bots", "", &Command{}, args, &out, &errs); code == 0 || out.Len() > 0 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d, %q, %q, want %q", flag, code, out.String(), errs.String(), want)
		}
	}
}
