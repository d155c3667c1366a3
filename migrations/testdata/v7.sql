INSERT INTO accounts (id, name, name_key, guest, password_hash, hash_cost, created_at) VALUES ('account-7', 'Grace', 'grace', FALSE, '$argon2id$v=19$m=128,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2U', 'm=128,t=2,p=1', 1790000000000);
INSERT INTO events (lobby_id, seq, kind, account_id, body, at) VALUES ('lobby-1', 2, 'kicked', 'account-2', '{"account":"account-2","reason":"rude"}', 1790000000000);
UPDATE lobbies SET seq = 2 WHERE id = 'lobby-1'
