UPDATE lobbies SET settings_version = 5 WHERE id = 'lobby-1'
