using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Fogkeep.Wire;

namespace Fogkeep.Tests
{
    /// <summary>
    /// A match against a bot on a server of its own (FOGKEEP_BIN): what a player of this library does and sees.
    /// </summary>
    public static class LiveTests
    {
        private static void Unwrap(Action call)
        {
            try
            {
                call();
            }
            catch (AggregateException err)
            {
                throw err.InnerException;
            }
        }

        /// <summary>
        /// The README lists each call of these classes, and no other, each with an example, which scripts/csharp.sh compiles. The
        /// calls of Give are made from the table of order kinds: the README has examples, docs/reference/protocol.md lists all kinds.
        /// </summary>
        public static void TheListOfCallsIsComplete()
        {
            string page = Runner.Text("proto/csharp/README.md");
            foreach (var type in new[] { typeof(LobbyClient), typeof(Match), typeof(Prediction), typeof(PredictedShots), typeof(Drawing), typeof(Replay), typeof(Timeline) })
            {
                var made = type.GetMethods().Where(m => m.DeclaringType == type && !m.IsSpecialName).Select(m => m.Name).Distinct().OrderBy(n => n, StringComparer.Ordinal);
                string table = page.Substring(page.IndexOf("### " + type.Name + "\n", StringComparison.Ordinal)).Split(new[] { "\n#" }, 3, StringSplitOptions.None)[0];
                var said = Regex.Matches(table, @"^\| `(\w+)` \| [^|]+ \| `.*\b\1\(.*` \|$", RegexOptions.Multiline).Cast<System.Text.RegularExpressions.Match>().Select(m => m.Groups[1].Value).OrderBy(n => n, StringComparer.Ordinal);
                Check.Equal(string.Join(" ", said), string.Join(" ", made), "the calls of the README of " + type.Name);
            }
        }

        /// <summary>Two accounts make a party and leave it, wait in a queue, accept the match, and have a ticket for it.</summary>
        public static void AQueueFindsAMatch()
        {
            using (var server = new Server())
            using (LobbyClient one = new LobbyClient(server.Url), two = new LobbyClient(server.Url))
            {
                one.GuestAsync().Wait();
                two.GuestAsync().Wait();
                var party = one.MakePartyAsync().Result;
                var joined = two.JoinPartyAsync(party.PartyCode).Result;
                Check.Equal(joined.Members.Count + " " + joined.PartyCode, "2 " + party.PartyCode, "the party");
                Check.Equal(one.RemoveMemberAsync(joined.Members[1]).Result.Members.Count, 1, "the members after a removal");
                Check.Equal(two.JoinPartyAsync(party.PartyCode).Result.Members.Count, 2, "the members again");
                Check.Equal(two.LeavePartyAsync().Result.PartyCode, "", "the party after leaving it");
                Check.That(one.QueuesAsync().Result.Contains("1v1"), "the shipped queue is in no list");
                Check.Equal(one.JoinQueueAsync("1v1").Result.Queue, "1v1", "the queue");
                Check.Equal(one.LeaveQueueAsync().Result.Queue, "", "the queue after leaving it");
                var until = DateTime.UtcNow.AddSeconds(60);
                one.JoinQueueAsync("1v1").Wait();
                two.JoinQueueAsync("1v1").Wait();
                var lobbies = new HashSet<string>();
                var answered = new HashSet<string>();
                while (lobbies.Count == 0 || answered.Count < 2)
                {
                    Check.That(DateTime.UtcNow < until, "no match was found");
                    foreach (var who in new[] { one, two })
                    {
                        var now = who.StandingAsync().Result;
                        if (now.Offer != "" && answered.Add(who.Token)) now = who.AnswerOfferAsync(now.Offer, true).Result;
                        if (now.Lobby != "") lobbies.Add(now.Lobby);
                    }
                    Thread.Sleep(50);
                }
                Check.That(one.AwaitTicketAsync(lobbies.Single()).Result != "", "there is no ticket");
            }
        }

