using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Fogkeep.Wire;

namespace Fogkeep.Tests
{
    /// <summary>A replay over sockets of the test: what is asked, what holds, and what is forgotten.</summary>
    public static class ReplayTests
    {
        private const uint Last = 6000;

        public static void ItOpensAtATickWithEyes()
        {
            var t = new Stage(o =>
            {
                o.Tick = 300;
                o.Eyes = 1;
                o.Paused = true;
            }, i => i.MayBranch = true);
            Check.Equal(t.Socket.Uri.AbsoluteUri, "ws://localhost:1/game/ws/replay", "the address");
            Check.Equal(t.Socket.Got[0].Hello.Ticket, "ticket", "the ticket");
            var c = t.Control(1);
            Check.Equal(c.Seek + " " + c.Eyes + " " + c.Paused + " " + c.Number, "300 2 True 1", "the first control");
            Check.Equal(t.Replay.Info.MatchId + " " + t.Replay.Info.Live + " " + t.Replay.Info.MayBranch, "m False True", "what it is of");
        }

        public static void AServerThatOpensAMatchIsRefused()
        {
            var t = new Stage(null, null, false);
            var there = t.Replay.SeekAsync(5);
            var w = t.Welcome(null);
            w.Welcome.Replay = null;
            t.Tell(w);
            t.Until(() => t.Replay.Match.Status == MatchStatus.Closed, "not closed");
            Check.Equal(t.Replay.Match.Error.Code, ErrorCodes.NoReplay, "the code");
            Check.Throws(ErrorCodes.NoReplay, () => Wait(there));
            Check.Throws(ErrorCodes.NoReplay, () => Wait(t.Replay.SeekAsync(6)));
        }

        public static void ItGoesToATickAndBack()
        {
            var t = new Stage();
            var state = t.Replay.Match.State;
            t.Tell(new ServerFrame { Tick = 2, Enter = { t.Unit(1, 0, 3, 3) } });
            t.Until(() => state.Tick == 2, "no frame");
            int early = t.Explored();
            Check.That(early > 3, "{0} tiles are explored", early);

            var there = t.Replay.SeekAsync(Last + 50);
            t.Tell(t.Status(s =>
            {
                s.State = ReplayState.Seeking;
                s.Goal = Last;
            }));
            t.Until(() => t.Replay.Status.State == ReplayState.Seeking, "not seeking");
            Check.Equal(t.Control(1).Seek, Last, "where to");
            t.Tell(t.Status(s =>
            {
                s.Tick = Last;
                s.Done = 1;
                s.State = ReplayState.Ended;
            }));
            t.Until(() => t.Replay.Status.State == ReplayState.Ended, "not ended");
            Check.That(!there.IsCompleted, "it is there before the snapshot");
            var end = new ServerFrame { Tick = Last, Enter = { t.Unit(1, 0, 3, 3) }, Ended = new Ended { Winners = { 1 } }, Players = { new PlayerNote { Slot = 0, State = PlayerState.Defeated } } };
            end.Enter.AddRange(t.Unit(1, 1, 20, 20));
            t.Tell(end);
            t.Until(() => there.IsCompleted, "not there");
            Check.That(t.Replay.Tick == Last && state.Replica.Ended.Winners[0] == 1 && state.Replica.Players[0] == PlayerState.Defeated, "the state at the end");
            Check.That(t.Explored() > early, "nothing more is explored");

            there = t.Replay.SeekAsync(40);
            t.Tell(t.Status(s =>
            {
                s.Tick = 40;
                s.Done = 2;
            }));
            t.Tell(new ServerFrame { Tick = 40, Enter = { t.Unit(1, 0, 3, 3) }, Players = { new PlayerNote { Slot = 0, State = PlayerState.Playing } } });
            t.Until(() => there.IsCompleted, "not back");
            Check.That(t.Replay.Tick == 40 && t.Explored() == early && state.Replica.Ended == null && state.Replica.Players[0] == PlayerState.Playing, "what is later is not forgotten");
            Check.That(Math.Abs(t.Replay.Match.DrawTick - 40) < 4, "it is drawn at {0}", t.Replay.Match.DrawTick);
        }

        public static void AllWhoDragAreAnsweredOnceTheLastIsThere()
        {
            var t = new Stage();
            var all = new uint[] { 100, 200, 300 }.Select(tick => t.Replay.SeekAsync(tick)).ToArray();
            t.Tell(t.Status(s =>
            {
                s.Tick = 300;
                s.Done = 3;
            }));
            t.Tell(new ServerFrame { Tick = 300 });
            t.Until(() => all.All(x => x.IsCompleted), "not all are there");
            var end = new CancellationTokenSource();
            var late = t.Replay.SeekAsync(400, end.Token);
            end.Cancel();
            Check.That(late.IsCanceled, "a call that was cancelled is {0}", late.Status);
            var never = t.Replay.SeekAsync(500);
            t.Replay.Dispose();
            Check.Throws("left", () => Wait(never));
        }

