UPDATE lobbies SET origin = '{"match":"match-1","tick":400,"seconds":20,"seats":[{"slot":0,"team":0,"color":3,"account":"account-1","name":"Ada"},{"slot":1,"team":1,"color":5,"name":"Bot B","out":true}]}' WHERE id = 'lobby-1';
INSERT INTO lobby_starts (lobby_id, setup) VALUES ('lobby-1', 'setup');
