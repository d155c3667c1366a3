using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Fogkeep.Wire;

namespace Fogkeep.Tests
{
    /// <summary>A match over sockets of the test, with a clock of the test: what is sent, and when.</summary>
    public static class MatchTests
    {
        public static void ALostConnectionIsResumedAndOrdersAreSentAgain()
        {
            var t = new Table();
            t.Begin();
            Check.Equal(t.Socket.Got[0].Hello.Ticket, "ticket", "the first hello");
            var order = t.Match.Send(Give.Stop(new uint[] { 1 }));
            t.Match.Update();
            t.Until(() => t.Orders().Count == 1, "no order");
            Check.Equal(t.Orders()[0].Seq, 1u, "its number");

            var first = t.Socket;
            first.End();
            t.Until(() => t.Match.Status == MatchStatus.Resuming, "not lost");
            var offline = t.Match.Send(Give.Hold(new uint[] { 1 }));
            t.Now += 1000; // less than after which an order without an answer is sent again anyway
            t.Until(() => t.Socket != first && t.Socket.Got.Count == 1, "no second connection");
            var hello = t.Socket.Got[0];
            Check.Equal(hello.Hello.Resume + " " + hello.Hello.Ticket, t.Token + " ", "the second hello");
            Check.Equal(hello.Applied, t.Match.State.Tick, "the tick that it names");
            t.Socket.Deliver(t.Welcome);
            t.Until(() => t.Orders().Count == 2, "the orders are not sent again");
            Check.Equal(string.Join(" ", t.Orders().Select(o => o.Seq)), "1 2", "their numbers");
            Check.Equal(t.Match.Resumes, 1, "resumes");

            var answers = new ServerFrame { Answers = { new Answer { Seq = 1, More = 1 } } };
            t.Deliver(answers);
            t.Until(() => order.Reply != null && offline.Reply != null, "no answers");
            Check.That(order.Reply.Accepted && offline.Answered.Result.Accepted && t.Match.Unanswered == 0, "answers");
            t.Deliver(answers); // told twice: nothing
            t.Steps(3);
            Check.Equal(t.Match.Status, MatchStatus.Live, "status");
        }

        public static void PacketsAreLoggedBothWays()
        {
            var t = new Table();
            var log = new List<Packet>();
            t.Match.Packet += log.Add;
            t.Begin();
            var first = log.First(p => p.Frame);
            Check.That(first.FromServer && first.Snapshot && first.Tick == t.Match.State.Tick && first.Has("enter"), "the first frame");
            var entities = t.Match.State.Replica.Entities;
            Check.That(first.Entities.Count(e => e.Parts.Any(p => p.Name == "enter")) == entities.Count && entities.Count > 0, "its entities");
            foreach (var e in first.Entities) Check.Equal(e.Type, t.Match.State.Welcome.Types[(int)entities[e.Handle].Type].Name, "type of " + e.Handle);
            uint unit = entities.Keys.First();
            t.Match.Send(Give.Stop(new[] { unit }));
            t.Until(() => log.Any(p => p.Calls.Count > 0), "no order");
            var call = log.First(p => p.Calls.Count > 0);
            Check.That(!call.FromServer && call.IsAbout(unit) && !call.IsAbout(unit + 100000) && call.Calls[0].Kind == OrderKind.Stop, "the order");
            t.Deliver(new ServerFrame { Span = 2, Answers = { new Answer { Seq = 1, Code = 1, More = 1 } }, Leave = { unit } });
            t.Until(() => log.Any(p => p.Answers.Count == 2), "no answers");
            var answers = log.First(p => p.Answers.Count == 2);
            Check.Equal(string.Join(" ", answers.Answers.Select(a => a.Number + a.Code)), "1" + t.Match.State.Welcome.Codes[1] + " 2" + t.Match.State.Welcome.Codes[1], "answers");
            Check.That(answers.IsAbout(unit) && answers.Entities[0].Type != "" && answers.Tick == first.Tick + 2, "the frame with the answers");
            foreach (var p in log) Check.Equal(p.Parts.Sum(x => x.Bytes), p.Bytes, "the sum of the parts");
        }