        public static void ItRunsAtASpeedAndStandsStill()
        {
            var t = new Stage();
            var match = t.Replay.Match;
            t.Tell(new ServerFrame { Tick = 100 });
            t.Replay.SetSpeed(1600);
            Check.Equal(t.Control(1).Percent, 1600u, "the speed that is asked for");
            t.Tell(t.Status(s => s.Percent = 1600));
            t.Until(() => t.Replay.Status.Percent == 1600, "no status");
            Check.Equal(match.Clock.TickMs, 1000.0 / match.State.Welcome.TickRate / 16, "the time of a tick");
            foreach (var state in new[] { ReplayState.Playing, ReplayState.Seeking, ReplayState.WaitingForServer, ReplayState.Ended })
            {
                t.Tell(t.Status(s =>
                {
                    s.State = state;
                    s.Paused = state == ReplayState.Playing;
                }));
                t.Until(() => t.Replay.Status.State == state && t.Replay.Status.Percent == 100, "no status " + state);
                t.Now += 5000;
                Check.Equal(match.DrawTick, 100.0, "what is drawn while it is " + state);
            }
            t.Tell(t.Status(s => { }));
            t.Until(() => t.Replay.Status.State == ReplayState.Playing, "not playing");
            for (int i = 0; i < 12; i++)
            {
                t.Now += 20;
                t.Steps(1);
            }
            Check.That(match.DrawTick > 100.5, "it stands still at {0}", match.DrawTick);
        }

        public static void AtItsEndItPlaysFromTheBeginning()
        {
            foreach (bool live in new[] { false, true })
            {
                var t = new Stage(null, i =>
                {
                    i.First = 200;
                    i.Live = live;
                });
                t.Tell(t.Status(s => s.State = ReplayState.Ended));
                t.Until(() => t.Replay.Status.State == ReplayState.Ended, "not ended");
                t.Replay.Play(200);
                var c = t.Control(1);
                Check.Equal(c.Paused + " " + c.Percent + " " + c.Seek, live ? "False 200 " : "False 200 201", live ? "of a match that runs" : "of a match that is over");
            }
        }

        public static void OtherEyesForgetWhatTheOthersKnew()
        {
            var t = new Stage();
            var first = new ServerFrame { Tick = 10, Enter = { t.Unit(1, 0, 3, 3) } };
            first.Enter.AddRange(t.Unit(1, 1, 20, 20));
            t.Tell(first);
            t.Until(() => t.Replay.Tick == 10, "no frame");
            int all = t.Explored();
            var told = new List<uint>();
            t.Replay.EyesChanged += told.Add;
            var there = t.Replay.SetEyesAsync(1);
            Check.Equal(t.Control(1).Eyes, 2u, "the eyes that are asked for");
            t.Tell(t.Status(s =>
            {
                s.Tick = 10;
                s.Eyes = 2;
                s.Done = 1;
            }));
            // The mask is that of the new eyes: a unit of the other team gives no sight.
            var second = new ServerFrame { Tick = 10, Enter = { t.Unit(1, 0, 3, 3) } };
            second.Enter.AddRange(t.Unit(1, 1, 20, 20));
            t.Tell(second);
            t.Until(() => there.IsCompleted, "not there");
            Check.Equal(t.Replay.Eyes + " " + string.Join(" ", told), "1 1", "the eyes");
            Check.That(t.Explored() < all && !t.Replay.Match.State.Visible.Has(3, 3), "the other team's sight is not forgotten");
            var fixedEyes = new Stage(null, i => i.EyesFixed = true);
            Check.Throws(ErrorCodes.EyesFixed, () => Wait(fixedEyes.Replay.SetEyesAsync(0)));
            Check.Equal(fixedEyes.Controls().Count, 0, "controls");
        }

        public static void ItTellsOfCamerasAndOfWhatIsMade()
        {
            var t = new Stage();
            int moved = 0;
            t.Replay.CameraMoved += c => moved++;
            t.Tell(t.Status(s =>
            {
                s.Cameras.Add(new ReplayCamera { Slot = 1, X = 7, Y = 8, Radius = 9 });
                s.Production.Add(new ReplayProduction { Slot = 0, Type = 0, Count = 3, Progress = 51 });
            }));
            t.Until(() => t.Replay.Production.Count == 1, "nothing is made");
            Check.Equal(t.Replay.Cameras[1].X + " " + t.Replay.Production[0].Count + " " + moved, "7 3 1", "camera, production");
            t.Tell(t.Status(s => { }));
            t.Until(() => t.Replay.Production.Count == 0, "still made");
            Check.Equal(t.Replay.Cameras.Count, 1, "cameras");
        }

