package db

import "github.com/fogkeep/fogkeep/lobby/model"

// Save stores a result where it is better than the stored one: more stars, or less time.
func (t Missions) Save(a model.AccountID, r model.MissionResult) error {
	return t.run(`INSERT INTO mission_results (account_id, mission, stars, seconds) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account_id, mission) DO UPDATE SET
			stars = CASE WHEN excluded.stars > mission_results.stars THEN excluded.stars ELSE mission_results.stars END,
			seconds = CASE WHEN excluded.seconds < mission_results.seconds THEN excluded.seconds ELSE mission_results.seconds END`,
		string(a), r.Mission, r.Stars, r.Seconds)
}

// Of returns an account's results, by mission.
func (t Missions) Of(a model.AccountID) ([]model.MissionResult, error) {
	return list(t, `SELECT mission, stars, seconds FROM mission_results WHERE account_id = $1 ORDER BY mission`, []any{string(a)},
		func(r *model.MissionResult) []any { return []any{&r.Mission, &r.Stars, &r.Seconds} })
}