        public static void TheConnectionIsReportedOnceAMinute()
        {
            var t = new Table();
            t.Begin();
            Func<List<NetworkReport>> reports = () => t.Socket.Got.Where(f => f.Network != null).Select(f => f.Network).ToList();
            uint rate = t.Match.State.Welcome.TickRate, tick = t.Match.State.Tick;
            Action<uint, double, Answer> second = (seconds, ms, answer) =>
            {
                t.Now += ms;
                var frame = new ServerFrame { Span = rate * seconds };
                if (answer != null) frame.Answers.Add(answer);
                t.Deliver(frame);
                tick += rate * seconds;
                t.Until(() => t.Match.State.Tick == tick, "no frame");
                t.Match.Draw();
            };
            var order = t.Match.Send(Give.Stop(new uint[] { 1 }));
            second(1, 1000, null);
            second(1, 1000, new Answer { Seq = order.Seq });
            second(1, 1200, null); // late
            second(1, 800, null);
            for (int i = 0; i < 53; i++) second(1, 1000, null);
            Check.Equal(reports().Count, 0, "reports before the minute is over");
            second(3, 3000, null);
            t.Until(() => reports().Count == 1, "no report");
            var r = reports()[0];
            Check.Equal(string.Join(" ", r.Seconds, r.Frames, r.Late, r.Gaps, r.LongestMs, r.TripMs, r.Corrections, r.Slow), "60 59 1 1 3000 2000 0 56", "the report");
            second(1, 1000, null);
            t.Steps(5);
            Check.Equal(reports().Count, 1, "reports of one minute");
        }

        public static void AWrongStateAsksForOneSnapshotAtATime()
        {
            var t = new Table();
            t.Begin();
            t.Socket.Deliver(new byte[] { 0xff });
            t.Deliver(new ServerFrame { Leave = { 4000 } });
            t.Until(() => t.Resyncs() == 1, "no resync");
            int said = t.Socket.Sent.Count;
            for (int i = 0; i < 5; i++) t.Deliver(new ServerFrame()); // were on their way
            t.Match.Send(Give.Stop(new uint[] { 1 }));
            t.Steps(20);
            Check.Equal(t.Socket.Sent.Count, said, "messages while the snapshot is awaited");
            t.Now += 6000;
            t.Until(() => t.Resyncs() == 2, "no second resync after six seconds");
            t.Socket.Deliver(t.Snapshot);
            t.Until(() => !t.Match.State.Broken, "the snapshot does not mend it");
            t.Now += 6000;
            t.Deliver(new ServerFrame());
            t.Steps(20);
            Check.Equal(t.Resyncs(), 2, "resyncs after the snapshot");
            Check.Equal(t.Match.Resyncs, 2, "resyncs that the match counts");

            // The hash of the mask differs, and another frame comes before the game looks.
            t.Deliver(new ServerFrame { MaskHash = 12345 });
            t.Deliver(new ServerFrame());
            t.Until(() => t.Resyncs() == 3, "no resync for a mask that differs");
        }

        public static void ABrokenStreamIsResumedWithASnapshot()
        {
            var t = new Table();
            t.Begin();
            t.Socket.Deliver(new byte[] { 0xff });
            t.Until(() => t.Match.State.Broken, "not broken");
            var first = t.Socket;
            t.Match.Cut();
            t.Now += 1000;
            t.Until(() => t.Socket != first && t.Socket.Got.Count == 1, "no second connection");
            Check.Equal(t.Socket.Got[0].Hello.Resume + " " + t.Socket.Got[0].Applied, t.Token + " 0", "the second hello's token and tick");
        }

        public static void FaultsWithoutEndCloseTheMatch()
        {
            var t = new Table();
            t.Begin();
            for (int i = 0; i < 4; i++)
            {
                t.Socket.Deliver(new byte[] { 0xff });
                t.Steps(2);
                t.Socket.Deliver(t.Snapshot);
                t.Steps(2);
            }
            Check.Equal(t.Match.Status, MatchStatus.Closed, "status after four faults");
            Check.Equal(t.Match.Error.Code, ErrorCodes.BadFrame, "its code");
        }

