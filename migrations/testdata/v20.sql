UPDATE matches SET host_id = 'account-1', replays = 'link', replay_links = 2 WHERE id = 'match-1';
INSERT INTO match_watchers (match_id, account_id) VALUES ('match-1', 'account-2');
INSERT INTO replay_tickets (hash, match_id, account_id, epoch, live, link, expires_at) VALUES ('replay-ticket-hash', 'match-1', 'account-2', 0, FALSE, 3, 1790000200000);
INSERT INTO replay_redactions (match_id, account_id) VALUES ('match-1', 'account-2');