        private static void ThePackIsLoaded(LobbyClient lobby, string hash)
        {
            var pack = lobby.PackAsync(hash).Result;
            Check.Equal(pack.Name + " " + pack.Title + " " + pack.Version + " " + pack.Licence, "frost Frostfall 1.0.0 CC0-1.0", "the pack");
            Check.Equal(pack.Texts["de"]["type.golem"], "Eisgolem", "a text");
            byte[] icon = lobby.PackFileAsync(pack.Types["golem"]["icon"]).Result;
            Check.That(icon.Skip(1).Take(3).SequenceEqual(new[] { (byte)'P', (byte)'N', (byte)'G' }), "the icon is no PNG");
            Check.That(lobby.PackFileAsync(pack.Weapons["frost-breath"]["shot"]).Result.Length > 44, "the shot is no WAV");
            Check.Equal(Check.Throws("http_404", () => Unwrap(() => lobby.PackFileAsync(new string('0', 64)).Wait())).Status, 404, "the status of a hash of no file");
            // The index is served by the hash of the pack, which is not that of its bytes.
            Check.Throws(ErrorCodes.BadAnswer, () => Unwrap(() => lobby.PackFileAsync(hash).Wait()));
        }

        /// <summary>A lobby of two people and a spectator, from its making to a line of chat in the match; and what is refused on the way.</summary>
        public static void ALobbyOfTwoPlays()
        {
            using (var server = new Server("match/pack/testdata/frost"))
            using (LobbyClient host = new LobbyClient(server.Url), guest = new LobbyClient(server.Url), watcher = new LobbyClient(server.Url))
            {
                Check.Equal(Check.Throws("unauthenticated", () => Unwrap(() => host.PlayBotAsync().Wait())).Status, 401, "the status of a call without a log-in");
                host.RegisterAsync("Hedy", "a long enough one").Wait();
                host.Token = "";
                host.LogInAsync("Hedy", "a long enough one").Wait();
                Check.Throws("wrong_credentials", () => Unwrap(() => guest.LogInAsync("Hedy", "another long one").Wait()));
                Check.Throws("not_found", () => Unwrap(() => guest.LogInByTokenAsync("nobody", "x").Wait()));
                guest.GuestAsync().Wait();
                watcher.GuestAsync().Wait();
                ThePackIsLoaded(guest, server.Pack);
                var options = new Dictionary<string, object> { { "countdownSeconds", 0 }, { "spectatorDelay", 0 } };
                var made = host.CreateAsync("ours", host.MapsAsync().Result[0], 0, options, "secret").Result;
                Check.That(guest.LobbiesAsync("our").Result.Any(l => l.Id == made.Id && l.State == "open"), "the lobby is in no list");
                Check.Throws("wrong_password", () => Unwrap(() => guest.JoinAsync(made.Id, "wrong").Wait()));
                guest.ReadyAsync(guest.JoinAsync(made.Id, "secret").Result).Wait();
                watcher.JoinAsync(made.Id, "secret", true).Wait();
                host.ReadyAsync(host.LobbyAsync(made.Id).Result).Wait();
                host.StartAsync(made.Id).Wait();

                var all = new[] { host, guest, watcher }.Select((l, i) => new Match(new MatchOptions { Server = server.Url, Ticket = l.AwaitTicketAsync(made.Id).Result, DerivesFog = i != 1 })).ToArray();
                var heard = new List<string>();
                int hashes = 0;
                foreach (var m in all)
                {
                    m.Said += s => heard.Add(s.Slot + " " + s.Text);
                    m.FrameApplied += f =>
                    {
                        if (f.MaskHash == null) return;
                        hashes++;
                        Check.That(!m.State.MaskDiffers, "slot {0}: the mask is not the server's", m.State.Slot);
                    };
                }
                var watch = Stopwatch.StartNew();
                Sent line = null, notPlaying = null;
                while (heard.Count < 3 || hashes < 6 || notPlaying.Reply == null)
                {
                    foreach (var m in all) m.Update();
                    if (line == null && all.All(m => m.State.Tick > 0))
                    {
                        line = all[1].Say("hi", true);
                        notPlaying = all[2].Send(Give.Surrender());
                    }
                    Check.That(watch.Elapsed.TotalSeconds < 20, "after 20 s {0} lines, {1} hashes, {2}", heard.Count, hashes, string.Join(" ", all.Select(m => m.Status + " " + m.Error)));
                    Thread.Sleep(10);
                }
                Check.That(heard.All(h => h == all[1].State.Slot + " hi"), "what was heard: {0}", string.Join(", ", heard));
                Check.That(all[2].State.Welcome.Spectator && notPlaying.Reply.Code == "NOT_ALIVE", "a spectator's order is answered {0}", notPlaying.Reply.Code);
                Check.That(all[2].State.Replica.Entities.Count > all[0].State.Replica.Entities.Count, "a spectator with all eyes sees no more than a player");
                Check.That(!all[0].State.Replica.Entities.Values.Any(e => e.Owner == all[1].State.Slot), "the other player is in sight at once");

                // Who gives up has lost, and all are told.
                all[1].Send(Give.Surrender());
                while (!all.Take(2).All(m => m.State.Replica.Ended != null))
                {
                    foreach (var m in all) m.Update();
                    Check.That(watch.Elapsed.TotalSeconds < 30, "no end");
                    Thread.Sleep(10);
                }
                Check.Equal(string.Join(" ", all[0].State.Replica.Ended.Winners), all[0].State.Welcome.Team.ToString(), "the winners");
                foreach (var m in all) m.Dispose();
            }
        }