        public static void ARefusalIsForGood()
        {
            var t = new Table();
            t.Begin();
            var order = t.Match.Send(Give.Stop(new uint[] { 1 }));
            t.Deliver(new ServerFrame { Closing = new Closing { Code = "kicked", Text = "removed", Retry = false } });
            t.Socket.End();
            t.Until(() => t.Match.Status == MatchStatus.Closed, "not closed");
            Check.Equal(t.Match.Error.Code, "kicked", "the code");
            Check.Equal(order.Reply.Code, Reply.Lost, "the order's answer");
            Check.Equal(t.Match.Send(Give.Stop(new uint[] { 1 })).Reply.Code, Reply.Lost, "an order after the end");
            t.Now += 60000;
            t.Steps(5);
            Check.Equal(t.Sockets.Count, 1, "connections");
        }

        public static void AMatchIsFollowedToAnotherServer()
        {
            var t = new Table("http://node1:1/");
            t.Until(() => t.Sockets.Count == 1, "no connection");
            Check.Equal(t.Socket.Uri.AbsoluteUri, "ws://node1:1/ws", "where it begins");
            t.Socket.Deliver(t.Welcome);
            t.Socket.Deliver(t.Snapshot);
            t.Until(() => t.Match.State.Tick > 0, "no first frame");
            var order = t.Match.Send(Give.Stop(new uint[] { 1 }));
            t.Until(() => t.Orders().Count == 1, "no order");

            t.Deliver(new ServerFrame { Closing = new Closing { Code = "moved", Retry = true, Url = "http://node2:1" } });
            t.Until(() => t.Sockets.Count == 2 && t.Socket.Got.Count == 1, "not followed at once");
            var hello = t.Socket.Got[0];
            Check.Equal(t.Socket.Uri + " " + hello.Hello.Resume + " " + hello.Hello.Ticket, "ws://node2:1/ws " + t.Token + " ", "where to, with what");
            Check.Equal(hello.Applied, t.Match.State.Tick, "the tick that it names");
            var welcome = WireReader.Read<ServerFrame>(t.Welcome);
            welcome.Welcome.Servers.Add("http://node3:1");
            t.Deliver(welcome);
            t.Until(() => t.Orders().Count == 1 && t.Match.Status == MatchStatus.Live, "the order is not sent again");
            Check.Equal(t.Orders()[0].Seq + " " + t.Match.Place, "1 ws://node2:1/ws", "its number, and where the match is");
            Check.That(order.Reply == null, "an answer");

            // That server dies too: then the service is asked, until it knows.
            t.Unreachable = true;
            t.Socket.End();
            var asked = new List<string>();
            for (int i = 0; i < 200 && asked.Count < 4; i++)
            {
                t.Now += 100;
                t.Steps(1);
                asked = t.Sockets.Skip(2).Select(s => s.Uri == null ? "" : s.Uri.AbsoluteUri).Where(s => s != "").ToList();
            }
            Check.Equal(string.Join(" ", asked.Take(3)), "ws://node2:1/ws ws://localhost:1/game/ws ws://node3:1/ws", "where it tries");
        }

