PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE account_settings (
	account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	body       TEXT NOT NULL
);
INSERT INTO "account_settings" VALUES('account-1','{"volume":1}');
CREATE TABLE accounts (
	id            TEXT PRIMARY KEY,
	name          TEXT NOT NULL,
	name_key      TEXT NOT NULL UNIQUE,     -- folded: see lobby.LoginKey
	guest         BOOLEAN NOT NULL,
	password_hash TEXT NOT NULL DEFAULT '', -- argon2id; empty for a guest
	created_at    BIGINT NOT NULL,          -- every time here: milliseconds since 1970, UTC
	deleted_at    BIGINT NOT NULL DEFAULT 0 -- 0: not
, email TEXT, hash_cost TEXT NOT NULL DEFAULT '', epoch BIGINT NOT NULL DEFAULT 0);
INSERT INTO "accounts" VALUES('account-1','Ada','ada',0,'$argon2id$v=19$m=64,t=1,p=1$c2FsdA$aGFzaA',1790000000000,0,NULL,'',0);
INSERT INTO "accounts" VALUES('account-2','Bob 1234','bob 1234',1,'',1790000000001,0,NULL,'',0);
INSERT INTO "accounts" VALUES('account-3','deleted account-3','deleted account-3',1,'',1790000000000,1790000200000,NULL,'',0);
INSERT INTO "accounts" VALUES('account-7','Grace','grace',0,'$argon2id$v=19$m=128,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2U',1790000000000,0,NULL,'m=128,t=2,p=1',0);
CREATE TABLE admins (
	id            TEXT PRIMARY KEY,
	name          TEXT NOT NULL,
	name_key      TEXT NOT NULL UNIQUE,
	password_hash TEXT NOT NULL,
	role          TEXT NOT NULL CHECK (role IN ('viewer', 'moderator', 'admin')),
	fog           BOOLEAN NOT NULL, -- may look through the fog of live matches
	created_at    BIGINT NOT NULL,
	disabled_at   BIGINT NOT NULL DEFAULT 0
, hash_cost TEXT NOT NULL DEFAULT '');
INSERT INTO "admins" VALUES('admin-1','root','root','$argon2id$v=19$m=64,t=1,p=1$c2FsdA$aGFzaA','admin',1,1790000000000,0,'');
CREATE TABLE audit (
	num     INTEGER PRIMARY KEY AUTOINCREMENT,
	at      BIGINT NOT NULL,
	admin   TEXT NOT NULL,
	action  TEXT NOT NULL,
	subject TEXT NOT NULL,
	detail  TEXT NOT NULL,
	address TEXT NOT NULL
, link BIGINT NOT NULL DEFAULT 0, prev TEXT NOT NULL DEFAULT '', hash TEXT NOT NULL DEFAULT '');
INSERT INTO "audit" VALUES(1,1790000000000,'root','ban.add','198.51.100.0/24','flood','192.0.2.1',0,'','');
CREATE TABLE audit_chain (
	id          BIGINT PRIMARY KEY CHECK (id = 1),
	link        BIGINT NOT NULL,
	hash        TEXT NOT NULL,
	anchor_link BIGINT NOT NULL,
	anchor_hash TEXT NOT NULL
);
INSERT INTO "audit_chain" VALUES(1,0,'',-1,'');
CREATE TABLE bans (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id TEXT NOT NULL DEFAULT '', -- either this
	name       TEXT NOT NULL DEFAULT '',
	prefix     TEXT NOT NULL DEFAULT '', -- or this, and
	lo         TEXT NOT NULL DEFAULT '', -- its first and last address in 32 hex digits
	hi         TEXT NOT NULL DEFAULT '',
	reason     TEXT NOT NULL,
	by_admin   TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	until_at   BIGINT NOT NULL DEFAULT 0, -- 0: for good
	lifted_at  BIGINT NOT NULL DEFAULT 0  -- 0: holds
);
INSERT INTO "bans" VALUES(1,'','','198.51.100.0/24','00000000000000000000ffffc6336400','00000000000000000000ffffc63364ff','flood','root',1790000000000,0,0);
CREATE TABLE counters (
	key     TEXT PRIMARY KEY,
	value   BIGINT NOT NULL,
	ends_at BIGINT NOT NULL
);
INSERT INTO "counters" VALUES('login:net:192.0.2.1',3,1890000000000);
CREATE TABLE events (
	lobby_id TEXT NOT NULL REFERENCES lobbies (id) ON DELETE CASCADE,
	seq      BIGINT NOT NULL,
	kind     TEXT NOT NULL,
	body     TEXT NOT NULL,
	at       BIGINT NOT NULL, account_id TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (lobby_id, seq)
);
INSERT INTO "events" VALUES('lobby-1',1,'lobby','',1790000000000,'');
INSERT INTO "events" VALUES('lobby-1',2,'kicked','{"account":"account-2","reason":"rude"}',1790000000000,'account-2');
CREATE TABLE external_identities (
	issuer     TEXT NOT NULL,
	subject    TEXT NOT NULL,
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	created_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL,
	PRIMARY KEY (issuer, subject)
);
INSERT INTO "external_identities" VALUES('https://id.example.org','ada-1','account-1',1790000000000,1790000001000);
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO "goose_db_version" VALUES(1,0,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(2,1,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(3,2,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(4,3,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(5,4,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(6,5,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(7,6,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(8,7,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(9,8,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(10,9,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(11,10,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(12,11,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(13,12,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(14,13,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(15,14,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(16,15,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(17,16,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(18,17,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(19,18,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(20,19,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(21,20,1,'2026-11-23 00:00:00');
INSERT INTO "goose_db_version" VALUES(22,21,1,'2026-11-23 00:00:00');
CREATE TABLE house (
	id       BIGINT PRIMARY KEY CHECK (id = 1),
	draining BOOLEAN NOT NULL,
	bans     BIGINT NOT NULL -- counts up with each ban
);
INSERT INTO "house" VALUES(1,0,1);
CREATE TABLE lobbies (
	num           INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of lobbies
	id            TEXT NOT NULL UNIQUE,
	name          TEXT NOT NULL,
	search        TEXT NOT NULL,             -- folded name and map
	host          TEXT NOT NULL,             -- account id
	map           TEXT NOT NULL,             -- JSON, lobby.MapInfo
	password_hash TEXT NOT NULL DEFAULT '',
	state         TEXT NOT NULL CHECK (state IN ('open', 'starting', 'playing', 'ended', 'closed')),
	seat_limit    BIGINT NOT NULL,
	options       TEXT NOT NULL,             -- JSON, lobby.Options
	match_id      TEXT NOT NULL DEFAULT '',
	result        TEXT NOT NULL DEFAULT '',  -- JSON, lobby.Outcomes
	start_at      BIGINT NOT NULL DEFAULT 0,
	seq           BIGINT NOT NULL DEFAULT 0, -- number of its last event
	created_at    BIGINT NOT NULL,
	touched_at    BIGINT NOT NULL
, settings_version BIGINT NOT NULL DEFAULT 1, origin TEXT NOT NULL DEFAULT '');
INSERT INTO "lobbies" VALUES(1,'lobby-1','room','room ford','account-1','{"id":"ford","name":"Ford","hash":"aa","width":64,"height":48,"starts":2}','','open',2,'{"mode":"skirmish","ruleset":"standard","ticksPerSecond":20,"seed":"0"}','match-1','',0,2,1790000000000,1790000000000,5,'{"match":"match-1","tick":400,"seconds":20,"seats":[{"slot":0,"team":0,"color":3,"account":"account-1","name":"Ada"},{"slot":1,"team":1,"color":5,"name":"Bot B","out":true}]}');
CREATE TABLE lobby_starts (
	lobby_id TEXT PRIMARY KEY REFERENCES lobbies (id) ON DELETE CASCADE,
	setup    BLOB NOT NULL
);
INSERT INTO "lobby_starts" VALUES('lobby-1','setup');
CREATE TABLE match_seats (
	match_id   TEXT NOT NULL REFERENCES matches (id),
	slot       BIGINT NOT NULL,
	account_id TEXT REFERENCES accounts (id), -- NULL for a bot
	team       BIGINT NOT NULL,
	outcome    TEXT NOT NULL DEFAULT '' CHECK (outcome IN ('', 'won', 'lost', 'drawn', 'void')), left_at BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (match_id, slot)
);
INSERT INTO "match_seats" VALUES('match-1',0,'account-1',0,'won',0);
INSERT INTO "match_seats" VALUES('match-2',1,'account-3',0,'won',0);
CREATE TABLE match_watchers (
	match_id   TEXT NOT NULL REFERENCES matches (id),
	account_id TEXT NOT NULL,
	PRIMARY KEY (match_id, account_id)
);
INSERT INTO "match_watchers" VALUES('match-1','account-2');
CREATE TABLE matches (
	num        INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of matches
	id         TEXT NOT NULL UNIQUE,
	lobby_id   TEXT NOT NULL,            -- which may be gone
	node       TEXT NOT NULL,            -- the process that runs it
	spec       TEXT NOT NULL,            -- JSON, lobby.Spec
	state      TEXT NOT NULL CHECK (state IN ('starting', 'live', 'ended', 'failed')),
	result     TEXT NOT NULL DEFAULT '', -- JSON, lobby.Outcomes
	started_at BIGINT NOT NULL,
	ended_at   BIGINT NOT NULL DEFAULT 0
, host_id TEXT NOT NULL DEFAULT '', replays TEXT NOT NULL DEFAULT '', replay_links BIGINT NOT NULL DEFAULT 0);
INSERT INTO "matches" VALUES(1,'match-1','lobby-1','local','{"match":"match-1","lobby":"lobby-1","seed":"7","participants":[{"slot":0,"bot":false,"account":"account-1","name":"Ada","team":0,"color":0}]}','ended','{"matchId":"match-1","reason":"victory","winners":[0],"ticks":900,"seats":[{"slot":0,"name":"Ada","team":0,"outcome":"won"}]}',1790000000000,1790000100000,'account-1','link',2);
INSERT INTO "matches" VALUES(2,'match-2','lobby-gone','local','{"match":"match-2","lobby":"lobby-gone","seed":"7","participants":[{"slot":1,"bot":false,"account":"account-3","name":"Cleo","team":0,"color":0}]}','ended','{"matchId":"match-2","reason":"victory","winners":[0],"ticks":900,"seats":[{"slot":1,"name":"Cleo","team":0,"outcome":"won"}]}',1790000000000,1790000100000,'','',0);
CREATE TABLE matchmaking (
	id        BIGINT PRIMARY KEY CHECK (id = 1),
	paired_at BIGINT NOT NULL -- when a process last looked who can play
);
INSERT INTO "matchmaking" VALUES(1,1790000000000);
CREATE TABLE nodes (
	name    TEXT PRIMARY KEY,
	url     TEXT NOT NULL,     -- where players reach it; empty: where they reach any node
	beats   BIGINT NOT NULL,
	seen_at BIGINT NOT NULL    -- by its own clock
);
INSERT INTO "nodes" VALUES('n1','https://n1.example.org',3,1793500000000);
CREATE TABLE offers (
	id         TEXT PRIMARY KEY,
	queue      TEXT NOT NULL,
	match_of   TEXT NOT NULL, -- JSON: map, parties of the teams, bots
	expires_at BIGINT NOT NULL
);
INSERT INTO "offers" VALUES('offer-1','1v1','{"map":"ford","teams":[["party-1"],[]],"bots":[0,1]}',1790000015000);
CREATE TABLE parties (
	id         TEXT PRIMARY KEY,
	leader     TEXT NOT NULL,
	code       TEXT NOT NULL UNIQUE,      -- of the invitation
	seq        BIGINT NOT NULL,           -- counts its changes
	queue      TEXT NOT NULL DEFAULT '',  -- in which it waits
	since      BIGINT NOT NULL DEFAULT 0, -- since when
	offer_id   TEXT NOT NULL DEFAULT '',
	lobby_id   TEXT NOT NULL DEFAULT '',  -- of the match that was found last
	out_of     TEXT NOT NULL DEFAULT ''   -- why it came out of the queue
);
INSERT INTO "parties" VALUES('party-1','account-1','code-1',3,'1v1',1790000000000,'offer-1','','');
CREATE TABLE party_members (
	account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	party_id   TEXT NOT NULL REFERENCES parties (id) ON DELETE CASCADE,
	place      BIGINT NOT NULL, -- in the order in which they came
	mean       DOUBLE PRECISION NOT NULL,
	deviation  DOUBLE PRECISION NOT NULL,
	accepted   BOOLEAN NOT NULL DEFAULT FALSE,
	seen_at    BIGINT NOT NULL
);
INSERT INTO "party_members" VALUES('account-1','party-1',0,1612.5,210.25,1,1790000000000);
CREATE TABLE places (
	key     TEXT NOT NULL,
	network TEXT NOT NULL,
	used_at BIGINT NOT NULL,
	PRIMARY KEY (key, network)
);
INSERT INTO "places" VALUES('player:ada','192.0.2.1',1790000000000);
CREATE TABLE rated_seats (
	match_id   TEXT NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
	place      BIGINT NOT NULL,
	queue      TEXT NOT NULL,
	account_id TEXT REFERENCES accounts (id) ON DELETE SET NULL,
	team       BIGINT NOT NULL,
	mean       DOUBLE PRECISION NOT NULL, -- at the beginning
	deviation  DOUBLE PRECISION NOT NULL,
	change     BIGINT NOT NULL DEFAULT 0, -- of the points
	rated_at   BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (match_id, place)
);
INSERT INTO "rated_seats" VALUES('match-1',0,'1v1','account-1',0,1600.5,215.5,12,1790000000000);
CREATE TABLE ratings (
	queue       TEXT NOT NULL,
	account_id  TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	mean        DOUBLE PRECISION NOT NULL,
	deviation   DOUBLE PRECISION NOT NULL,
	points      BIGINT NOT NULL,  -- the mean as it is shown
	provisional BOOLEAN NOT NULL, -- too little is known to list it
	won         BIGINT NOT NULL,
	lost        BIGINT NOT NULL,
	drawn       BIGINT NOT NULL,
	PRIMARY KEY (queue, account_id)
);
INSERT INTO "ratings" VALUES('1v1','account-1',1612.5,210.25,1613,0,9,3,1);
CREATE TABLE replay_redactions (
	match_id   TEXT NOT NULL REFERENCES matches (id),
	account_id TEXT NOT NULL,
	PRIMARY KEY (match_id, account_id)
);
INSERT INTO "replay_redactions" VALUES('match-1','account-2');
CREATE TABLE replay_tickets (
	hash       TEXT PRIMARY KEY, -- SHA-256 of the ticket
	match_id   TEXT NOT NULL REFERENCES matches (id),
	account_id TEXT NOT NULL,
	epoch      BIGINT NOT NULL,
	live       BOOLEAN NOT NULL, -- of a spectator, while the match ran
	link       BIGINT NOT NULL,  -- the number of the link it was given for, from 1; 0: none
	expires_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL DEFAULT 0
);
INSERT INTO "replay_tickets" VALUES('replay-ticket-hash','match-1','account-2',0,0,3,1790000200000,0);
CREATE TABLE resets (
	hash       TEXT PRIMARY KEY, -- SHA-256 of the token
	account_id TEXT NOT NULL REFERENCES accounts (id),
	by_admin   TEXT NOT NULL,
	expires_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL DEFAULT 0
);
INSERT INTO "resets" VALUES('reset-hash','account-1','root',1890000000000,0);
CREATE TABLE seats (
	lobby_id   TEXT NOT NULL REFERENCES lobbies (id) ON DELETE CASCADE,
	slot       BIGINT NOT NULL,
	kind       TEXT NOT NULL CHECK (kind IN ('player', 'bot', 'spectator')),
	account_id TEXT REFERENCES accounts (id),
	name       TEXT NOT NULL,
	team       BIGINT NOT NULL,
	color      BIGINT NOT NULL,
	ready      BOOLEAN NOT NULL, since BIGINT NOT NULL DEFAULT 0, open BOOLEAN NOT NULL DEFAULT FALSE, level TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (lobby_id, slot)
);
INSERT INTO "seats" VALUES('lobby-1',0,'player','account-1','Ada',0,0,0,0,0,'');
INSERT INTO "seats" VALUES('lobby-1',1,'bot',NULL,'Bot B',1,1,1,0,0,'medium');
CREATE TABLE service_key_secrets (
	hash       TEXT PRIMARY KEY,
	key_id     TEXT NOT NULL REFERENCES service_keys (id) ON DELETE CASCADE,
	created_at BIGINT NOT NULL,
	until_at   BIGINT NOT NULL
);
INSERT INTO "service_key_secrets" VALUES('key-hash','key-1',1790000000000,0);
CREATE TABLE service_keys (
	id         TEXT PRIMARY KEY,
	name       TEXT NOT NULL,
	issuer     TEXT NOT NULL,
	scopes     TEXT NOT NULL,
	created_by TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	revoked_at BIGINT NOT NULL DEFAULT 0,
	used_at    BIGINT NOT NULL DEFAULT 0
);
INSERT INTO "service_keys" VALUES('key-1','matchmaker','https://studio.example','matches:read matches:write','root',1790000000000,0,0,0);
CREATE TABLE service_matches (
	match_id     TEXT PRIMARY KEY REFERENCES matches (id) ON DELETE CASCADE,
	issuer       TEXT NOT NULL,
	request_key  TEXT,
	request_hash TEXT NOT NULL,
	created_at   BIGINT NOT NULL,
	UNIQUE (issuer, request_key)
);
INSERT INTO "service_matches" VALUES('match-1','https://studio.example','first','hash',1790000000000);
CREATE TABLE sessions (
	hash       TEXT PRIMARY KEY, -- SHA-256 of the token; the token itself is nowhere
	realm      TEXT NOT NULL,    -- player or admin
	subject    TEXT NOT NULL,    -- account or admin id
	address    TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
INSERT INTO "sessions" VALUES('session-hash','player','account-1','192.0.2.1','test',1790000000000,1890000000000);
CREATE TABLE tickets (
	hash       TEXT PRIMARY KEY, -- SHA-256 of the ticket
	match_id   TEXT NOT NULL REFERENCES matches (id),
	node       TEXT NOT NULL,
	account_id TEXT NOT NULL,    -- empty for a bot
	name       TEXT NOT NULL,
	slot       BIGINT NOT NULL,
	team       BIGINT NOT NULL,
	bot        BOOLEAN NOT NULL,
	spectator  BOOLEAN NOT NULL,
	delay_ms   BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL DEFAULT 0
, epoch BIGINT NOT NULL DEFAULT 0);
INSERT INTO "tickets" VALUES('ticket-hash','match-1','local','account-1','Ada',0,0,0,0,0,1790000030000,0,0);
CREATE TABLE webhook_endpoints (
	id         TEXT PRIMARY KEY,
	issuer     TEXT NOT NULL,             -- whose matches and players; empty: all
	url        TEXT NOT NULL,
	events     TEXT NOT NULL,             -- with spaces between them
	secret     TEXT NOT NULL,
	old_secret TEXT NOT NULL DEFAULT '',  -- while it is rotated
	old_until  BIGINT NOT NULL DEFAULT 0,
	created_by TEXT NOT NULL,
	created_at BIGINT NOT NULL
);
INSERT INTO "webhook_endpoints" VALUES('hook-1','https://studio.example','https://studio.example/hook','match.ended','whsec_c2VjcmV0','',0,'key:key-1',1790000000000);
CREATE TABLE webhook_events (
	num         INTEGER PRIMARY KEY AUTOINCREMENT, -- the order
	id          TEXT NOT NULL,               -- of the event, the same at every endpoint
	endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
	stream      TEXT NOT NULL,               -- one at a time and in order: a match, or an account
	kind        TEXT NOT NULL,
	body        TEXT NOT NULL,               -- JSON, as it is sent
	created_at  BIGINT NOT NULL,
	due_at      BIGINT NOT NULL,             -- of the next try
	tries       BIGINT NOT NULL DEFAULT 0,
	lease       TEXT NOT NULL DEFAULT '',    -- whoever tries now
	lease_until BIGINT NOT NULL DEFAULT 0,
	dead_at     BIGINT NOT NULL DEFAULT 0,   -- since when nobody tries any more
	failure     TEXT NOT NULL DEFAULT ''     -- of the last try
);
INSERT INTO "webhook_events" VALUES(1,'event-1','hook-1','match-1','match.ended','{}',1790000000000,1790000000000,0,'',0,0,'');
CREATE INDEX sessions_subject ON sessions (realm, subject);
CREATE INDEX sessions_expires ON sessions (expires_at);
CREATE INDEX counters_ends ON counters (ends_at);
CREATE INDEX lobbies_state ON lobbies (state, num);
CREATE UNIQUE INDEX seats_account ON seats (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX matches_state ON matches (state, num);
CREATE INDEX match_seats_account ON match_seats (account_id);
CREATE INDEX tickets_expires ON tickets (expires_at);
CREATE INDEX bans_account ON bans (account_id) WHERE account_id <> '';
CREATE INDEX bans_lo ON bans (lo) WHERE lo <> '';
CREATE INDEX audit_admin ON audit (admin, action, subject, at);
CREATE TRIGGER audit_keeps_rows BEFORE UPDATE ON audit
BEGIN
	SELECT RAISE(ABORT, 'audit is append-only');
END;
CREATE UNIQUE INDEX accounts_email ON accounts (email);
CREATE INDEX resets_account ON resets (account_id);
CREATE INDEX accounts_deleted ON accounts (id) WHERE deleted_at > 0;
CREATE INDEX places_used ON places (used_at);
CREATE INDEX events_at ON events (at);
CREATE TRIGGER audit_replaces_none BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE num = NEW.num)
BEGIN
	SELECT RAISE(ABORT, 'audit is append-only');
END;
CREATE INDEX accounts_hash_cost ON accounts (hash_cost);
CREATE INDEX events_account ON events (account_id) WHERE account_id <> '';
CREATE UNIQUE INDEX audit_link ON audit (link) WHERE link > 0;
CREATE INDEX audit_order ON audit (link, num);
CREATE TRIGGER audit_loses_none BEFORE DELETE ON audit WHEN OLD.link > (SELECT anchor_link FROM audit_chain)
BEGIN
	SELECT RAISE(ABORT, 'audit is append-only');
END;
CREATE INDEX accounts_guests ON accounts (id) WHERE guest AND deleted_at = 0;
CREATE INDEX external_identities_account ON external_identities (account_id);
CREATE INDEX service_key_secrets_key ON service_key_secrets (key_id);
CREATE INDEX service_matches_requests ON service_matches (created_at) WHERE request_key IS NOT NULL;
CREATE INDEX parties_queue ON parties (queue, since);
CREATE INDEX party_members_party ON party_members (party_id);
CREATE INDEX party_members_seen ON party_members (seen_at);
CREATE INDEX ratings_points ON ratings (queue, points DESC, account_id);
CREATE INDEX ratings_account ON ratings (account_id);
CREATE INDEX rated_seats_account ON rated_seats (account_id, queue, rated_at);
CREATE INDEX webhook_events_stream ON webhook_events (endpoint_id, stream, num) WHERE dead_at = 0;
CREATE INDEX webhook_events_due ON webhook_events (due_at) WHERE dead_at = 0;
CREATE INDEX webhook_events_dead ON webhook_events (endpoint_id, num) WHERE dead_at > 0;
CREATE INDEX matches_host ON matches (host_id);
CREATE INDEX match_watchers_account ON match_watchers (account_id);
CREATE INDEX replay_tickets_expires ON replay_tickets (expires_at);
CREATE INDEX replay_tickets_match ON replay_tickets (match_id);
CREATE INDEX lobbies_origin ON lobbies (id) WHERE origin <> '';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('goose_db_version',22);
INSERT INTO "sqlite_sequence" VALUES('lobbies',1);
INSERT INTO "sqlite_sequence" VALUES('matches',2);
INSERT INTO "sqlite_sequence" VALUES('bans',1);
INSERT INTO "sqlite_sequence" VALUES('audit',1);
INSERT INTO "sqlite_sequence" VALUES('webhook_events',1);
COMMIT;
PRAGMA foreign_keys=ON;