        /// <summary>
        /// A spectator watches a match late while it runs. Once it is over a player watches it: at its end, at its beginning,
        /// with other eyes. With each hash the mask has to be the server's.
        /// </summary>
        public static void AReplayIsWatched()
        {
            using (var server = new Server())
            using (LobbyClient host = new LobbyClient(server.Url), watcher = new LobbyClient(server.Url), stranger = new LobbyClient(server.Url))
            {
                foreach (var l in new[] { host, watcher, stranger }) l.GuestAsync().Wait();
                var options = new Dictionary<string, object> { { "countdownSeconds", 0 }, { "spectatorDelay", 1 } };
                var made = host.CreateAsync("ours", host.MapsAsync().Result[0], 1, options).Result;
                watcher.JoinAsync(made.Id, "", true).Wait();
                host.ReadyAsync(host.LobbyAsync(made.Id).Result).Wait();
                host.StartAsync(made.Id).Wait();
                var watch = Stopwatch.StartNew();
                var match = new Match(new MatchOptions { Server = server.Url, Ticket = host.AwaitTicketAsync(made.Id).Result });
                Action<Action, Func<bool>, string> until = (update, done, what) =>
                {
                    for (; !done(); Thread.Sleep(5))
                    {
                        update();
                        Check.That(watch.Elapsed.TotalSeconds < 120, "{0}", what);
                    }
                };
                until(match.Update, () => match.State.Tick > 60, "the match does not run");
                string id = match.State.Welcome.MatchId;
                Check.Equal(host.ReplayFactsAsync(id).Result.Unavailable, "not_over", "why a player does not watch it yet");
                Check.Throws("match_runs", () => Unwrap(() => host.OpenReplayAsync(id).Wait()));
                Check.Throws("not_found", () => Unwrap(() => stranger.OpenReplayAsync(id).Wait()));

                Check.That(watcher.ReplayFactsAsync(id).Result.Live, "the spectator does not watch it late");
                var late = watcher.OpenReplayAsync(id, new ReplayOptions { Tick = 20, Paused = true }).Result;
                until(late.Update, () => late.Tick > 0 && late.Tick <= 20 && late.Status.Paused, "no late replay");
                Check.That(late.Info.Live && late.Info.EyesFixed && late.Eyes == Replay.AllTeams, "live {0}, fixed {1}, eyes {2}", late.Info.Live, late.Info.EyesFixed, late.Eyes);
                uint last = late.Status.Last;
                until(late.Update, () => late.Status.Last > last, "what can be shown does not grow");
                late.Dispose();
                match.Send(Give.Surrender());
                until(match.Update, () => match.State.Replica.Ended != null, "no end");
                match.Dispose();

                until(() => Thread.Sleep(100), () => host.ReplayFactsAsync(id).Result.Unavailable == "", "it cannot be watched");
                using (var replay = host.OpenReplayAsync(id, new ReplayOptions { Eyes = Replay.AllTeams }).Result)
                {
                    int hashes = 0;
                    replay.Match.FrameApplied += f =>
                    {
                        hashes += f.MaskHash == null ? 0 : 1;
                        Check.That(!replay.Match.State.MaskDiffers, "tick {0}, eyes {1}: the mask is not the server's", replay.Tick, replay.Eyes);
                    };
                    Func<Task, uint> wait = task =>
                    {
                        until(replay.Update, () => task.IsCompleted, "not there");
                        task.Wait();
                        return replay.Tick;
                    };
                    until(replay.Update, () => replay.Tick > 0, "no replay");
                    Check.Equal(wait(replay.SeekAsync(uint.MaxValue)), replay.Status.Last, "its last tick");
                    Check.That(replay.Match.State.Replica.Ended != null && replay.Status.State == ReplayState.Ended, "it has not ended");
                    replay.Pause();
                    Check.Equal(wait(replay.SeekAsync(0)), replay.Info.First + 1, "its first tick");
                    Check.That(replay.Match.State.Replica.Ended == null, "the result is not forgotten");
                    int all = replay.Match.State.Replica.Entities.Count;
                    wait(replay.SetEyesAsync(0));
                    uint second = replay.Match.State.Welcome.TickRate; // the hash comes with the ticks that end a second
                    foreach (uint eyes in new uint[] { 1, Replay.AllTeams, 0 })
                    {
                        wait(replay.SetEyesAsync(eyes));
                        wait(replay.SeekAsync(2 * second));
                        int before = hashes;
                        wait(replay.SeekAsync(second));
                        Check.Equal(hashes, before + 1, "hashes with the eyes " + eyes);
                    }
                    wait(replay.SeekAsync(0));
                    Check.That(replay.Eyes == 0 && replay.Match.State.Replica.Entities.Count < all, "one team's eyes see {0} of {1}", replay.Match.State.Replica.Entities.Count, all);
                    uint at = wait(replay.StepAsync(3));
                    Check.Equal(at, replay.Info.First + 4, "three ticks on");
                    var other = replay.Beside(1);
                    until(replay.Update, () => other.Eyes == 1 && other.Tick == at, "no second connection");
                    replay.Play(400);
                    until(replay.Update, () => replay.Status.State == ReplayState.Ended && other.Tick == replay.Status.Last, "it does not play to its end");
                    Check.Equal(replay.Status.Percent, 400u, "its speed");
                    until(replay.Update, () => replay.Timeline.Events.Any(e => e.Kind == ReplayEventKind.Ended) && replay.Timeline.Knows(0), "no timeline");
                    Check.Equal(replay.Match.Resyncs, 0, "snapshots that a wrong state asked for");
                }
            }
        }

