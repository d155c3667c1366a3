-- +goose Up
-- What a password hash costs, such as m=19456,t=2,p=1: a log-in does the work of
-- every cost there is, so that names do not differ by it.
ALTER TABLE accounts ADD COLUMN hash_cost TEXT NOT NULL DEFAULT '';
UPDATE accounts SET hash_cost = substr(password_hash, 16, instr(substr(password_hash, 16), '$') - 1) WHERE password_hash LIKE '$argon2id$v=19$%';
CREATE INDEX accounts_hash_cost ON accounts (hash_cost);
ALTER TABLE admins ADD COLUMN hash_cost TEXT NOT NULL DEFAULT '';
UPDATE admins SET hash_cost = substr(password_hash, 16, instr(substr(password_hash, 16), '$') - 1) WHERE password_hash LIKE '$argon2id$v=19$%';

-- Who said it, or who was removed: deletion looks for the first, and only the
-- second is told.
ALTER TABLE events ADD COLUMN account_id TEXT NOT NULL DEFAULT '';
UPDATE events SET account_id = COALESCE(json_extract(body, '$.account'), '') WHERE kind IN ('chat', 'kicked');
CREATE INDEX events_account ON events (account_id) WHERE account_id <> '';

-- The lobby's last event before the seat was taken: who sits there is told what
-- came after it.
ALTER TABLE seats ADD COLUMN since BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE seats DROP COLUMN since;
DROP INDEX events_account;
ALTER TABLE events DROP COLUMN account_id;
ALTER TABLE admins DROP COLUMN hash_cost;
DROP INDEX accounts_hash_cost;
ALTER TABLE accounts DROP COLUMN hash_cost;
