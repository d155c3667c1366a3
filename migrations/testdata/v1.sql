INSERT INTO accounts (id, name, name_key, guest, password_hash, created_at) VALUES ('account-1', 'Ada', 'ada', FALSE, '$argon2id$v=19$m=64,t=1,p=1$c2FsdA$aGFzaA', 1790000000000);
INSERT INTO accounts (id, name, name_key, guest, created_at) VALUES ('account-2', 'Bob 1234', 'bob 1234', TRUE, 1790000000001);
INSERT INTO sessions (hash, realm, subject, address, user_agent, created_at, expires_at) VALUES ('session-hash', 'player', 'account-1', '192.0.2.1', 'test', 1790000000000, 1890000000000);
INSERT INTO counters (key, value, ends_at) VALUES ('login:net:192.0.2.1', 3, 1890000000000);
INSERT INTO places (key, network, used_at) VALUES ('player:ada', '192.0.2.1', 1790000000000);