        /// <summary>
        /// Plays: mines, trains, attacks, chats, pings, at three times the normal speed. The connection is cut twice. Each
        /// second the server's hash of the mask has to be the client's, and each snapshot has to be what the client held.
        /// </summary>
        public static void AMatchIsPlayedAndResumed()
        {
            using (var server = new Server())
            using (var lobby = new LobbyClient(server.Url))
            {
                lobby.GuestAsync("Grace").Wait();
                Check.That(lobby.MapsAsync().Result.Count > 0, "no maps");
                string id = lobby.PlayBotAsync("", "hard").Result.Id;
                string ticket = lobby.AwaitTicketAsync(id).Result;
                using (var match = new Match(new MatchOptions { Server = server.Url, Ticket = ticket })) new Player(match).Play();
                lobby.LeaveAsync(id).Wait();
                Check.Throws("not_seated", () => Unwrap(() => lobby.TicketAsync(id).Wait()));
                FirstClient.Play(server.Url.AbsoluteUri).Wait();
            }
        }
    }

    /// <summary>A server that was started for a test.</summary>
    internal sealed class Server : IDisposable
    {
        private readonly Process process;
        private readonly string data = Path.Combine(Path.GetTempPath(), "fogkeep-csharp-" + Guid.NewGuid().ToString("N"));

