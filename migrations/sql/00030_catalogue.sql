-- +goose Up
-- The sight that others have of an account: of its name alone, of its profile, or also of
-- replays of its matches.
ALTER TABLE accounts ADD COLUMN sharing TEXT NOT NULL DEFAULT 'profile';

-- Ended matches whose hosts list their replays, with the facts by which people search
-- them. A replay is found while all its players share replays.
CREATE TABLE catalogue (
	num      BIGINT PRIMARY KEY, -- as in matches
	match_id TEXT NOT NULL UNIQUE REFERENCES matches (id) ON DELETE CASCADE,
	map_id   TEXT NOT NULL,
	mode     TEXT NOT NULL,
	seconds  BIGINT NOT NULL,    -- its length, at its speed
	version  BIGINT NOT NULL,    -- of the simulation; 0: unknown
	rating   BIGINT NOT NULL,    -- mean of the players' points at the beginning; 0: unrated
	open_at  BIGINT NOT NULL     -- its end, and the delay of its spectators
);
CREATE INDEX catalogue_map ON catalogue (map_id, num);

-- +goose Down
DROP TABLE catalogue;
ALTER TABLE accounts DROP COLUMN sharing;
