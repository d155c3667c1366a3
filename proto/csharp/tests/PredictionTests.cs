using System;
using System.Collections.Generic;
using System.Linq;
using Fogkeep.Wire;

namespace Fogkeep.Tests
{
    using Obj = Dictionary<string, object>;

    /// <summary>Orders that show before the server has acted on them.</summary>
    public static class PredictionTests
    {
        private const double Near = 0.002; // tiles, radians: the other client draws in single precision

        /// <summary>proto/testdata/prediction.json: what the TypeScript client draws of the same frames and orders.</summary>
        public static void IsThatOfTheOtherClients()
        {
            int compared = 0, ahead = 0, fired = 0;
            var rows = new List<string>();
            var drawnShots = new int[5]; // by phase
            Cases((about, state, step) =>
            {
                rows.AddRange(state.Fire.Fired.Select(s => string.Join(" ", s.Unit, s.Index, s.Target, Rounded(s.X), Rounded(s.Y))));
                if (step == null) return;
                double tick = state.Drawing.Tick;
                foreach (var want in (Obj)step["at"])
                {
                    var e = state.Replica.Entities[uint.Parse(want.Key)];
                    var row = ((List<object>)want.Value).Cast<double>().ToArray();
                    string what = string.Format("{0}: at tick {1} handle {2}", about, tick, want.Key);
                    Check.That(Math.Abs(e.DrawnX / 1024 - row[0]) < Near && Math.Abs(e.DrawnY / 1024 - row[1]) < Near, "{0} is drawn at {1:F3},{2:F3}, not {3},{4}", what, e.DrawnX / 1024, e.DrawnY / 1024, row[0], row[1]);
                    Check.That(Math.Abs(Drawing.Turn(e.DrawnAngle, row[2])) < Near, "{0} looks to {1}, not {2}", what, e.DrawnAngle, row[2]);
                    double x, y;
                    e.PlaceAt(tick, out x, out y);
                    if (Math.Abs(e.DrawnX - x) + Math.Abs(e.DrawnY - y) > 64) ahead++;
                    compared++;
                    Check.Equal(TaskOf(state, e.Handle), Joined(step["tasks"], want.Key), what + ": task");
                    var rally = state.Prediction.Rally(e.Handle);
                    Check.Equal(rally == null ? "" : rally.Value.X + " " + rally.Value.Y, Joined(step["rallies"], want.Key), what + ": rally");
                }
                var shots = ((List<object>)step["shots"]).Select(s => ((List<object>)s).Cast<double>().ToArray()).ToList();
                Check.Equal(string.Join(" ", state.Shots.Drawn.Select(s => s.Unit + ":" + (int)s.Phase)), string.Join(" ", shots.Select(s => s[0] + ":" + s[1])), about + ", tick " + tick + ": units and phases of shots");
                for (int i = 0; i < shots.Count; i++)
                {
                    var s = state.Shots.Drawn[i];
                    var got = new[] { s.X / 1024, s.Y / 1024, s.Angle, s.Wound, s.Alpha };
                    for (int k = 0; k < got.Length; k++) Check.That(Math.Abs(got[k] - shots[i][2 + k]) < Near, "{0}, tick {1}: the shot of {2} is {3}, not {4}", about, tick, s.Unit, string.Join(" ", got), string.Join(" ", shots[i].Skip(2)));
                    drawnShots[(int)s.Phase]++;
                }
                var wanted = ((List<object>)step["fired"]).Select(s => string.Join(" ", (List<object>)s)).ToList();
                Check.Equal(string.Join(", ", rows.OrderBy(s => s, StringComparer.Ordinal)), string.Join(", ", wanted.OrderBy(s => s, StringComparer.Ordinal)), about + ", tick " + tick + ": fired shots");
                fired += rows.Count;
                rows.Clear();
                Check.Equal(state.Prediction.Count, (int)(double)step["count"], about + ": units with orders");
            });
            Check.That(fired > 15, "{0} shots were fired", fired);
            Check.That(drawnShots.All(n => n > 10), "shots by phase: {0}", string.Join(" ", drawnShots));
            Check.That(compared > 1000 && ahead > 200, "{0} places, {1} of them elsewhere than the server's course", compared, ahead);
        }

        /// <summary>An order without an answer is replayed over each correction: the unit goes on as ordered, and nothing jumps.</summary>
        public static void UnansweredOrdersOutliveCorrections()
        {
            var walked = new List<double>();
            double was = double.NaN;
            Cases((about, state, step) =>
            {
                if (!about.StartsWith("an order that has no answer")) return;
                var e = state.Replica.Entities[3];
                if (!double.IsNaN(was)) Check.That(Math.Abs(e.DrawnX - was) < 200, "it jumps from {0} to {1}", was, e.DrawnX);
                was = e.DrawnX;
                var task = state.Prediction.Task(3);
                if (task == null || task.Accepted) return;
                Check.Equal(task.Kind, OrderKind.Move, "what it does");
                walked.Add(e.DrawnX / 1024 - (20 + (state.Tick - 101) / 16.0));
            });
            Check.That(walked.Count > 15 && walked.Last() > 0.2, "after {0} pictures it is drawn {1} tiles ahead of its corrections", walked.Count, walked.LastOrDefault());
        }

