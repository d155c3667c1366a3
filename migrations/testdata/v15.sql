INSERT INTO external_identities (issuer, subject, account_id, created_at, used_at) VALUES ('https://id.example.org', 'ada-1', 'account-1', 1790000000000, 1790000001000);