        public static void ARouteIsBoundedAndKeepsTLS()
        {
            const string home = "wss://play.example.org/ws";
            var r = new Route(home, "http://n1.example.org", new Random(1));
            Check.Equal(r.Address, home, "without TLS it begins at");
            int hops = 0;
            for (int i = 0; i < 20; i++) if (r.Moved("https://n" + i % 3 + ".example.org", 1000) == 0) hops++;
            Check.Equal(hops, 4, "moves followed at once");
            Check.Equal(r.Moved("https://n1.example.org", 11000), 0.0, "the wait ten seconds later");
            Check.That(r.Moved("https://n1.example.org", 12500) == 0 && r.Moved("https://n2.example.org", 12501) == 0, "the next moves");
            Check.That(r.Moved("https://n1.example.org", 12502) > 0 && r.Address == "wss://n2.example.org/ws", "sent back at once it bounces");
            Check.That(r.Moved("https://n1.example.org", 14000) == 0, "sent back later");
            Check.That(r.Moved("http://n2.example.org", 30000) > 0 && !r.Address.StartsWith("ws:"), "a move out of TLS is followed");
            r.Welcomed(new[] { "https://n2.example.org", "ws://n3.example.org/ws" });
            var tried = new List<string>();
            for (int i = 0; i < 4; i++)
            {
                double wait = r.Lost();
                Check.That(wait >= 100 && wait <= 600, "the wait {0} is {1}", i, wait);
                tried.Add(r.Address);
            }
            Check.Equal(string.Join(" ", tried), "wss://n1.example.org/ws " + home + " wss://n2.example.org/ws wss://n1.example.org/ws", "after a loss");
            r.Welcomed(new string[0]);
            for (int i = 0; i < 3; i++) r.Lost();
            string at = r.Address; // that says that the match is about to come back
            for (int i = 0; i < 4; i++) r.Moved("", 40000 + i);
            Check.Equal(r.Address, at, "asked again");
            r.Moved("", 40005);
            Check.That(r.Address != at, "asked for ever");
        }

        public static void AddressesAreThoseOfTheTable()
        {
            var rows = (List<object>)Json.Read(Runner.Text("proto/testdata/addresses.json"));
            Check.That(rows.Count > 20, "{0} rows", rows.Count);
            foreach (Dictionary<string, object> r in rows)
                Check.Equal(Address.Of((string)r["told"], (string)r["over"]), (string)r["address"], (string)r["told"] + " over " + r["over"]);
            Check.Equal(Address.Of("https://" + new string('a', 600) + ".example.org", "wss://x/ws"), "", "a long address");
        }

        public static void AServerThatDoesNotAnswerIsTriedAgainAndGivenUp()
        {
            var t = new Table { Unreachable = true };
            for (int i = 0; i < 100 && t.Match.Status != MatchStatus.Closed; i++)
            {
                t.Steps(2);
                t.Now += 1000;
            }
            Check.Equal(t.Match.Status, MatchStatus.Closed, "status");
            Check.Equal(t.Match.Error.Code, ErrorCodes.Unreachable, "code");
            Check.That(t.Sockets.Count > 4 && t.Sockets.Count < 30, "{0} connections", t.Sockets.Count);
        }

        public static void ASilentServerIsDropped()
        {
            var t = new Table();
            t.Begin();
            t.Now += 11000;
            t.Deliver(new ServerFrame { Waiting = new Waiting() });
            t.Steps(3);
            t.Now += 11000;
            t.Steps(3);
            Check.Equal(t.Match.Status, MatchStatus.Live, "status eleven seconds after a message");
            t.Now += 2000;
            t.Steps(3);
            Check.Equal(t.Match.Status, MatchStatus.Resuming, "status thirteen seconds after it");
        }

        /// <summary>What is given at once goes out within every limit of the server's, and no faster than it answers.</summary>
        public static void OrdersAreSentWithinTheLimits()
        {
            var t = new Table();
            t.Begin();
            int burst = (int)t.Match.State.Welcome.OrderBurst;
            Check.That(burst > 0, "the vectors' match has no limit");
            var units = Enumerable.Range(1, 600).Select(i => (uint)i).ToArray();
            var all = Enumerable.Range(0, 300).Select(i => t.Match.Send(Give.Stop(units))).ToList();
            Check.Equal(all.Count(s => s.Seq > 0), Limits.NumbersKept, "orders that are taken");
            Check.Equal(all.Last().Reply.Code, Reply.BacklogFull, "the last");
            t.Steps(50);
            foreach (byte[] b in t.Socket.Sent) Check.That(b.Length <= Limits.MessageBytes, "a message of {0} bytes", b.Length);
            foreach (var f in t.Socket.Got) Check.That(f.Orders.Count <= Limits.OrdersAMessage, "{0} orders in a message", f.Orders.Count);
            int sent = t.Orders().Count;
            Check.That(sent > 0 && sent <= burst, "{0} orders are sent, and the server takes {1} at once", sent, burst);

            // Answers and ticks let more go, in the order of the numbers, each once.
            for (uint seq = 1; seq <= Limits.NumbersKept; seq++)
            {
                t.Until(() => t.Orders().Count >= seq, "order " + seq + " is never sent");
                t.Deliver(new ServerFrame { Span = 20, Answers = { new Answer { Seq = seq } } });
                t.Steps(1);
            }
            t.Until(() => t.Match.Unanswered == 0, "without an answer");
            Check.That(t.Orders().Select(o => (int)o.Seq).SequenceEqual(Enumerable.Range(1, Limits.NumbersKept)), "another order than that of the numbers");
            Check.Equal(t.Match.Say(new string('ü', 129)).Reply.Code, Reply.TooLong, "a line of 258 bytes");
            var long1 = Give.Stop(new uint[0]);
            for (uint i = 0; i < 10000; i++) long1.Units.Add(1 << 20);
            Check.Equal(t.Match.Send(long1).Reply.Code, Reply.TooLong, "an order of 30 KB");
        }