        public static void ItComesBackToWhereItWas()
        {
            var t = new Stage();
            t.Tell(t.Status(s =>
            {
                s.Tick = 500;
                s.Eyes = 1;
                s.Percent = 400;
            }));
            t.Tell(new ServerFrame { Tick = 500 });
            t.Tell(new ServerFrame { Timeline = new ReplayTimeline { PointTicks = 20, Series = { new ReplaySeries { Army = { 1, 2 } } }, Events = { new ReplayEvent { Kind = ReplayEventKind.Ended, Tick = 9 } } } });
            t.Until(() => t.Replay.Timeline.Points == 2, "no timeline");
            t.Socket.End();
            t.Until(() => t.Replay.Match.Status == MatchStatus.Resuming, "not lost");
            var there = t.Replay.SeekAsync(900);
            t.Replay.Pause();
            t.Now += 1000;
            t.Until(() => t.Sockets.Count == 2 && t.Socket.Got.Count == 1, "no second connection");
            t.Tell(t.Welcome(null));
            var c = t.Control(1);
            Check.Equal(c.Seek + " " + c.Percent + " " + c.Paused + " " + c.Eyes + " " + c.Number, "900 400 True 1 1", "what is asked for");
            Check.Equal(t.Replay.Timeline.Points + t.Replay.Timeline.Events.Count, 0, "points and events before they are told anew");
            t.Tell(t.Status(s =>
            {
                s.Tick = 900;
                s.Eyes = 1;
                s.Done = 1;
            }));
            t.Tell(new ServerFrame { Tick = 900 });
            t.Until(() => there.IsCompleted, "not there");
            Check.Equal(t.Replay.Tick, 900u, "the tick");
        }

        public static void ASecondConnectionHasOtherEyes()
        {
            var t = new Stage();
            var other = t.Replay.Beside(1);
            t.Until(() => t.Sockets.Count == 2 && t.Socket.Got.Count == 1, "no second connection");
            var hello = t.Socket.Got[0].Hello;
            Check.Equal(hello.Ticket + " " + hello.Resume + " " + hello.Beside, " again True", "its hello");
            t.Tell(t.Welcome(null));
            Check.Equal(t.Control(1).Eyes, 2u, "its eyes");
            t.Tell(t.Status(s => s.Eyes = 2));
            t.Until(() => other.Eyes == 1, "not its eyes");
            Check.Equal(t.Replay.Eyes, Replay.AllTeams, "the first one's eyes");
            t.Replay.Dispose();
            Check.Equal(other.Match.Status, MatchStatus.Closed, "the second one's status");
        }

        public static void NumbersThatAreNoReplaysAreRefused()
        {
            var t = new Stage();
            var wrong = new Action<ServerFrame>[]
            {
                f => f.Replay.Eyes = 99, f => f.Replay.Percent = 1601, f => f.Replay.Cameras.Add(new ReplayCamera { Slot = 40 }),
                f => f.Replay.Production.Add(new ReplayProduction { Type = 1 << 20 }), f => f.Timeline = new ReplayTimeline { Series = { new ReplaySeries { Slot = 40 } } },
            };
            foreach (var spoil in wrong)
            {
                var f = t.Status(s => { });
                spoil(f);
                var d = new Decoder();
                d.Decode(WireWriter.Write(t.Welcome(null)));
                Check.Throws(ErrorCodes.BadFrame, () => d.Decode(WireWriter.Write(f)));
            }
            foreach (var part in new[]
            {
                new ReplayTimeline { PointTicks = 20, Point = 5, Series = { new ReplaySeries { Army = { 1 } } } },
                new ReplayTimeline { PointTicks = 20, Point = 1 << 30, Series = { new ReplaySeries { Army = { 1 } } } },
                new ReplayTimeline { Series = { new ReplaySeries { Army = { 1 } } } },
            })
            {
                var s = new Stage();
                s.Tell(new ServerFrame { Timeline = part });
                s.Until(() => s.Replay.Match.Status == MatchStatus.Resuming, "a part that does not fit is taken");
            }
        }

