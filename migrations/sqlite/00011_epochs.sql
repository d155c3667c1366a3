-- +goose Up
-- Counts up with each log-out everywhere, password change, kick and ban: what
-- was given out in an earlier epoch opens nothing any more.
ALTER TABLE accounts ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tickets ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;

-- When the account left the match for good; 0: it did not.
ALTER TABLE match_seats ADD COLUMN left_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE match_seats DROP COLUMN left_at;
ALTER TABLE tickets DROP COLUMN epoch;
ALTER TABLE accounts DROP COLUMN epoch;
