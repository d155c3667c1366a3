package main

import (
	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/internal/cli"
)

func main() { cli.Main(bench.Name, bench.Description, &bench.Commands{}) }
