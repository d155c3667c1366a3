using System;
using System.Collections.Generic;
using System.Linq;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>What an own unit was ordered to do, and the server has not told yet.</summary>
    public sealed class ShownTask
    {
        /// <summary>The order's kind; unspecified: it stops.</summary>
        public OrderKind Kind { get; internal set; }
        public Place? To { get; internal set; }
        /// <summary>Whether the server has accepted the order.</summary>
        public bool Accepted { get; internal set; }
    }

    /// <summary>
    /// Shows the player's orders at once. Orders that the server has not acted on are kept, and replayed over the newest
    /// course that it has sent. Only places, angles and what the player has ordered are predicted: never a hit, a death or a
    /// resource. The rules, and their numbers, are those of the TypeScript SDK (web/sdk/src/state/prediction.ts has the
    /// picture): proto/testdata/prediction.json holds the two together.
    /// </summary>
    public sealed class Prediction
    {
        private const double LeadShare = 0.4; // of the lead is given up in each tick that is drawn
        private const double LeadMsMax = 1200;
        private const int SavedMax = 8; // orders of one unit; the oldest are dropped
        private const int ActsAfter = 1; // ticks after its answer an order acts, or sooner
        private const int ToldAfter = 2; // ticks after its answer the frames have told what it changed
        private const double DelayFirst = 4, DelayMax = 60, DelayShare = 0.25; // ticks from an order to its effect; the weight of a measurement
        private const double SetOff = Math.PI / 4; // a unit sets off when it faces its way to an eighth of a turn
        private const double TurnUnit = Math.PI / 128, TurnLeast = 0.05; // a 256th of a turn; the slowest turning that is waited for, radians a tick
        private const double LookTiles = 6, LookStep = 0.25; // how far the ground ahead is looked at, and at what distances
        private const double FollowNear = 1.5, WorkNear = 1; // how near to its target a unit goes, tiles
        private const double FormationGap = Course.TileUnits / 8;
        internal const uint Ground = 0, Hover = 1, Naval = 2, Air = 3; // ways of moving
        private const uint FeatureBridge = 2, FeatureGate = 3, FeatureMine = 6, FeatureFlood = 7; // TypeInfo.feature; pickups and switches follow

        private sealed class Saved
        {
            public Order Order;
            public double Pace = double.PositiveInfinity; // the speed of the slowest of a group that keeps together
            public double Given; // the server's tick
            public uint Answered; // the tick of the answer; 0: none
        }

        /// <summary>One unit's part of an order.</summary>
        private sealed class Step
        {
            public Saved Saved;
            public double At; // the tick in which it acts, as far as is known
            public bool Moves; // it changes where the unit goes
            public double GoalX, GoalY, Near, Free; // how near it goes, and how far it can walk straight ahead: world units
        }

        private sealed class Unit
        {
            public List<Step> Steps = new List<Step>();
            public double Lead; // ticks that it is drawn ahead
            public double DrawnX, DrawnY; // before the frame that is applied
        }

        private readonly MatchState state;
        private readonly Replica replica;
        private readonly Welcome rules;
        private readonly Dictionary<uint, Unit> units = new Dictionary<uint, Unit>();
        private readonly Dictionary<uint, Saved> orders = new Dictionary<uint, Saved>();
        private double delay = DelayFirst;
        private bool measured;

        internal Prediction(MatchState state)
        {
            this.state = state;
            replica = state.Replica;
            rules = state.Welcome;
        }

        /// <summary>Changes with each order and each answer: what panels show may have changed.</summary>
        public int Version { get; private set; }

        /// <summary>Units and structures with orders whose effect has not been told.</summary>
        public int Count { get { return units.Count; } }

        /// <summary>What a unit was ordered to do and the server has not told yet; null: there is no such order.</summary>
        public ShownTask Task(uint unit)
        {
            var step = LastStep(unit, o => OrderKinds.Tasks.Contains(o.Kind) && !o.Queued);
            if (step == null) return null;
            var o1 = step.Saved.Order;
            bool stands = o1.Kind == OrderKind.Stop || o1.Kind == OrderKind.Hold;
            var to = o1.To != null ? new Place { X = o1.To.X, Y = o1.To.Y } : new Place { X = (int)step.GoalX, Y = (int)step.GoalY };
            return new ShownTask
            {
                Kind = o1.Kind == OrderKind.Stop ? OrderKind.Unspecified : o1.Kind, To = stands ? (Place?)null : to, Accepted = step.Saved.Answered != 0,
            };
        }

        /// <summary>Where the units that a structure trains were sent, by an order whose effect was not told yet.</summary>
        public Place? Rally(uint structure)
        {
            var step = LastStep(structure, o => o.Kind == OrderKind.Rally);
            return step == null || step.Saved.Order.To == null ? (Place?)null : new Place { X = step.Saved.Order.To.X, Y = step.Saved.Order.To.Y };
        }

        /// <summary>
        /// The player gave an order at the server's tick: it shows with the next picture. A <see cref="Match"/> does it in
        /// <see cref="Match.Send"/>.
        /// </summary>
        public void Give(Order order, double serverTick)
        {
            if (rules.Spectator || Drawing.Tick <= 0) return; // nothing is drawn
            var group = order.Units.Select(OwnOf).Where(e => e != null).ToList();
            if (group.Count == 0) return;
            var saved = new Saved { Order = order, Given = serverTick };
            if (order.Together && OrderKinds.Groups.Contains(order.Kind)) saved.Pace = Slowest(order.Units);
            Version++;
            orders[order.Seq] = saved;
            var places = PlacesOf(group, order);
            double at = Math.Min(serverTick + delay, Drawing.Tick + LeadMsMax * rules.TickRate / 1000);
            for (int i = 0; i < group.Count; i++)
            {
                var was = Drawing.Aim(group[i]);
                Add(group[i], saved, at, places[i]);
                Drawing.KeepAt(group[i], was.X, was.Y);
            }
        }

        /// <summary>The server answered an order. Units that were left out do not follow it.</summary>
        internal void Answered(uint seq, bool ok, IList<uint> leftOut)
        {
            Saved saved;
            if (!orders.TryGetValue(seq, out saved) || saved.Answered != 0) return;
            Version++;
            saved.Answered = replica.Tick;
            if (!ok)
            {
                orders.Remove(seq);
                Drop((h, step) => step.Saved == saved);
                return;
            }
            double took = Math.Max(ActsAfter, Math.Min(DelayMax, replica.Tick + ActsAfter - saved.Given));
            delay = measured ? delay + (took - delay) * DelayShare : took;
            measured = true;
            if (leftOut.Count > 0) Drop((h, step) => step.Saved == saved && leftOut.Contains(h));
            foreach (var u in units)
            {
                var e = replica.Entities[u.Key];
                foreach (var step in u.Value.Steps)
                {
                    if (step.Saved != saved) continue;
                    var was = Drawing.Aim(e);
                    step.At = Math.Min(replica.Tick + ActsAfter, Drawing.Tick + u.Value.Lead); // what shows stays shown
                    Drawing.KeepAt(e, was.X, was.Y);
                }
            }
        }

        /// <summary>Before a frame is applied: notes where its units are drawn, and forgets those that leave.</summary>
        internal void Before(Frame f)
        {
            if (f.Snapshot)
            {
                // It has the effect of answered orders. The others are replayed over it.
                Drop((h, step) => step.Saved.Answered != 0);
                foreach (var o in orders.Values.Where(o => o.Answered != 0).ToList()) orders.Remove(o.Order.Seq);
                Version++;
            }
            foreach (var u in units)
            {
                var e = replica.Entities[u.Key];
                var at = Drawing.Aim(e);
                u.Value.DrawnX = at.X + e.ErrX;
                u.Value.DrawnY = at.Y + e.ErrY;
            }
            foreach (uint h in f.Leave) units.Remove(h);
            foreach (uint h in f.Destroyed) units.Remove(h);
            foreach (var row in f.Owners) units.Remove(row.Handle);
        }

        /// <summary>After the entities of a snapshot: forgets units that are not the player's any more.</summary>
        internal void Found()
        {
            foreach (uint h in units.Keys.Where(h => OwnOf(h) == null).ToList()) units.Remove(h);
        }

        /// <summary>A frame was applied: forgets the orders whose effect it told. Nothing that is drawn jumps.</summary>
        internal void After()
        {
            foreach (var u in units)
            {
                var e = replica.Entities[u.Key];
                if (e.Entered == replica.Tick) continue;
                e.ErrX = e.ErrY = 0;
                Drawing.KeepAt(e, u.Value.DrawnX, u.Value.DrawnY);
            }
            Drop((h, step) =>
            {
                if (step.Saved.Answered == 0) return false;
                uint after = replica.Tick - step.Saved.Answered;
                return after >= ToldAfter || after >= ActsAfter && step.Moves && replica.Entities[h].Since == replica.Tick;
            });
            foreach (var o in orders.Values.Where(o => o.Answered != 0 && replica.Tick - o.Answered >= ToldAfter).ToList()) orders.Remove(o.Order.Seq);
        }

        /// <summary>Before a picture, so many ticks after the one before: leads shrink.</summary>
        internal void Shrink(double ticks)
        {
            foreach (var u in units.Values) u.Lead = Math.Max(0, u.Lead - LeadShare * ticks);
        }

        /// <summary>Where an entity is drawn: the server's course with the saved orders replayed over it. False: as the server's course says.</summary>
        internal bool PoseOf(Entity e, double tick, out Pose p)
        {
            p = default(Pose);
            Unit unit;
            if (units.Count == 0 || !units.TryGetValue(e.Handle, out unit)) return false;
            int first = NextMove(unit, 0);
            if (first == unit.Steps.Count) return false;
            double until = tick + unit.Lead, at = Math.Min(until, Math.Max(unit.Steps[first].At, e.Since));
            p = Drawing.Reckon(e, at);
            for (int i = first; i < unit.Steps.Count;)
            {
                int next = NextMove(unit, i + 1);
                double end = next < unit.Steps.Count ? Math.Min(until, unit.Steps[next].At) : until;
                // Also in the moment in which it acts, when it only begins to turn.
                if (unit.Steps[i].At <= until && end >= at)
                {
                    Walk(unit.Steps[i], rules.Types[(int)e.Type], end - at, ref p);
                    at = end;
                }
                i = next;
            }
            return true;
        }

        private Drawing Drawing { get { return replica.Drawing; } }

        /// <summary>One of the player's own, in sight; or null.</summary>
        private Entity OwnOf(uint handle)
        {
            Entity e;
            return replica.Entities.TryGetValue(handle, out e) && e.Owner == rules.Slot ? e : null;
        }

        /// <summary>The place of the next order that changes where a unit goes, from some place on.</summary>
        private static int NextMove(Unit unit, int from)
        {
            while (from < unit.Steps.Count && !unit.Steps[from].Moves) from++;
            return from;
        }

        private double Slowest(List<uint> handles)
        {
            double pace = double.PositiveInfinity;
            Entity e;
            foreach (uint h in handles)
                if (replica.Entities.TryGetValue(h, out e) && rules.Types[(int)e.Type].Speed > 0) pace = Math.Min(pace, rules.Types[(int)e.Type].Speed);
            return pace;
        }

        /// <summary>Moves a pose by some ticks of a step.</summary>
        private void Walk(Step step, TypeInfo type, double ticks, ref Pose p)
        {
            var order = step.Saved.Order;
            bool walks = p.Walks;
            p.Walks = false;
            if (order.Kind == OrderKind.Stop || order.Kind == OrderKind.Hold) return;
            double gx = step.GoalX, gy = step.GoalY;
            Entity target;
            if (replica.Entities.TryGetValue(order.Target, out target)) PlaceOf(target, out gx, out gy);
            double dx = gx - p.X, dy = gy - p.Y, d = Drawing.Length(dx, dy);
            if (d < 1) return;
            double angle = Math.Atan2(dy, dx), off = Math.Abs(Drawing.Turn(p.Angle, angle));
            p.Angle = angle;
            // One that stands turns first. One that walks turns as it goes.
            double turns = walks ? 0 : Math.Max(0, off - SetOff) / Math.Max(TurnLeast, type.Turn * TurnUnit);
            double way = Math.Min(Math.Min(d - step.Near, step.Free), Math.Min(type.Speed, step.Saved.Pace) / 64 * Math.Max(0, ticks - turns));
            if (way <= 0) return;
            p.X += dx / d * way;
            p.Y += dy / d * way;
            p.Walks = way < d - step.Near;
        }

        private void PlaceOf(Entity e, out double x, out double y)
        {
            int atX, atY;
            e.PlaceAt(replica.Tick, out atX, out atY);
            x = atX;
            y = atY;
        }

        /// <summary>Adds a unit's part of an order; goal: x, y, or null.</summary>
        private void Add(Entity e, Saved saved, double at, double[] goal)
        {
            var type = rules.Types[(int)e.Type];
            var order = saved.Order;
            Unit unit;
            if (!units.TryGetValue(e.Handle, out unit)) units[e.Handle] = unit = new Unit();
            bool busy = order.Queued && (state.Own.Tasks.ContainsKey(e.Handle) || unit.Steps.Any(s => s.Moves));
            bool moves = type.Class == TypeClass.Unit && type.Speed > 0 && Sends(order) && !busy;
            double x, y;
            PlaceOf(e, out x, out y);
            unit.Steps.Add(new Step
            {
                Saved = saved, At = at, Moves = moves, GoalX = goal == null ? x : goal[0], GoalY = goal == null ? y : goal[1],
                Near = moves ? NearOf(order, type) : 0, Free = moves && goal != null ? FreeWay(x, y, goal[0], goal[1], type) : 0,
            });
            if (unit.Steps.Count > SavedMax) unit.Steps.RemoveAt(0);
            if (moves) unit.Lead = Math.Max(unit.Lead, at - Drawing.Tick);
        }

        /// <summary>Whether an order changes where a unit goes.</summary>
        private bool Sends(Order o)
        {
            if (o.Kind != OrderKind.Ability) return OrderKinds.Tasks.Contains(o.Kind);
            return o.What >= rules.Abilities.Count || rules.Abilities[(int)o.What].Target != 0;
        }

        /// <summary>How near to the order's place a unit goes, in world units.</summary>
        private double NearOf(Order o, TypeInfo type)
        {
            Entity target;
            double reach = replica.Entities.TryGetValue(o.Target, out target) ? Radius(rules.Types[(int)target.Type]) : 0;
            double range = type.Weapons.Count > 0 && type.Weapons[0] < rules.Weapons.Count ? rules.Weapons[(int)type.Weapons[0]].Range : 0;
            switch (o.Kind)
            {
                case OrderKind.Attack: return range + reach;
                case OrderKind.AttackGround: return range;
                case OrderKind.Ability: return o.What < rules.Abilities.Count ? rules.Abilities[(int)o.What].Range : 0;
                case OrderKind.Follow: return FollowNear * Course.TileUnits + reach;
                case OrderKind.Harvest:
                case OrderKind.Build: return WorkNear * Course.TileUnits + reach;
                default: return 0;
            }
        }

        internal static bool IsPlaced(TypeInfo t) { return t.Class == TypeClass.Structure || t.Class == TypeClass.Resource; }

        /// <summary>A unit's radius, and half the longer side of a structure: world units.</summary>
        internal static double Radius(TypeInfo t)
        {
            return IsPlaced(t) ? Math.Max(1, Math.Max(t.Size, t.SizeY)) * Course.TileUnits / 2.0 : Math.Max(0.15 * Course.TileUnits, t.Size);
        }

        /// <summary>Where each unit of a group goes, as x and y; null where the order has no place.</summary>
        private List<double[]> PlacesOf(List<Entity> group, Order order)
        {
            Entity target;
            double[] to = order.To == null ? null : new double[] { order.To.X, order.To.Y };
            if (replica.Entities.TryGetValue(order.Target, out target))
            {
                to = new double[2];
                PlaceOf(target, out to[0], out to[1]);
            }
            else if (to != null && OrderKinds.Groups.Contains(order.Kind))
                return Formation(group, to).Select((p, i) => Passable(p[0], p[1], rules.Types[(int)group[i].Type]) ? p : to).ToList();
            return group.Select(e => to).ToList();
        }

        /// <summary>The places of a group at its goal, by the rule of the server: a block whose rows lie across the direction of travel.</summary>
        private List<double[]> Formation(List<Entity> group, double[] to)
        {
            int n = group.Count;
            var at = group.Select(e =>
            {
                var p = new double[2];
                PlaceOf(e, out p[0], out p[1]);
                return p;
            }).ToList();
            if (n < 2) return at.Select(p => to).ToList();
            double midX = at.Sum(p => p[0]) / n, midY = at.Sum(p => p[1]) / n, away = Drawing.Length(to[0] - midX, to[1] - midY);
            double aheadX = away > 0 ? (to[0] - midX) / away : 1, aheadY = away > 0 ? (to[1] - midY) / away : 0;
            int cols = (int)Math.Ceiling(Math.Sqrt(n)), rows = (n + cols - 1) / cols;
            double step = Math.Floor(2 * group.Sum(e => Radius(rules.Types[(int)e.Type])) / n) + FormationGap;
            Func<int, double> along = i => (at[i][0] - midX) * aheadX + (at[i][1] - midY) * aheadY, across = i => (at[i][1] - midY) * aheadX - (at[i][0] - midX) * aheadY;
            // The foremost units go into the first row. Within a row each keeps its side.
            var rank = Enumerable.Range(0, n).OrderByDescending(along).ToList();
            var places = new double[n][];
            for (int row = 0; row < rows; row++)
            {
                var line = rank.Skip(row * cols).Take(cols).OrderBy(across).ThenBy(i => i).ToList();
                for (int col = 0; col < line.Count; col++)
                {
                    double x = ((rows - 1) / 2.0 - row) * step, y = (col - (line.Count - 1) / 2.0) * step;
                    places[line[col]] = new[] { to[0] + x * aheadX - y * aheadY, to[1] + x * aheadY + y * aheadX };
                }
            }
            return places.ToList();
        }

        /// <summary>How far a unit can walk straight towards a place: up to a cliff or a structure.</summary>
        private double FreeWay(double fromX, double fromY, double toX, double toY, TypeInfo type)
        {
            double d = Drawing.Length(toX - fromX, toY - fromY), most = Math.Min(d, LookTiles * Course.TileUnits), step = LookStep * Course.TileUnits;
            for (double way = step; way < most; way += step) // the ground under it is not asked
                if (!Passable(fromX + (toX - fromX) * way / d, fromY + (toY - fromY) * way / d, type)) return way - step;
            return most;
        }

        private bool Passable(double x, double y, TypeInfo type)
        {
            int tx = (int)Math.Floor(x / Course.TileUnits), ty = (int)Math.Floor(y / Course.TileUnits);
            if (tx < 0 || ty < 0 || tx >= state.Map.Width || ty >= state.Map.Height) return false;
            if ((state.Map.Passability[ty * state.Map.Width + tx] & 1 << (int)type.MoveKind) == 0) return false;
            if (type.MoveKind == Air) return true;
            foreach (var e in replica.Entities.Values)
            {
                var t = rules.Types[(int)e.Type];
                if (!IsPlaced(t) || Crossed(t, e, type.MoveKind)) continue;
                double ex, ey, width = Math.Max(1, t.Size), depth = Math.Max(1, t.SizeY > 0 ? t.SizeY : t.Size);
                PlaceOf(e, out ex, out ey);
                if (Math.Abs(ex - x) <= width * Course.TileUnits / 2 && Math.Abs(ey - y) <= depth * Course.TileUnits / 2) return false;
            }
            return true;
        }

        /// <summary>Whether units cross a structure as it is. The gates of the player's team open for its units.</summary>
        private bool Crossed(TypeInfo type, Entity e, uint move)
        {
            if (type.Feature == FeatureMine) return true;
            if (type.Feature < FeatureBridge || (e.Values[Values.Flags] & (uint)EntityFlag.Building) != 0) return false;
            bool changed = e.Values[Values.Amount] != 0;
            if (type.Feature == FeatureBridge) return !changed || move != Ground;
            if (type.Feature == FeatureFlood) return move == Hover || changed == (move == Naval);
            return type.Feature != FeatureGate || changed || e.Owner < rules.Players.Count && rules.Players[(int)e.Owner].Team == state.Team;
        }

        /// <summary>Removes steps; the drawn places of their units do not jump.</summary>
        private void Drop(Func<uint, Step, bool> which)
        {
            foreach (var u in units.ToList())
            {
                if (!u.Value.Steps.Any(s => which(u.Key, s))) continue;
                Version++;
                var e = replica.Entities[u.Key];
                var was = Drawing.Aim(e);
                u.Value.Steps.RemoveAll(s => which(u.Key, s));
                // What is left of its lead fades with all else.
                if (NextMove(u.Value, 0) == u.Value.Steps.Count) u.Value.Lead = 0;
                if (u.Value.Steps.Count == 0) units.Remove(u.Key);
                Drawing.KeepAt(e, was.X, was.Y);
            }
        }

        private Step LastStep(uint handle, Func<Order, bool> which)
        {
            Unit unit;
            return units.TryGetValue(handle, out unit) ? unit.Steps.FindLast(s => which(s.Saved.Order)) : null;
        }
    }
}
