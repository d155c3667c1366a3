package model

// MissionStarsMax is the most stars of a mission.
const MissionStarsMax = 3

// Mission is a mission that this server offers.
type Mission struct {
	ID       string // PACK/SCENARIO: the same in all versions of the pack
	Pack     string // the pack's hash
	Scenario string // of the pack
}

// MissionResult is an account's best result of a mission.
type MissionResult struct {
	Mission string // as [Mission.ID]
	Stars   int    // 1 to [MissionStarsMax]
	Seconds int    // of the fastest win
}

// MissionResult returns the result of a match that the only person at it has won as a mission, and the person's account.
func (s *Spec) MissionResult(r Result) (a AccountID, out MissionResult, ok bool) {
	if s.From == nil || s.From.Mission == "" || r.Failed {
		return "", out, false
	}
	for _, p := range s.Participants {
		switch {
		case p.Bot:
		case a != "" || r.Outcome(p.Team) != Won || p.Start >= len(r.Values):
			return "", out, false
		default:
			a = p.Account
			out = MissionResult{s.From.Mission, min(max(int(r.Values[p.Start]["stars"]), 1), MissionStarsMax), int(r.Ticks) / max(1, s.Options.TicksPerSecond)}
		}
	}
	return a, out, a != ""
}
