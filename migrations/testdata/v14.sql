INSERT INTO account_settings (account_id, body) VALUES ('account-1', '{"volume":1}');