        public static void AListenerThatThrowsHarmsNothing()
        {
            var t = new Table();
            t.Begin();
            t.Match.FrameApplied += f => { throw new InvalidOperationException("mine"); };
            t.Deliver(new ServerFrame());
            uint tick = t.Match.State.Tick;
            bool thrown = false;
            for (int i = 0; i < 200 && !thrown; i++)
            {
                try
                {
                    t.Match.Update();
                }
                catch (InvalidOperationException)
                {
                    thrown = true;
                }
                Thread.Sleep(1);
            }
            Check.That(thrown, "the exception does not come out of Update");
            Check.Equal(t.Match.State.Tick, tick + 1, "the tick");
            t.Match.Update();
            Check.Equal(t.Match.Status, MatchStatus.Live, "the status");
        }

        /// <summary>A game that does not look for a while keeps a bounded number of messages.</summary>
        public static void TheInboxIsBounded()
        {
            var t = new Table();
            t.Begin();
            byte[] frame = WireWriter.Write(new ServerFrame());
            for (int i = 0; i < 5000; i++) t.Socket.Deliver(frame);
            Thread.Sleep(50);
            Check.That(t.Socket.Undelivered > 3000, "{0} of 5000 messages wait in the socket", t.Socket.Undelivered);
            t.Until(() => t.Socket.Undelivered == 0, "the reader does not go on");
        }

        public static void TheWrongMapIsNotPlayed()
        {
            var t = new Table { Map = MathTests.MapBytes() };
            t.Until(() => t.Sockets.Count == 1, "no connection");
            t.Socket.Deliver(t.Welcome);
            t.Until(() => t.Match.Status == MatchStatus.Closed, "not closed");
            Check.Equal(t.Match.Error.Code, ErrorCodes.BadWelcome, "the code");
        }

        /// <summary>Gives a match that has begun to a test, with ways to let time pass, to bring entities, and to end the match.</summary>
        internal static void Playing(Action<Match, Action<double>, Action<uint[]>, Action> test)
        {
            var t = new Table();
            t.Begin();
            test(t.Match, ms => t.Now += ms, enter =>
            {
                int before = t.Match.State.Replica.Entities.Count;
                t.Deliver(new ServerFrame { Enter = { enter } });
                t.Until(() => t.Match.State.Replica.Entities.Count > before, "nothing comes");
            }, () =>
            {
                t.Deliver(new ServerFrame { Closing = new Closing { Code = "kicked" } });
                t.Socket.End();
                t.Until(() => t.Match.Status == MatchStatus.Closed, "not closed");
            });
        }

        /// <summary>A match with sockets, a clock and a map of the test; messages are those of a vector.</summary>
        private sealed class Table
        {
            public readonly List<FakeSocket> Sockets = new List<FakeSocket>();
            public readonly Match Match;
            public readonly byte[] Welcome, Snapshot;
            public readonly string Token;
            public double Now = 1000;
            public bool Unreachable;
            public byte[] Map;

