-- +goose Up
ALTER TABLE accounts ADD COLUMN email TEXT; -- another name to log in by; NULL: none
CREATE UNIQUE INDEX accounts_email ON accounts (email);

-- Single-use links by which an account gets a new password.
CREATE TABLE resets (
	hash       TEXT PRIMARY KEY, -- SHA-256 of the token
	account_id TEXT NOT NULL REFERENCES accounts (id),
	by_admin   TEXT NOT NULL,
	expires_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX resets_account ON resets (account_id);

-- +goose Down
DROP TABLE resets;
DROP INDEX accounts_email;
ALTER TABLE accounts DROP COLUMN email;
