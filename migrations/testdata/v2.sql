INSERT INTO lobbies (id, name, search, host, map, state, seat_limit, options, match_id, seq, created_at, touched_at) VALUES ('lobby-1', 'room', 'room ford', 'account-1', '{"id":"ford","name":"Ford","hash":"aa","width":64,"height":48,"starts":2}', 'open', 2, '{"mode":"skirmish","ruleset":"standard","ticksPerSecond":20,"seed":"0"}', 'match-1', 1, 1790000000000, 1790000000000);
INSERT INTO seats (lobby_id, slot, kind, account_id, name, team, color, ready) VALUES ('lobby-1', 0, 'player', 'account-1', 'Ada', 0, 0, FALSE);
INSERT INTO seats (lobby_id, slot, kind, account_id, name, team, color, ready) VALUES ('lobby-1', 1, 'bot', NULL, 'Bot B', 1, 1, TRUE);
INSERT INTO events (lobby_id, seq, kind, body, at) VALUES ('lobby-1', 1, 'lobby', '', 1790000000000);
