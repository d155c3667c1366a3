INSERT INTO service_keys (id, name, issuer, scopes, created_by, created_at, expires_at) VALUES ('key-1', 'matchmaker', 'https://studio.example', 'matches:read matches:write', 'root', 1790000000000, 0);
INSERT INTO service_key_secrets (hash, key_id, created_at, until_at) VALUES ('key-hash', 'key-1', 1790000000000, 0);
INSERT INTO service_matches (match_id, issuer, request_key, request_hash, created_at) VALUES ('match-1', 'https://studio.example', 'first', 'hash', 1790000000000);
