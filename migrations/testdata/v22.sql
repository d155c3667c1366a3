UPDATE lobbies SET waiting = '{"why":"build 1 began match match-1","until":"2026-11-26T12:00:00Z"}' WHERE id = 'lobby-1';
