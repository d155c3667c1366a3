-- +goose Up
-- The audit is a chain: each row has a number without gaps, the hash of the row
-- before it, and its own. Rows from before have link 0; the first link's prev is
-- a hash of all of them.
ALTER TABLE audit ADD COLUMN link BIGINT NOT NULL DEFAULT 0;
ALTER TABLE audit ADD COLUMN prev TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN hash TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX audit_link ON audit (link) WHERE link > 0;
CREATE INDEX audit_order ON audit (link, num);

-- Its last row, which whoever writes the next one locks, and the last row that
-- was deleted because of its age (-1: none was).
CREATE TABLE audit_chain (
	id          BIGINT PRIMARY KEY CHECK (id = 1),
	link        BIGINT NOT NULL,
	hash        TEXT NOT NULL,
	anchor_link BIGINT NOT NULL,
	anchor_hash TEXT NOT NULL
);
INSERT INTO audit_chain (id, link, hash, anchor_link, anchor_hash) VALUES (1, 0, '', -1, '');

DROP TRIGGER audit_loses_none;
-- +goose StatementBegin
CREATE TRIGGER audit_loses_none BEFORE DELETE ON audit WHEN OLD.link > (SELECT anchor_link FROM audit_chain)
BEGIN
	SELECT RAISE(ABORT, 'audit is append-only');
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER audit_loses_none;
-- +goose StatementBegin
CREATE TRIGGER audit_loses_none BEFORE DELETE ON audit
BEGIN
	SELECT RAISE(ABORT, 'audit is append-only');
END;
-- +goose StatementEnd
DROP TABLE audit_chain;
DROP INDEX audit_order;
DROP INDEX audit_link;
ALTER TABLE audit DROP COLUMN hash;
ALTER TABLE audit DROP COLUMN prev;
ALTER TABLE audit DROP COLUMN link;
