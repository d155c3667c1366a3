-- +goose Up
-- The packs whose rulesets and maps lobbies may choose: one version of each name.
CREATE TABLE packs (
	name         TEXT PRIMARY KEY,
	hash         TEXT NOT NULL, -- of the content, in hexadecimal
	published_at BIGINT NOT NULL,
	by_admin     TEXT NOT NULL
);

-- +goose Down
DROP TABLE packs;
