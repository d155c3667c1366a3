-- +goose Up
-- The settings of a player's client: a JSON object that only the client reads.
CREATE TABLE account_settings (
	account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	body       TEXT NOT NULL
);

-- +goose Down
DROP TABLE account_settings;
