UPDATE house SET bans = 1;
INSERT INTO bans (prefix, lo, hi, reason, by_admin, created_at) VALUES ('198.51.100.0/24', '00000000000000000000ffffc6336400', '00000000000000000000ffffc63364ff', 'flood', 'root', 1790000000000);
INSERT INTO admins (id, name, name_key, password_hash, role, fog, created_at) VALUES ('admin-1', 'root', 'root', '$argon2id$v=19$m=64,t=1,p=1$c2FsdA$aGFzaA', 'admin', TRUE, 1790000000000);
INSERT INTO audit (at, admin, action, subject, detail, address) VALUES (1790000000000, 'root', 'ban.add', '198.51.100.0/24', 'flood', '192.0.2.1');