        public Uri Url { get; }

        /// <summary>The hash of its pack.</summary>
        public string Pack { get; }

        /// <param name="pack">The folder of a pack that it has; "": it has none.</param>
        public Server(string pack = "")
        {
            string bin = Environment.GetEnvironmentVariable("FOGKEEP_BIN") ?? Path.Combine(Runner.Root, "bin/fogkeep");
            if (pack != "")
            {
                using (var add = Process.Start(new ProcessStartInfo(bin, "pack add " + Path.Combine(Runner.Root, pack) + " --data-dir " + data) { UseShellExecute = false, RedirectStandardOutput = true }))
                {
                    Pack = add.StandardOutput.ReadToEnd().Split(' ').Last().Trim();
                    add.WaitForExit();
                }
            }
            process = Process.Start(new ProcessStartInfo(bin, "serve --addr 127.0.0.1:0 --admin-addr 127.0.0.1:0 --metrics-addr 127.0.0.1:0 --data-dir " + data)
            {
                UseShellExecute = false, RedirectStandardOutput = true, RedirectStandardError = true,
            });
            var said = new List<string>();
            var url = new TaskCompletionSource<Uri>();
            DataReceivedEventHandler read = (sender, e) =>
            {
                lock (said) said.Add(e.Data);
                var m = Regex.Match(e.Data ?? "", @"^\s*play\s+(http://127\.0\.0\.1:\d+)");
                if (m.Success) url.TrySetResult(new Uri(m.Groups[1].Value));
            };
            Console.CancelKeyPress += Interrupted;
            process.OutputDataReceived += read;
            process.ErrorDataReceived += read;
            process.BeginOutputReadLine();
            process.BeginErrorReadLine();
            if (url.Task.Wait(20000))
            {
                Url = url.Task.Result;
                return;
            }
            Dispose();
            lock (said) throw new FailedCheck("the server did not start:\n" + string.Join("\n", said));
        }

        /// <summary>Whoever interrupts the tests leaves no server behind.</summary>
        private void Interrupted(object sender, ConsoleCancelEventArgs e) { Dispose(); }

        public void Dispose()
        {
            Console.CancelKeyPress -= Interrupted;
            process.Kill();
            process.WaitForExit();
            process.Dispose();
            Directory.Delete(data, true);
        }
    }

    /// <summary>Who plays, and checks.</summary>
    internal sealed class Player
    {
        private const int Seconds = 21;
        private const int OffMax = 128 + 64; // world units, of what stays on its course: what the server tolerates, and a cell

        private struct Was
        {
            public uint Type, Owner, Since;
            public int X, Y, VX, VY;
        }

        private readonly Match match;
        private readonly List<string> said = new List<string>();
        private readonly List<string> wrong = new List<string>();
        private readonly Dictionary<uint, Was> before = new Dictionary<uint, Was>();
        private readonly Dictionary<string, int> answers = new Dictionary<string, int>();
        private int predicted, hashes, snapshots, compared, exact, pinged, trained;
        private uint mined, stock, lastTick;
        private bool attacked;

        public Player(Match match)
        {
            this.match = match;
            match.FrameApplied += Frame;
            match.Answered += s => answers[s.Reply.Code] = 1 + (answers.ContainsKey(s.Reply.Code) ? answers[s.Reply.Code] : 0);
            match.Said += s => said.Add(s.Text);
            match.Pinged += p => pinged++;
        }

        private MatchState State { get { return match.State; } }

