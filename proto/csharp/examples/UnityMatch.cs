// Plays a match in Unity: a game object for each entity in sight.
using System;
using System.Collections.Generic;
using System.Linq;
using Fogkeep;
using UnityEngine;

public sealed class UnityMatch : MonoBehaviour
{
    public string Server = "http://127.0.0.1:8080";
    public GameObject Prefab;

    private readonly Dictionary<uint, GameObject> shown = new Dictionary<uint, GameObject>();
    private LobbyClient lobby;
    private Match match;
    private bool gone;

    private async void Start()
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
            Debug.LogError(err.Code + ": " + err.Message);
        }
    }

    private void Update()
    {
        if (match == null) return;
        match.Update();
        if (match.State.Replica == null) return; // no welcome yet
        var entities = match.State.Replica.Entities;
        foreach (uint handle in shown.Keys.Where(h => !entities.ContainsKey(h)).ToList())
        {
            Destroy(shown[handle]);
            shown.Remove(handle);
        }
        match.Draw();
        foreach (var e in entities.Values)
        {
            GameObject thing;
            if (!shown.TryGetValue(e.Handle, out thing)) shown[e.Handle] = thing = Instantiate(Prefab);
            thing.transform.position = new Vector3((float)(e.DrawnX / Course.TileUnits), 0, (float)(-e.DrawnY / Course.TileUnits)); // north is +z
            thing.transform.rotation = Quaternion.Euler(0, 90 + (float)(e.DrawnAngle * 180 / Math.PI), 0);
        }
    }

    private void OnDestroy()
    {
        gone = true;
        if (match != null) match.Dispose();
        if (lobby != null) lobby.Dispose();
    }
}
