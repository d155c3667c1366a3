// Plays against a bot: sends a unit somewhere, prints the answer and what comes into sight.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Fogkeep;
using Fogkeep.Wire;

public static class FirstClient
{
    public static async Task Play(string address)
    {
        var server = new Uri(address);
        using (var lobby = new LobbyClient(server))
        {
            await lobby.GuestAsync("Grace");
            var made = await lobby.PlayBotAsync();
            string ticket = await lobby.AwaitTicketAsync(made.Id);
            using (var match = new Match(new MatchOptions { Server = server, Ticket = ticket }))
            {
                match.FrameApplied += frame =>
                {
                    foreach (uint handle in frame.Entered()) Console.WriteLine("in sight: " + match.TypeOf(match.State.Replica.Entities[handle].Type).Name);
                };
                Sent order = null;
                while (match.Status != MatchStatus.Closed && (order == null || order.Reply == null))
                {
                    match.Update(); // a game does this once for each picture
                    if (order == null && match.State.Tick > 0)
                    {
                        var unit = match.Own(TypeClass.Unit).First();
                        int x, y;
                        unit.PlaceAt(match.State.Tick, out x, out y);
                        order = match.Send(Give.Move(new[] { unit.Handle }, x + 4096, y));
                    }
                    Thread.Sleep(10);
                }
                Console.WriteLine(match.Error != null ? match.Error.Message : "the order was answered " + order.Reply.Code);
            }
            await lobby.LeaveAsync(made.Id);
        }
    }
}
