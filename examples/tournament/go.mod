module example.org/tournament

go 1.26.0

replace github.com/fogkeep/fogkeep => ../..
