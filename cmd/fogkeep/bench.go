package main

// benchCmd measures parts of fogkeep on this machine.
type benchCmd struct {
	Lobby  benchLobbyCmd  `cmd:"" help:"Let guests in: log-in, lobby, ticket, socket, on both stores."`
	Sim    benchSimCmd    `cmd:"" help:"Fight a battle in the simulation alone."`
	Vision benchVisionCmd `cmd:"" help:"Move a crowd over the visibility engine and its baselines."`
}
