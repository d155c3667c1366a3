-- +goose Up
-- The faction that a member of a party wishes for; empty: random. And a rating's results by faction, JSON; empty: none.
ALTER TABLE party_members ADD COLUMN faction TEXT NOT NULL DEFAULT '';
ALTER TABLE ratings ADD COLUMN factions TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE ratings DROP COLUMN factions;
ALTER TABLE party_members DROP COLUMN faction;