        /// <summary>A match shows what it sends, draws it with Draw, and takes back what is lost.</summary>
        public static void AMatchShowsWhatItSends()
        {
            MatchTests.Playing((match, now, enter, lose) =>
            {
                var unit = match.Own(TypeClass.Unit).First();
                int x, y;
                unit.PlaceAt(match.State.Tick, out x, out y);
                match.Send(Give.Move(new[] { unit.Handle }, x + 8192, y));
                Check.Equal(match.State.Prediction.Count, 0, "units with orders before anything is drawn");
                now(500);
                match.Draw();
                double drawn = unit.DrawnX;
                match.Send(Give.Move(new[] { unit.Handle }, x + 8192, y));
                Check.Equal(match.State.Prediction.Task(unit.Handle).Kind, OrderKind.Move, "its task");
                for (int i = 0; i < 20; i++)
                {
                    now(50);
                    match.Draw();
                }
                Check.That(unit.DrawnX > drawn + 64, "it is drawn at {0} after {1}", unit.DrawnX, drawn);
                lose();
                Check.That(match.State.Prediction.Task(unit.Handle) == null, "an order that is lost still shows");
            });
        }

        /// <summary>An order to attack has a number for each shot that shows, and no other order has one.</summary>
        public static void AMatchNumbersItsShots()
        {
            MatchTests.Playing((match, now, enter, lose) =>
            {
                var rules = match.State.Welcome;
                uint types = (uint)rules.Types.Count, width = 16 * (uint)match.State.Map.Width;
                uint gun = (uint)rules.Types.FindIndex(t => t.Class == TypeClass.Unit && t.Weapons.Count > 0 && rules.Weapons[(int)t.Weapons[0]].Projectile && rules.Weapons[(int)t.Weapons[0]].HitsGround);
                uint foe = (uint)rules.Types.FindIndex(t => t.Class == TypeClass.Structure), cells = (rules.Weapons[(int)rules.Types[(int)gun].Weapons[0]].Range - 1024) / 64;
                uint kinds = (uint)(rules.Players.Count + 1) * types;
                enter(new[]
                {
                    5000 * kinds + (rules.Slot + 1) * types + gun, width * 64 + 64, 0u,
                    kinds + (rules.Slot + 1) * types + gun, width * 64 + 64, 0u,
                    kinds + ((rules.Slot + 1) % (uint)rules.Players.Count + 1) * types + foe, width * 64 + 64 + cells, 0u,
                });
                now(500);
                match.Draw();
                var units = new uint[] { 5000, 5001 };
                Order first = Give.Attack(units, 5002), second = Give.Attack(units, 5002), other = Give.Stop(units);
                match.Send(first);
                Check.Equal(string.Join(" ", match.State.Shots.Drawn.Select(s => s.Unit)), "5000 5001", "whose shots show (" + match.State.Shots.WhyNot(5000, first) + ")");
                match.Send(second);
                Check.Equal(match.State.Shots.Drawn.Count + " " + (second.Request - first.Request), "2 2", "shots after the next order, and its numbers");
                match.Send(other);
                Check.Equal(match.State.Shots.Drawn.Count + " " + other.Request, "0 0", "shots after a stop, and its number");
                match.Send(Give.Attack(units, 5002));
                lose();
                Check.Equal(match.State.Shots.Drawn.Count, 0, "shots of an order that is lost");
            });
        }

        /// <summary>Plays the cases: drawn is called with each picture, and with what is written of the last one of a step.</summary>
        private static void Cases(Action<string, MatchState, Obj> drawn)
        {
            var file = (Obj)Json.Read(Runner.Text("proto/testdata/prediction.json"));
            var map = GameMap.Read(Bytes(file["map"]));
            foreach (Obj c in (List<object>)file["cases"])
            {
                var state = new MatchState(hash => map, false);
                double tick = (double)file["first"];
                state.Receive(Bytes(file["welcome"]));
                foreach (Obj step in (List<object>)c["steps"])
                {
                    if (step.ContainsKey("server")) state.Receive(Bytes(step["server"]));
                    if (step.ContainsKey("order"))
                    {
                        var order = WireReader.Read<Order>(Bytes(step["order"]));
                        state.Prediction.Give(order, (double)step["server_tick"]);
                        state.Shots.Give(order, 100 * order.Seq, (double)step["server_tick"], true);
                    }
                    if (!step.ContainsKey("draw")) continue;
                    for (int left = (int)(double)step["draw"]; left > 0; left--)
                    {
                        tick += (double)step["ticks"];
                        state.Drawing.Sample(tick, (double)file["picture_ms"]);
                        drawn((string)c["about"], state, left == 1 ? step : null);
                    }
                }
            }
        }

        private static double Rounded(double v) { return double.IsNaN(v) ? -1 : Math.Floor(v + 0.5); }

        private static string TaskOf(MatchState state, uint unit)
        {
            var t = state.Prediction.Task(unit);
            return t == null ? "" : (int)t.Kind + " " + t.Accepted + (t.To == null ? "" : " " + t.To.Value.X + " " + t.To.Value.Y);
        }

        private static string Joined(object rows, string handle)
        {
            object row;
            return ((Obj)rows).TryGetValue(handle, out row) ? string.Join(" ", (List<object>)row) : "";
        }

        private static byte[] Bytes(object base64) { return Convert.FromBase64String((string)base64); }
    }
}
