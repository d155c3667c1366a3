-- +goose Up
-- One account's stance on another. Friends have a row each; a request has the row of the account that asks.
CREATE TABLE relations (
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	other_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	kind       TEXT NOT NULL CHECK (kind IN ('request', 'friend', 'block', 'avoid')),
	at         BIGINT NOT NULL,
	PRIMARY KEY (account_id, kind, other_id)
);
CREATE INDEX relations_other ON relations (other_id, kind);

-- Of accounts that have had relations: the last sign of life, the wish to look absent, and a
-- number that counts changes of relations and messages.
CREATE TABLE presences (
	account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	seen_at    BIGINT NOT NULL DEFAULT 0,
	hidden     BOOLEAN NOT NULL DEFAULT FALSE,
	seq        BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE direct_messages (
	num     {{.Counter}}, -- the order of messages
	from_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	to_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	text    TEXT NOT NULL,
	at      BIGINT NOT NULL
);
CREATE INDEX direct_messages_pair ON direct_messages (from_id, to_id, num);
CREATE INDEX direct_messages_to ON direct_messages (to_id);
CREATE INDEX direct_messages_at ON direct_messages (at);

-- +goose Down
DROP TABLE direct_messages;
DROP TABLE presences;
DROP TABLE relations;