        /// <summary>61 points, one a second: 2 orders and 5 ore a second, from the 30th second on a loss.</summary>
        public static void ATimelineGrowsByParts()
        {
            var t = new Stage();
            var line = t.Replay.Timeline;
            int kinds = t.Replay.Match.State.Welcome.Resources.Count, told = 0;
            uint rate = t.Replay.Match.State.Welcome.TickRate;
            t.Replay.TimelineChanged += x => told++;
            Check.That(line.PointAt(100) == -1 && line.At(0, SeriesName.Army, 100) == null && line.HeldAt(0, 100).Count == 0, "something is known at first");
            var s = new ReplaySeries();
            for (uint k = 0; k < 61; k++)
            {
                s.Army.Add(10 * k);
                s.Orders.Add(2 * k);
                s.LostValue.Add(k < 30 ? 0 : 75u);
                for (int i = 0; i < kinds; i++)
                {
                    s.Held.Add(k + 1000 * (uint)i);
                    s.Gathered.Add(i == 0 ? 5 * k : k);
                }
            }
            t.Tell(new ServerFrame { Timeline = new ReplayTimeline { PointTicks = rate, Series = { s } } });
            t.Until(() => line.Points == 61, "no points");
            Check.Equal(line.Knows(0) + " " + line.Knows(1), "True False", "of whom something is known");
            Check.Equal(line.At(0, SeriesName.Army, 2 * rate + 3) + " " + string.Join(",", line.HeldAt(0, 2 * rate + 3)), "20 " + string.Join(",", Enumerable.Range(0, kinds).Select(i => 2 + 1000 * i)), "at a tick");
            Check.Equal(line.At(0, SeriesName.Army, 1000000), 600u, "beyond the end");
            Check.Equal(line.PerMinute(0, 60) + " " + line.PerMinute(0, 10) + " " + line.PerMinute(0, 0), "120 120 0", "orders in a minute");
            Check.Equal(line.Income(0, 60), (uint)(60 * (5 + kinds - 1)), "income");
            Check.Equal(string.Join(" ", new[] { 29, 30, 31 }.Select(k => line.Growth(0, SeriesName.LostValue, k))), "0 75 0", "growth");
            t.Tell(new ServerFrame { Timeline = new ReplayTimeline { PointTicks = rate, Point = 61, Series = { new ReplaySeries { Army = { 777 } }, new ReplaySeries { Slot = 1, Army = { 5 } } } } });
            t.Until(() => line.Points == 62, "no more points");
            Check.Equal(line.At(0, SeriesName.Army, 61 * rate) + " " + line.Of(1, SeriesName.Army).Count, "777 62", "the next part");
            t.Tell(new ServerFrame { Timeline = new ReplayTimeline { Restart = true, PointTicks = 2 * rate, Series = { new ReplaySeries { Army = { 1, 2 } } } } });
            t.Until(() => line.Points == 2, "not begun anew");
            Check.Equal(line.At(0, SeriesName.Army, 2 * rate + 5) + " " + line.TickOf(1) + " " + told, "2 " + 2 * rate + " 3", "begun anew");
        }

        public static void EventsAreInTheOrderOfTheirTicks()
        {
            var t = new Stage();
            var part = new ReplayTimeline
            {
                Events =
                {
                    new ReplayEvent { Kind = ReplayEventKind.Contact, Tick = 200, Team = 1, Other = 2, X = 4, Y = 5 },
                    new ReplayEvent { Kind = ReplayEventKind.Ended, Tick = 900, Team = 2, Reason = "elimination" },
                    new ReplayEvent { Kind = ReplayEventKind.Fight, Tick = 300, Until = 420, Value = 150, Losses = { new ReplayLoss { Count = 2, Value = 150 }, new ReplayLoss { Slot = 40, Count = 1 } } },
                    new ReplayEvent { Kind = (ReplayEventKind)99, Tick = 1 },
                    new ReplayEvent { Kind = ReplayEventKind.StructureLost, Tick = 500, Slot = 1, By = 2, Type = 1 },
                },
            };
            t.Tell(new ServerFrame { Timeline = part });
            var line = t.Replay.Timeline;
            t.Until(() => line.Events.Count > 0, "no events");
            Check.Equal(string.Join(" ", line.Events.Select(e => e.Kind)), "Contact Fight StructureLost Ended", "the events");
            Check.Equal(line.Next(200).Until + " " + line.Next(200).Losses.Single().Count + " " + line.Previous(500).Kind, "420 2 Fight", "the next and the one before");
            Check.That(line.Next(900) == null && line.Previous(200) == null, "something beyond");
            var first = line.Events[0];
            Check.Equal(first.Team + " " + first.Other + " " + first.Slot + " " + first.At.Value.X + " " + first.At.Value.Y + " " + first.Type, "0 1 -1 4 5 -1", "a contact");
            Check.Equal(line.Events[2].Slot + " " + line.Events[2].By + " " + line.Events[2].Type, "0 1 0", "a loss");
            Check.Equal(line.Events[3].Team + " " + line.Events[3].At.HasValue + " " + line.Events[3].Reason, "1 False elimination", "the end");
        }

