UPDATE matchmaking SET paired_at = 1790000000000 WHERE id = 1;
INSERT INTO parties (id, leader, code, seq, queue, since, offer_id) VALUES ('party-1', 'account-1', 'code-1', 3, '1v1', 1790000000000, 'offer-1');
INSERT INTO party_members (account_id, party_id, place, mean, deviation, accepted, seen_at) VALUES ('account-1', 'party-1', 0, 1612.5, 210.25, TRUE, 1790000000000);
INSERT INTO offers (id, queue, match_of, expires_at) VALUES ('offer-1', '1v1', '{"map":"ford","teams":[["party-1"],[]],"bots":[0,1]}', 1790000015000);
INSERT INTO ratings (queue, account_id, mean, deviation, points, provisional, won, lost, drawn) VALUES ('1v1', 'account-1', 1612.5, 210.25, 1613, FALSE, 9, 3, 1);
INSERT INTO rated_seats (match_id, place, queue, account_id, team, mean, deviation, change, rated_at) VALUES ('match-1', 0, '1v1', 'account-1', 0, 1600.5, 215.5, 12, 1790000000000);
