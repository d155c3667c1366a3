-- +goose Up
-- The seasons of queues. A season is over at ends_at, 0: when an admin ends it.
CREATE TABLE seasons (
	queue    TEXT NOT NULL,
	number   BIGINT NOT NULL, -- from 1
	began_at BIGINT NOT NULL,
	ends_at  BIGINT NOT NULL,
	PRIMARY KEY (queue, number)
);
-- The season in which a rating was counted last, the time of its next decay (0: none), and the results of earlier
-- seasons, JSON; empty: none.
ALTER TABLE ratings ADD COLUMN season BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ratings ADD COLUMN decays_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ratings ADD COLUMN past TEXT NOT NULL DEFAULT '';
DROP INDEX ratings_points;
CREATE INDEX ratings_points ON ratings (queue, season, points DESC, account_id);

-- +goose Down
DROP INDEX ratings_points;
CREATE INDEX ratings_points ON ratings (queue, points DESC, account_id);
ALTER TABLE ratings DROP COLUMN past;
ALTER TABLE ratings DROP COLUMN decays_at;
ALTER TABLE ratings DROP COLUMN season;
DROP TABLE seasons;
