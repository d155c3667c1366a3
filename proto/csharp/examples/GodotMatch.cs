// Plays a match in Godot 4: a scene for each entity in sight.
using System;
using System.Collections.Generic;
using System.Linq;
using Fogkeep;
using Godot;

public partial class GodotMatch : Node3D
{
    [Export] public string Server = "http://127.0.0.1:8080";
    [Export] public PackedScene Scene;

    private readonly Dictionary<uint, Node3D> shown = new Dictionary<uint, Node3D>();
    private LobbyClient lobby;
    private Match match;
    private bool gone;

    public override async void _Ready()
    {
        try
        {
            var server = new Uri(Server);
            lobby = new LobbyClient(server);
            await lobby.GuestAsync();
            var made = await lobby.PlayBotAsync();
            string ticket = await lobby.AwaitTicketAsync(made.Id);
            if (!gone) match = new Match(new MatchOptions { Server = server, Ticket = ticket });
        }
        catch (FogkeepException err)
        {
            GD.PushError(err.Code + ": " + err.Message);
        }
    }

    public override void _Process(double delta)
    {
        if (match == null) return;
        match.Update();
        if (match.State.Replica == null) return; // no welcome yet
        var entities = match.State.Replica.Entities;
        foreach (uint handle in shown.Keys.Where(h => !entities.ContainsKey(h)).ToList())
        {
            shown[handle].QueueFree();
            shown.Remove(handle);
        }
        match.Draw();
        foreach (var e in entities.Values)
        {
            Node3D thing;
            if (!shown.TryGetValue(e.Handle, out thing))
            {
                shown[e.Handle] = thing = Scene.Instantiate<Node3D>();
                AddChild(thing);
            }
            thing.Position = new Vector3((float)(e.DrawnX / Course.TileUnits), 0, (float)(e.DrawnY / Course.TileUnits)); // north is -z
            thing.Rotation = new Vector3(0, (float)(-Math.PI / 2 - e.DrawnAngle), 0);
        }
    }

    public override void _ExitTree()
    {
        gone = true;
        if (match != null) match.Dispose();
        if (lobby != null) lobby.Dispose();
    }
}
