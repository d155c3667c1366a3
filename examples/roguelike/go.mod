module example.org/roguelike

go 1.26.0

require github.com/fogkeep/fogkeep v0.0.0

replace github.com/fogkeep/fogkeep => ../..