        internal static void Wait(Task task)
        {
            try
            {
                task.Wait(20000);
            }
            catch (AggregateException err)
            {
                throw err.InnerException;
            }
        }

        /// <summary>A replay with sockets, a clock and a map of the test; the welcome is that of a spectator's vector.</summary>
        private sealed class Stage
        {
            public readonly List<FakeSocket> Sockets = new List<FakeSocket>();
            public readonly Replay Replay;
            public double Now = 1000;

            private readonly byte[] welcome;

            public Stage(Action<ReplayOptions> options = null, Action<ReplayInfo> info = null, bool welcomed = true)
            {
                var stream = VectorTests.Streams.First(s => s.DerivesFog && s.Name.StartsWith("base.json"));
                welcome = stream.Messages.First(m => WireReader.Read<ServerFrame>(m.Server).Welcome != null).Server;
                var o = new ReplayOptions
                {
                    Server = new Uri("http://localhost:1/game/"), Ticket = "ticket", Clock = () => Now,
                    FetchMap = (hash, cancel) => Task.FromResult(stream.MapBytes),
                    Socket = () =>
                    {
                        Sockets.Add(new FakeSocket());
                        return Socket;
                    },
                };
                if (options != null) options(o);
                Replay = new Replay(o);
                Until(() => Sockets.Count == 1 && Socket.Got.Count == 1, "no connection");
                if (!welcomed) return;
                Tell(Welcome(info));
                Until(() => Replay.Info != null, "no welcome");
            }

            public FakeSocket Socket { get { return Sockets[Sockets.Count - 1]; } }

            public ServerFrame Welcome(Action<ReplayInfo> info)
            {
                var f = WireReader.Read<ServerFrame>(welcome);
                f.Welcome.Spectator = true;
                f.Welcome.Slot = Decoder.NoSlot;
                f.Welcome.Team = Replay.AllTeams;
                f.Welcome.Resume = "again";
                f.Welcome.Replay = new ReplayInfo { MatchId = "m", Last = Last, Tick = 1 };
                if (info != null) info(f.Welcome.Replay);
                return f;
            }

            public ServerFrame Status(Action<ReplayStatus> more)
            {
                var s = new ReplayStatus { Tick = 1, Last = Last, Percent = 100, State = ReplayState.Playing };
                more(s);
                return new ServerFrame { Replay = s };
            }

            /// <summary>A row of enter: the first unit that sees, so many handles after the row before, at a tile.</summary>
            public uint[] Unit(uint gap, uint slot, uint x, uint y)
            {
                var w = Replay.Match.State.Welcome;
                uint types = (uint)w.Types.Count, type = (uint)w.Types.FindIndex(i => i.Class == TypeClass.Unit && i.Sight > 4);
                return new[] { gap * (uint)(w.Players.Count + 1) * types + (slot + 1) * types + type, (y * 16 * (uint)Replay.Match.State.Map.Width + x) * 16, 0u };
            }

            public int Explored()
            {
                var m = Replay.Match.State.Explored;
                return Enumerable.Range(0, m.Width * m.Height).Count(i => m.Has(i % m.Width, i / m.Width));
            }

            public void Tell(ServerFrame f) { Socket.Deliver(WireWriter.Write(f)); }

            /// <summary>The controls that went out on the newest connection.</summary>
            public List<ReplayControl> Controls() { return Socket.Got.Where(f => f.Replay != null).Select(f => f.Replay).ToList(); }

            /// <summary>The n-th of them, which is the last, once it is out.</summary>
            public ReplayControl Control(int n)
            {
                Until(() => Controls().Count >= n, "no control " + n);
                return Controls().Skip(n - 1).Single();
            }

            public void Steps(int n)
            {
                for (int i = 0; i < n; i++)
                {
                    Replay.Update();
                    Thread.Sleep(2); // the writer's turn
                }
            }

            public void Until(Func<bool> done, string what)
            {
                for (int i = 0; !done(); i++)
                {
                    Check.That(i < 2000, "{0} ({1}, {2})", what, Replay.Match.Status, Replay.Match.Error);
                    Steps(1);
                }
            }
        }
    }

    internal static class ListAdd
    {
        /// <summary>A row in an initializer of a list.</summary>
        public static void Add(this List<uint> list, uint[] row) { list.AddRange(row); }
    }
}
