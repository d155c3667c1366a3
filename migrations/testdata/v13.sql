UPDATE seats SET level = 'medium' WHERE kind = 'bot';
