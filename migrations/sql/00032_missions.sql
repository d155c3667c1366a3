-- +goose Up
-- The best results of accounts in missions, PACK/SCENARIO.
CREATE TABLE mission_results (
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	mission    TEXT NOT NULL,
	stars      BIGINT NOT NULL, -- 1 to 3
	seconds    BIGINT NOT NULL, -- of the fastest win
	PRIMARY KEY (account_id, mission)
);

-- +goose Down
DROP TABLE mission_results;
