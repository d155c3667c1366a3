using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Fogkeep
{
    using Obj = Dictionary<string, object>;

    /// <summary>
    /// Calls the lobby's HTTP API (docs/reference/lobby.md; /api/docs of a running server). A log-in keeps its token, which the
    /// next calls send. A refusal is a <see cref="FogkeepException"/> with the server's code. Nothing is retried.
    /// </summary>
    public sealed class LobbyClient : IDisposable
    {
        private const int AnswerBytesMax = 8 << 20;

        private readonly HttpClient http;
        private readonly Uri server;

        /// <summary>The server's address for players, such as http://127.0.0.1:8080.</summary>
        public LobbyClient(Uri server)
        {
            this.server = new Uri(server.AbsoluteUri.TrimEnd('/') + "/");
            http = new HttpClient(new HttpClientHandler { UseCookies = false, AllowAutoRedirect = false })
            {
                Timeout = TimeSpan.FromSeconds(30), MaxResponseContentBufferSize = AnswerBytesMax,
            };
        }

        /// <summary>The token of a log-in; sent if it is not empty.</summary>
        public string Token { get; set; } = "";

        public void Dispose() { http.Dispose(); }

        /// <summary>Makes a guest account and logs in as it. The server names it if name is empty.</summary>
        public Task<Account> GuestAsync(string name = "", CancellationToken cancel = default(CancellationToken))
        {
            var body = new Obj { { "bearer", true } };
            if (name != "") body["name"] = name;
            return LogIn("/api/guest", body, cancel);
        }

        /// <summary>Makes an account and logs in as it.</summary>
        public Task<Account> RegisterAsync(string name, string password, CancellationToken cancel = default(CancellationToken))
        {
            return LogIn("/api/register", new Obj { { "name", name }, { "password", password }, { "bearer", true } }, cancel);
        }

        public Task<Account> LogInAsync(string name, string password, CancellationToken cancel = default(CancellationToken))
        {
            return LogIn("/api/login", new Obj { { "name", name }, { "password", password }, { "bearer", true } }, cancel);
        }

        /// <summary>
        /// Logs in by a token of an identity provider that the server knows (docs/build/log-in-with-your-own-accounts.md), such as a studio's own JWT. A
        /// guest who is logged in becomes an account.
        /// </summary>
        public Task<Account> LogInByTokenAsync(string provider, string token, CancellationToken cancel = default(CancellationToken))
        {
            return LogIn("/api/identity/" + Uri.EscapeDataString(provider) + "/token", new Obj { { "token", token }, { "bearer", true } }, cancel);
        }

        /// <summary>The ids of the maps that lobbies may choose.</summary>
        public async Task<List<string>> MapsAsync(CancellationToken cancel = default(CancellationToken))
        {
            var ids = new List<string>();
            foreach (object m in Body.List(await CallAsync("GET", "/api/maps", null, cancel).ConfigureAwait(false), "maps")) ids.Add(Body.Text(m, "id"));
            return ids;
        }

        /// <summary>The newest lobbies whose name or map's name has the text.</summary>
        public async Task<List<Lobby>> LobbiesAsync(string text = "", CancellationToken cancel = default(CancellationToken))
        {
            var all = new List<Lobby>();
            object answer = await CallAsync("GET", "/api/lobbies?q=" + Uri.EscapeDataString(text), null, cancel).ConfigureAwait(false);
            foreach (object l in Body.List(answer, "lobbies")) all.Add(new Lobby(l));
            return all;
        }

        /// <summary>Makes a lobby. Options are those that differ from the default; bots are seated from the beginning.</summary>
        public Task<Lobby> CreateAsync(string name, string map, int bots = 0, Dictionary<string, object> options = null, string password = "", CancellationToken cancel = default(CancellationToken))
        {
            var body = new Obj { { "name", name }, { "map", map } };
            if (bots > 0) body["bots"] = bots;
            if (options != null) body["options"] = options;
            if (password != "") body["password"] = password;
            return LobbyOf("POST", "/api/lobbies", body, cancel);
        }

        /// <summary>Makes a lobby against one bot of a level, or of a level and a style, such as hard:rush, and starts its match.</summary>
        public Task<Lobby> PlayBotAsync(string map = "", string level = "", CancellationToken cancel = default(CancellationToken))
        {
            var body = new Obj();
            if (map != "") body["map"] = map;
            if (level != "") body["level"] = level;
            return LobbyOf("POST", "/api/play/bot", body, cancel);
        }

        public Task<Lobby> LobbyAsync(string id, CancellationToken cancel = default(CancellationToken)) { return LobbyOf("GET", Path(id), null, cancel); }

        /// <summary>Takes a seat: of a player, or of a spectator.</summary>
        public Task<Lobby> JoinAsync(string id, string password = "", bool spectate = false, CancellationToken cancel = default(CancellationToken))
        {
            var body = new Obj { { "spectate", spectate }, { "protocol", Limits.Protocol } };
            if (password != "") body["password"] = password;
            return LobbyOf("POST", Path(id) + "/join", body, cancel);
        }

        /// <summary>Says ready to the settings of the lobby as it is given.</summary>
        public Task<Lobby> ReadyAsync(Lobby lobby, CancellationToken cancel = default(CancellationToken))
        {
            return LobbyOf("PATCH", Path(lobby.Id) + "/seat", new Obj { { "ready", true }, { "settingsVersion", lobby.SettingsVersion } }, cancel);
        }

        /// <summary>Chooses a team. Of a spectator: whose eyes it looks with, -1 for all.</summary>
        public Task<Lobby> ChooseTeamAsync(string id, int team, CancellationToken cancel = default(CancellationToken))
        {
            return LobbyOf("PATCH", Path(id) + "/seat", new Obj { { "team", team } }, cancel);
        }

        /// <summary>Seats a bot, as the host.</summary>
        public Task<Lobby> AddBotAsync(string id, string level = "medium", CancellationToken cancel = default(CancellationToken))
        {
            return LobbyOf("POST", Path(id) + "/bots", new Obj { { "level", level } }, cancel);
        }

        /// <summary>Starts the countdown or, without one, the match, as the host.</summary>
        public Task<Lobby> StartAsync(string id, CancellationToken cancel = default(CancellationToken)) { return LobbyOf("POST", Path(id) + "/start", null, cancel); }

        /// <summary>Gives the seat up, also in the running match.</summary>
        public Task<Lobby> LeaveAsync(string id, CancellationToken cancel = default(CancellationToken)) { return LobbyOf("POST", Path(id) + "/leave", null, cancel); }

        /// <summary>A ticket for the seat in the running match: it is valid for 30 seconds, once.</summary>
        public async Task<string> TicketAsync(string id, CancellationToken cancel = default(CancellationToken))
        {
            return (await SeatTicketAsync(id, cancel).ConfigureAwait(false)).Ticket;
        }

        /// <summary>A ticket with the server that has the match.</summary>
        public async Task<SeatTicket> SeatTicketAsync(string id, CancellationToken cancel = default(CancellationToken))
        {
            object answer = await CallAsync("POST", Path(id) + "/ticket", new Obj(), cancel).ConfigureAwait(false);
            return new SeatTicket { Ticket = Body.Text(answer, "ticket"), At = Body.Find(answer, "url") as string ?? "" };
        }

        /// <summary>Waits until the match runs, and returns a ticket for it.</summary>
        public async Task<string> AwaitTicketAsync(string id, CancellationToken cancel = default(CancellationToken))
        {
            return (await AwaitSeatTicketAsync(id, cancel).ConfigureAwait(false)).Ticket;
        }

        /// <summary>Waits until the match runs, and returns a ticket with the server that has it.</summary>
        public async Task<SeatTicket> AwaitSeatTicketAsync(string id, CancellationToken cancel = default(CancellationToken))
        {
            for (; ; )
            {
                var lobby = await LobbyAsync(id, cancel).ConfigureAwait(false);
                if (lobby.State == "ended" || lobby.State == "closed") throw new FogkeepException("wrong_state", "the lobby ended without a match");
                if (lobby.State == "playing") return await SeatTicketAsync(id, cancel).ConfigureAwait(false);
                await Task.Delay(300, cancel).ConfigureAwait(false);
            }
        }

        /// <summary>The ids of the queues that players can wait in.</summary>
        public async Task<List<string>> QueuesAsync(CancellationToken cancel = default(CancellationToken))
        {
            var ids = new List<string>();
            foreach (object q in Body.List(await CallAsync("GET", "/api/queues", null, cancel).ConfigureAwait(false), "queues")) ids.Add(Body.Text(q, "id"));
            return ids;
        }

        /// <summary>Where the account stands: its party, its queue, a match to accept. Asking keeps the place in the queue.</summary>
        public Task<Standing> StandingAsync(CancellationToken cancel = default(CancellationToken)) { return StandingOf("GET", "/api/queue", null, cancel); }

        /// <summary>Waits in a queue with the account's party, as its leader; an account without one gets one.</summary>
        public Task<Standing> JoinQueueAsync(string queue, CancellationToken cancel = default(CancellationToken))
        {
            return StandingOf("POST", "/api/queue", new Obj { { "queue", queue } }, cancel);
        }

        /// <summary>Waits no longer. During an offer that is a refusal of it.</summary>
        public Task<Standing> LeaveQueueAsync(CancellationToken cancel = default(CancellationToken)) { return StandingOf("DELETE", "/api/queue", null, cancel); }

        /// <summary>Accepts the match that was found, or does not.</summary>
        public Task<Standing> AnswerOfferAsync(string offer, bool accept, CancellationToken cancel = default(CancellationToken))
        {
            return StandingOf("POST", "/api/queue/answer", new Obj { { "offer", offer }, { "accept", accept } }, cancel);
        }

        /// <summary>Makes a party that others join by its code. An account keeps the one that it is in.</summary>
        public Task<Standing> MakePartyAsync(CancellationToken cancel = default(CancellationToken)) { return StandingOf("POST", "/api/party", null, cancel); }

        /// <summary>Joins the party of an invitation, and leaves the one before.</summary>
        public Task<Standing> JoinPartyAsync(string code, CancellationToken cancel = default(CancellationToken))
        {
            return StandingOf("POST", "/api/party/join", new Obj { { "code", code } }, cancel);
        }

        /// <summary>Leaves the party.</summary>
        public Task<Standing> LeavePartyAsync(CancellationToken cancel = default(CancellationToken)) { return StandingOf("POST", "/api/party/leave", null, cancel); }

        /// <summary>Takes another account out of the party, as its leader.</summary>
        public Task<Standing> RemoveMemberAsync(string account, CancellationToken cancel = default(CancellationToken))
        {
            return StandingOf("DELETE", "/api/party/members/" + Uri.EscapeDataString(account), null, cancel);
        }

        /// <summary>What may be known of a match's replay, also why it cannot be watched now. The key is that of the link, if it has one.</summary>
        public async Task<ReplayFacts> ReplayFactsAsync(string match, string key = "", CancellationToken cancel = default(CancellationToken))
        {
            return new ReplayFacts(await CallAsync("GET", ReplayPath(match), null, cancel, key).ConfigureAwait(false));
        }

        /// <summary>A ticket for the replay of a match, with the server that has it: it is valid for 30 seconds, once.</summary>
        public async Task<SeatTicket> ReplayTicketAsync(string match, string key = "", CancellationToken cancel = default(CancellationToken))
        {
            var body = new Obj { { "protocol", Limits.Protocol } };
            if (key != "") body["key"] = key;
            object answer = await CallAsync("POST", ReplayPath(match) + "/tickets", body, cancel).ConfigureAwait(false);
            return new SeatTicket { Ticket = Body.Text(answer, "ticket"), At = Body.Find(answer, "url") as string ?? "" };
        }

        /// <summary>
        /// Opens the replay of a match that is over: of one that this account took part in, or by the key of a link. A
        /// spectator's match is shown while it runs too, up to the delay. Server, Ticket and At of the options are set here.
        /// </summary>
        public async Task<Replay> OpenReplayAsync(string match, ReplayOptions options = null, string key = "", CancellationToken cancel = default(CancellationToken))
        {
            var ticket = await ReplayTicketAsync(match, key, cancel).ConfigureAwait(false);
            options = options ?? new ReplayOptions();
            options.Server = server;
            options.Ticket = ticket.Ticket;
            options.At = ticket.At;
            return new Replay(options);
        }

        /// <summary>The bytes of a map, by its hash. Maps are public.</summary>
        public async Task<byte[]> MapAsync(string hash, CancellationToken cancel = default(CancellationToken))
        {
            using (var answer = await Ask("GET", "/maps/" + Uri.EscapeDataString(hash), null, "", cancel).ConfigureAwait(false))
                return await answer.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
        }

        /// <summary>The assets and texts of a pack, by the pack's hash in the welcome. Packs are public.</summary>
        public async Task<Pack> PackAsync(string hash, CancellationToken cancel = default(CancellationToken))
        {
            return new Pack(await CallAsync("GET", "/packs/" + Uri.EscapeDataString(hash), null, cancel).ConfigureAwait(false));
        }

        /// <summary>A file of a pack, by its hash in <see cref="Pack"/>. Bytes with another hash are refused.</summary>
        public async Task<byte[]> PackFileAsync(string hash, CancellationToken cancel = default(CancellationToken))
        {
            using (var answer = await Ask("GET", "/packs/" + Uri.EscapeDataString(hash), null, "", cancel).ConfigureAwait(false))
            {
                byte[] file = await answer.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
                if (Pack.HashOf(file) != hash) throw new FogkeepException(ErrorCodes.BadAnswer, "the file of the pack has another hash than " + hash);
                return file;
            }
        }

        /// <summary>
        /// Makes any call of the API: sends body as JSON unless it is null, and returns the answer as <see cref="Json"/>
        /// reads it; null if there is none.
        /// </summary>
        public Task<object> CallAsync(string method, string path, object body, CancellationToken cancel = default(CancellationToken))
        {
            return CallAsync(method, path, body, cancel, "");
        }

        private async Task<object> CallAsync(string method, string path, object body, CancellationToken cancel, string key)
        {
            using (var answer = await Ask(method, path, body, key, cancel).ConfigureAwait(false))
            {
                string text = await answer.Content.ReadAsStringAsync().ConfigureAwait(false);
                return text == "" ? null : Json.Read(text);
            }
        }

        private async Task<HttpResponseMessage> Ask(string method, string path, object body, string key, CancellationToken cancel)
        {
            var request = new HttpRequestMessage(new HttpMethod(method), new Uri(server, path.TrimStart('/')));
            if (Token != "") request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", Token);
            if (key != "") request.Headers.Add("Replay-Key", key);
            if (body != null) request.Content = new StringContent(Json.Write(body), Encoding.UTF8, "application/json");
            HttpResponseMessage answer;
            try
            {
                answer = await http.SendAsync(request, cancel).ConfigureAwait(false);
            }
            catch (Exception err) when (!cancel.IsCancellationRequested)
            {
                throw new FogkeepException(ErrorCodes.Unreachable, method + " " + path + ": " + err.Message, true, err);
            }
            if (answer.IsSuccessStatusCode) return answer;
            using (answer) throw await Refusal(method + " " + path, answer).ConfigureAwait(false);
        }

        private static async Task<FogkeepException> Refusal(string call, HttpResponseMessage answer)
        {
            object problem = null;
            try
            {
                problem = Json.Read(await answer.Content.ReadAsStringAsync().ConfigureAwait(false));
            }
            catch (FogkeepException) { } // a proxy's answer has no code, and is told by its status
            int status = (int)answer.StatusCode;
            string code = Body.Find(problem, "code") as string ?? "http_" + status;
            string detail = Body.Find(problem, "detail") as string ?? answer.ReasonPhrase;
            var after = answer.Headers.RetryAfter != null && answer.Headers.RetryAfter.Delta != null ? answer.Headers.RetryAfter.Delta.Value : TimeSpan.Zero;
            return new FogkeepException(code, call + ": " + detail, status >= 500 || status == 429, null, status, after);
        }

        private async Task<Account> LogIn(string path, Obj body, CancellationToken cancel)
        {
            object answer = await CallAsync("POST", path, body, cancel).ConfigureAwait(false);
            Token = Body.Text(answer, "token");
            return new Account(Body.Find(answer, "account"));
        }

        private async Task<Lobby> LobbyOf(string method, string path, object body, CancellationToken cancel)
        {
            return new Lobby(await CallAsync(method, path, body, cancel).ConfigureAwait(false));
        }

        private async Task<Standing> StandingOf(string method, string path, object body, CancellationToken cancel)
        {
            return new Standing(await CallAsync(method, path, body, cancel).ConfigureAwait(false));
        }

        private static string ReplayPath(string match) { return "/api/replays/" + Uri.EscapeDataString(match); }

        private static string Path(string id) { return "/api/lobbies/" + Uri.EscapeDataString(id); }
    }

    /// <summary>An account.</summary>
    public sealed class Account
    {
        public string Id { get; }
        public string Name { get; }

        internal Account(object answer)
        {
            Id = Body.Text(answer, "id");
            Name = Body.Text(answer, "name");
        }
    }

    /// <summary>Where an account stands in matchmaking.</summary>
    public sealed class Standing
    {
        /// <summary>The code by which others join the party; empty: the account is in none.</summary>
        public string PartyCode { get; }
        /// <summary>The queue in which the party waits; empty: in none.</summary>
        public string Queue { get; }
        /// <summary>A match that was found, to be accepted or not; empty: none.</summary>
        public string Offer { get; }
        /// <summary>The lobby of the match that was found for the party last: a ticket is to be had there. Empty: none yet.</summary>
        public string Lobby { get; }
        /// <summary>The ids of the party's accounts.</summary>
        public IReadOnlyList<string> Members { get; }
        /// <summary>The whole answer, as <see cref="Json"/> reads it.</summary>
        public IReadOnlyDictionary<string, object> All { get; }

        internal Standing(object answer)
        {
            object party = Body.Find(answer, "party");
            PartyCode = Body.Find(party, "code") as string ?? "";
            Queue = Body.Find(party, "queue") as string ?? "";
            Lobby = Body.Find(party, "lobby") as string ?? "";
            Offer = Body.Find(Body.Find(answer, "offer"), "id") as string ?? "";
            var members = new List<string>();
            if (party != null) foreach (object m in Body.List(party, "members")) members.Add(Body.Text(Body.Find(m, "account"), "id"));
            Members = members;
            All = (Obj)answer;
        }
    }

    /// <summary>What a <see cref="Match"/> takes for a seat.</summary>
    public sealed class SeatTicket
    {
        public string Ticket { get; internal set; }
        /// <summary>The server that has the match; empty: where the lobby is, or as it says then.</summary>
        public string At { get; internal set; }
    }

    /// <summary>What may be known of a match's replay.</summary>
    public sealed class ReplayFacts
    {
        public string MatchId { get; }
        /// <summary>Why it cannot be watched now: off, not_over, expired or other_version; empty: it can.</summary>
        public string Unavailable { get; }
        /// <summary>The match runs, and the account is a spectator of it: it can be watched up to the delay.</summary>
        public bool Live { get; }
        /// <summary>Of the link; empty: there is none, or it is not told.</summary>
        public string Key { get; }
        /// <summary>The whole answer, as <see cref="Json"/> reads it.</summary>
        public IReadOnlyDictionary<string, object> All { get; }

        internal ReplayFacts(object answer)
        {
            MatchId = Body.Text(answer, "matchId");
            Unavailable = Body.Text(answer, "unavailable");
            Live = Body.Find(answer, "live") != null;
            Key = Body.Find(answer, "key") as string ?? "";
            All = (Obj)answer;
        }
    }

    /// <summary>A lobby, as the server answered.</summary>
    public sealed class Lobby
    {
        public string Id { get; }
        public string Name { get; }
        /// <summary>open, starting, playing, ended or closed.</summary>
        public string State { get; }
        /// <summary>Counts changes of the settings: ready names the one that it agrees to.</summary>
        public long SettingsVersion { get; }
        /// <summary>The whole answer, as <see cref="Json"/> reads it.</summary>
        public IReadOnlyDictionary<string, object> All { get; }

        internal Lobby(object answer)
        {
            Id = Body.Text(answer, "id");
            Name = Body.Text(answer, "name");
            State = Body.Text(answer, "state");
            object version = Body.Find(answer, "settingsVersion");
            SettingsVersion = version is double ? (long)(double)version : 0;
            All = (Obj)answer;
        }
    }

    /// <summary>Reads members of a JSON answer.</summary>
    internal static class Body
    {
        public static object Find(object answer, string name)
        {
            object v = null;
            var all = answer as Obj;
            if (all != null) all.TryGetValue(name, out v);
            return v;
        }

        public static string Text(object answer, string name)
        {
            string s = Find(answer, name) as string;
            if (s == null) throw new FogkeepException(ErrorCodes.BadAnswer, "the answer has no " + name);
            return s;
        }

        public static List<object> List(object answer, string name)
        {
            var l = Find(answer, name) as List<object>;
            if (l == null) throw new FogkeepException(ErrorCodes.BadAnswer, "the answer has no " + name);
            return l;
        }
    }
}
