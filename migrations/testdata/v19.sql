INSERT INTO nodes (name, url, beats, seen_at) VALUES ('n1', 'https://n1.example.org', 3, 1793500000000);
