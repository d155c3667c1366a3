module example.org/tournament

go 1.26.0
