package bots

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/tools"
)

func balance(t *testing.T, args ...string) (r balanceReport, errs string, code int) {
	t.Helper()
	var out, told bytes.Buffer
	code = tools.Run(t.Context(), "balance", "", &Balance{}, append([]string{"--json"}, args...), &out, &told)
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatalf("%v: %s", err, out.String())
		}
	}
	return r, told.String(), code
}

// Each pairing has each seed twice, with the factions exchanged, so both starts are played alike. A faction that the
// rules make stronger wins from both.
func TestBalanceExchangesTheFactions(t *testing.T) {
	t.Parallel()
	r, errs, code := balance(t, "--rules=testdata/lopsided.json", "--level=easy", "--seeds=1", "--limit-seconds=600", "--rate=5")
	if code != 0 || r.Asked != 2 || r.Played != 2 {
		t.Fatalf("code %d, %s: %+v", code, errs, r)
	}
	if p := r.Pairings[0]; p.Of != "strong" || p.Against != "weak" || p.Won != 2 || p.Share != 1 || math.Abs(p.Low-0.342) > 0.001 || p.High != 1 {
		t.Errorf("pairing %+v", p)
	}
	if f := r.Factions; f[0].Won != 2 || f[1].Won != 0 || f[1].Share != 0 {
		t.Errorf("factions %+v", f)
	}
	for _, s := range r.Starts {
		if s.Matches != 2 || s.Won != 1 || s.Share != 0.5 {
			t.Errorf("start %+v, want one win of each", s)
		}
	}
	if strong, weak := r.Play[0], r.Play[1]; strong.Use[0].Type != "guard" || strong.Use[0].Damage <= weak.Use[0].Damage || strong.Orders["attack_move"] == 0 {
		t.Errorf("play %+v and %+v", strong, weak)
	}
}

// A run that measures less than it was asked to fails, and still prints its matches.
func TestBalanceFailsIfItMeasuredLess(t *testing.T) {
	t.Parallel()
	r, errs, code := balance(t, "--rules=testdata/lopsided.json", "--seeds=3", "--within=1ns")
	if code != 1 || r.Asked != 6 || r.Played != 0 || !strings.Contains(errs, "0 of 6 matches were played: the time of --within 1ns is over") {
		t.Errorf("code %d, %q, %+v", code, errs, r)
	}
}

func TestBalanceRefusals(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{
		"--factions=veil,moon": `"moon"`, "--factions=veil,veil": `"veil" is twice there`, "--factions=veil": "1 factions play, two are needed",
		"--level=godly": `"godly" is no level`, "--maps=none": `no map "none"`,
	} {
		if _, errs, code := balance(t, "--seeds=1", "--limit-seconds=1", flag); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %q, want %q", flag, code, errs, want)
		}
	}
}
