INSERT INTO resets (hash, account_id, by_admin, expires_at) VALUES ('reset-hash', 'account-1', 'root', 1890000000000);