            public Table(string at = null)
            {
                var stream = VectorTests.Streams.First(s => s.DerivesFog && s.Name.StartsWith("base.json"));
                Welcome = stream.Messages.First(m => WireReader.Read<ServerFrame>(m.Server).Welcome != null).Server;
                Snapshot = stream.Messages.First(m => WireReader.Read<ServerFrame>(m.Server).Tick != 0).Server;
                Token = WireReader.Read<ServerFrame>(Welcome).Welcome.Resume;
                Map = stream.MapBytes;
                Match = new Match(new MatchOptions
                {
                    Server = new Uri("http://localhost:1/game/"), Ticket = "ticket", At = at, Clock = () => Now,
                    FetchMap = (hash, cancel) => Task.FromResult(Map),
                    Socket = () =>
                    {
                        Sockets.Add(new FakeSocket { Unreachable = Unreachable });
                        return Socket;
                    },
                });
            }

            public FakeSocket Socket { get { return Sockets[Sockets.Count - 1]; } }

            /// <summary>Connects, up to the first snapshot.</summary>
            public void Begin()
            {
                Until(() => Sockets.Count == 1, "no connection");
                Check.Equal(Socket.Uri.AbsoluteUri, "ws://localhost:1/game/ws", "the address");
                Socket.Deliver(Welcome);
                Socket.Deliver(Snapshot);
                Until(() => Match.State.Tick > 0, "no first frame");
            }

            public void Deliver(ServerFrame f) { Socket.Deliver(WireWriter.Write(f)); }

            public List<Order> Orders() { return Socket.Got.SelectMany(f => f.Orders).ToList(); }

            public int Resyncs() { return Socket.Got.Count(f => f.Resync); }

            public void Steps(int n)
            {
                for (int i = 0; i < n; i++)
                {
                    Match.Update();
                    Thread.Sleep(2); // the writer's turn
                }
            }

            public void Until(Func<bool> done, string what)
            {
                for (int i = 0; !done(); i++)
                {
                    Check.That(i < 2000, "{0} ({1}, {2})", what, Match.Status, Match.Error);
                    Steps(1);
                }
            }
        }
    }

    /// <summary>A server's end of a socket.</summary>
    internal sealed class FakeSocket : ISocket
    {
        private readonly Queue<byte[]> incoming = new Queue<byte[]>();
        private readonly List<byte[]> sent = new List<byte[]>();
        private TaskCompletionSource<byte[]> waiting;

        public bool Unreachable;
        public Uri Uri;

        public List<byte[]> Sent { get { lock (sent) return sent.ToList(); } }
        public List<ClientFrame> Got { get { return Sent.Select(b => WireReader.Read<ClientFrame>(b)).ToList(); } }
        public int Undelivered { get { lock (incoming) return incoming.Count; } }

        public void Deliver(byte[] b)
        {
            TaskCompletionSource<byte[]> to;
            lock (incoming)
            {
                to = waiting;
                waiting = null;
                if (to == null) incoming.Enqueue(b);
            }
            if (to != null) to.TrySetResult(b); // unless the client has gone
        }

        /// <summary>The peer closes.</summary>
        public void End() { Deliver(null); }

        public Task ConnectAsync(Uri uri, CancellationToken cancel)
        {
            Uri = uri;
            if (Unreachable) throw new InvalidOperationException("nobody is there");
            return Task.CompletedTask;
        }

        public Task<byte[]> ReceiveAsync(CancellationToken cancel)
        {
            TaskCompletionSource<byte[]> made;
            lock (incoming)
            {
                if (incoming.Count > 0) return Task.FromResult(incoming.Dequeue());
                made = waiting = new TaskCompletionSource<byte[]>();
            }
            cancel.Register(() => made.TrySetCanceled());
            return made.Task;
        }

        public Task SendAsync(byte[] message, CancellationToken cancel)
        {
            lock (sent) sent.Add(message);
            return Task.CompletedTask;
        }

        public Task CloseAsync(CancellationToken cancel) { return Task.CompletedTask; }
        public void Dispose() { }
    }
}