        public void Play()
        {
            var watch = Stopwatch.StartNew();
            Until(watch, 10, () => State.Tick > 0, "no first frame");
            match.SetSpeed(300, false);
            match.SetCamera(8, 8, 20);
            Sent line = match.Say("Grüße"), ping = match.Ping(PingKind.Look, 4096, 4096), nonsense = match.Send(Give.Move(new uint[] { 4000000 }, 1, 1));
            var offline = new List<Sent>();
            double next = 0;
            int cuts = 0, asked = 0;
            uint first = State.Tick;
            for (double at = 0; at < Seconds; at = watch.Elapsed.TotalSeconds)
            {
                match.Update();
                match.Draw();
                if (State.Prediction.Count > 0) predicted++;
                Check.That(match.Status != MatchStatus.Closed, "the match is closed: {0}", match.Error);
                if (at > next && match.Status == MatchStatus.Live)
                {
                    next = at + 0.5;
                    Command();
                }
                if (at > 4 * (asked + 1))
                {
                    asked++;
                    match.Resync();
                }
                if (cuts < 2 && at > 7 * (cuts + 1))
                {
                    cuts++;
                    match.Cut();
                    Check.Equal(match.Status, MatchStatus.Resuming, "the status after a cut");
                    offline.Add(match.Send(Give.Stop(match.Own(TypeClass.Unit).Take(1).Select(e => e.Handle)))); // while there is no connection
                }
                Thread.Sleep(10);
            }
            Until(watch, Seconds + 10, () => match.Unanswered == 0, "orders without an answer");
            Until(watch, Seconds + 20, () => State.Prediction.Count == 0 && State.Shots.Drawn.Count == 0, "orders that are still predicted");
            Check.That(predicted > 0, "no order showed before its answer");

            Console.WriteLine("  # {0} ticks, {1} hashes, {2} snapshots with {3} entities ({4} at the very place), {5} trained, {6} mined, answers {7}",
                State.Tick - first, hashes, snapshots, compared, exact, trained, mined, string.Join(" ", answers.Select(a => a.Key + ":" + a.Value)));
            Check.That(wrong.Count == 0, "{0} differences:\n{1}", wrong.Count, string.Join("\n", wrong.Take(20)));
            Check.That(State.Speed != null && State.Speed.Percent == 300, "the speed was not taken");
            Check.That(hashes > 15, "only {0} hashes of the mask", hashes);
            Check.That(snapshots > 2 && compared > 50 && exact > compared / 2, "{0} snapshots, {1} entities, {2} at the very place", snapshots, compared, exact);
            Check.Equal(match.Resumes, 2, "how often the connection was resumed");
            Check.Equal(match.Resyncs, 0, "snapshots that a wrong state asked for");
            Check.That(line.Reply.Accepted && said.Contains("Grüße"), "the line was answered {0}, and this was said: {1}", line.Reply.Code, string.Join(", ", said));
            Check.That(ping.Reply.Accepted && pinged == 1, "the ping was answered {0}, and came back {1} times", ping.Reply.Code, pinged);
            Check.That(!nonsense.Reply.Accepted, "an order to a unit that never was is accepted");
            foreach (var s in offline) Check.That(s.Answered.IsCompleted && s.Seq > 0, "an order that was given without a connection has no answer");
            Check.That(mined > 0 && trained > 0 && attacked, "mined {0}, trained {1}, attacked {2}", mined, trained, attacked);
            // A busy server comes late at times, and the clock draws on: it must come back to the server's tick.
            Until(watch, Seconds + 20, () => Math.Abs(match.DrawTick - State.Tick) < 20, "ticks between the drawing and the server");
        }

        /// <summary>What a plain player does: workers mine, structures train, what is armed attacks the other start.</summary>
        private void Command()
        {
            var rules = State.Welcome;
            var own = State.Own;
            Func<uint, bool> affords = t => rules.Types[(int)t].Cost.Select((c, i) => c <= (i < own.Resources.Count ? own.Resources[i] : 0)).All(yes => yes);
            foreach (var e in match.Own(TypeClass.Unit).ToList())
            {
                var type = rules.Types[(int)e.Type];
                if (own.Tasks.ContainsKey(e.Handle)) continue;
                if (type.Worker)
                {
                    var to = State.Replica.Entities.Values.Where(r => rules.Types[(int)r.Type].Class == TypeClass.Resource).OrderBy(r => Distance(e, r)).FirstOrDefault();
                    if (to != null) match.Send(Give.Harvest(new[] { e.Handle }, to.Handle));
                }
                else if (type.Weapons.Count > 0)
                {
                    var start = State.Map.Starts.OrderByDescending(t => Math.Abs(t.X * 1024 - e.X) + Math.Abs(t.Y * 1024 - e.Y)).First();
                    match.Send(Give.AttackMove(new[] { e.Handle }, start.X * 1024 + 512, start.Y * 1024 + 512)).Answered.ContinueWith(r => attacked |= r.Result.Accepted);
                }
            }
            foreach (var e in match.Own(TypeClass.Structure).ToList())
            {
                if (own.Queues.ContainsKey(e.Handle)) continue;
                var trains = rules.Types[(int)e.Type].Trains.Where(affords).ToList();
                if (trains.Count > 0) match.Send(Give.Train(new[] { e.Handle }, trains[(int)(State.Tick / 20 % trains.Count)]));
            }
        }

        private static double Distance(Entity a, Entity b) { return Math.Pow(a.X - b.X, 2) + Math.Pow(a.Y - b.Y, 2); }

        /// <summary>Compares what can be compared, and keeps what a snapshot in the next frame is compared with.</summary>
        private void Frame(Frame f)
        {
            if (f.MaskHash != null) hashes++;
            if (State.MaskDiffers) wrong.Add("tick " + State.Tick + ": the mask is not the server's");
            uint now = State.Own.Resources.Count > 0 ? State.Own.Resources[0] : 0;
            if (now > stock && stock > 0) mined += now - stock;
            stock = now;
            if (!f.Snapshot) trained += f.Entered().Count(h => State.Replica.Entities[h].Owner == State.Slot && State.Welcome.Types[(int)State.Replica.Entities[h].Type].Class == TypeClass.Unit);
            else if (before.Count > 0 && State.Tick - lastTick < 5) Compare();
            lastTick = State.Tick;
            before.Clear();
            foreach (var e in State.Replica.Entities.Values)
                before[e.Handle] = new Was { Type = e.Type, Owner = e.Owner, Since = e.Since, X = e.X, Y = e.Y, VX = e.VX, VY = e.VY };
        }

        private void Compare()
        {
            snapshots++;
            int held = 0, own = before.Values.Count(w => w.Owner == State.Slot);
            foreach (var e in State.Replica.Entities.Values)
            {
                Was was;
                if (!before.TryGetValue(e.Handle, out was)) continue; // it came into sight in this tick
                if (was.Owner == State.Slot) held++; // a scout that dies takes many others out of sight
                int x, y, wasX = Course.Reckon(was.X, was.VX, State.Tick - was.Since, State.Map.Width), wasY = Course.Reckon(was.Y, was.VY, State.Tick - was.Since, State.Map.Height);
                e.PlaceAt(State.Tick, out x, out y);
                compared++;
                if (x == wasX && y == wasY) exact++;
                int most = OffMax + 2 * (int)State.Welcome.Types[(int)e.Type].Speed / 64 * (int)(State.Tick - lastTick); // it may have turned since
                if (was.Type != e.Type || was.Owner != e.Owner || Math.Abs(x - wasX) > most || Math.Abs(y - wasY) > most)
                    wrong.Add(string.Format("tick {0}: handle {1} is type {2} of {3} at {4},{5}; the client held type {6} of {7} at {8},{9}",
                        State.Tick, e.Handle, e.Type, e.Owner, x, y, was.Type, was.Owner, wasX, wasY));
            }
            if (own - held > 3) wrong.Add(string.Format("tick {0}: a snapshot lacks {1} of {2} own entities", State.Tick, own - held, own));
        }

        private void Until(Stopwatch watch, double seconds, Func<bool> done, string what)
        {
            while (!done())
            {
                match.Update();
                match.Draw();
                Check.That(match.Status != MatchStatus.Closed, "the match is closed: {0}", match.Error);
                Check.That(watch.Elapsed.TotalSeconds < seconds, "{0} after {1} s ({2})", what, seconds, match.Status);
                Thread.Sleep(5);
            }
        }
    }
}
