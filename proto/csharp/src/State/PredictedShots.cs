using System;
using System.Collections.Generic;
using System.Linq;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>
    /// What a drawn shot does: it fades if its number never came, and glides onto the server's projectile if it did. A steered
    /// one turns with the order, before its entity does.
    /// </summary>
    public enum ShotPhase { WindUp, Flight, Fade, Glide, Steer }

    /// <summary>A shot as it is drawn.</summary>
    public sealed class DrawnShot
    {
        /// <summary>Who fires.</summary>
        public uint Unit { get; internal set; }
        /// <summary>The projectile's type.</summary>
        public uint Type { get; internal set; }
        /// <summary>The entity aimed at; 0: a place.</summary>
        public uint Target { get; internal set; }
        public ShotPhase Phase { get; internal set; }
        /// <summary>During the wind-up, how much of it has passed, 0 to 1.</summary>
        public double Wound { get; internal set; }
        /// <summary>Where the projectile is, world units.</summary>
        public double X { get; internal set; }
        public double Y { get; internal set; }
        /// <summary>Radians.</summary>
        public double Angle { get; internal set; }
        public double Alpha { get; internal set; }

        internal uint Request, Seq, Handle; // Handle: the entity, once the server has named it
        internal WeaponInfo Weapon;
        internal int Index;     // of the unit's weapons
        internal double AimX, AimY, FromX, FromY;
        internal double WindFrom, LaunchAt, EndAt, FadeFrom;
        internal double Leaves; // the server's tick in which the projectile is expected to leave
        internal double Takes;  // from the order's arrival to the shot
        internal double Skip;   // of how many ticks its start is ahead on its way
        internal double Behind; // how far behind the server the field is drawn, ticks
        internal double FullX, FullY, GlideFrom = double.NaN, GlideTicks; // how far from the entity it was when the glide began
        internal uint SteerSeq; // the order that steered it last
        internal double TurnAt, SteeredAt; // the drawn tick in which its entity turns, and the last drawn tick
        internal bool Joined { get { return Phase == ShotPhase.Glide || Phase == ShotPhase.Steer; } } // it is drawn as its entity
    }

    /// <summary>
    /// Shots that are shown before the server tells of them. The client numbers the shots of an order, draws the wind-up and
    /// then a projectile of its own. The server's projectile comes with the same number; the drawn one glides onto it. What is
    /// drawn here never hits, hurts or ends anything. The rules are those of the TypeScript SDK (web/sdk/src/state/shots.ts has
    /// the picture): proto/testdata/prediction.json holds the two together. Ticks are those that are drawn unless they are
    /// said to be the server's.
    /// </summary>
    public sealed class PredictedShots
    {
        private const int ShotsMax = 256, TripsKept = 8, GivenMax = 64;
        private const double OrderDelay = 2;    // an accepted order acts so many ticks after it arrived
        private const double AnswerDelay = 1;   // an answer is sent so many ticks after its order arrived: it has to be on disk
        private const double TripFirst = 2;     // the trip of orders before any answer was measured
        private const double ReadyTicksMax = 40; // a weapon that is ready later is not drawn ahead
        private const double WaitTicks = 8;     // after its expected end a shot waits for its number
        private const double HitWaitTicks = 12; // after it was expected the server may still report a shot that hits at once
        private const uint SecondAlone = 8;     // in own.firing: the player chose the second weapon
        private const double TurnedAfter = 1;   // so many ticks after the answer to an order, its projectile is told to turn
        private const double FadeTicks = 5;
        private const double GlideTicksMin = 3, GlideTicksMax = 40, GlideShare = 0.8; // a glide takes off so much of a projectile's speed
        private const double EvenShare = 0.8, RestShare = 0.15; // up to this share of its way a flight is even; it ends before its aim
        private const double Aimed = 8 / 256.0 * 2 * Math.PI; // a unit fires when it looks to its aim to within this

        private readonly MatchState state;
        private readonly Replica replica;
        private readonly Welcome rules;
        private readonly List<DrawnShot> shots = new List<DrawnShot>();
        private readonly Dictionary<uint, DrawnShot> byHandle = new Dictionary<uint, DrawnShot>();
        private readonly Dictionary<uint, DrawnShot> alone = new Dictionary<uint, DrawnShot>(); // that their units can steer, and whose entities alone are drawn
        private readonly Dictionary<uint, double> fired = new Dictionary<uint, double>(); // the server's tick of the last shot drawn ahead, by unit
        private readonly Dictionary<uint, double> given = new Dictionary<uint, double>(); // the server's tick of orders, by number
        private readonly Queue<double> trips = new Queue<double>();
        private double server, drawn; // the server's tick at the last order; the last picture

        internal PredictedShots(MatchState state)
        {
            this.state = state;
            replica = state.Replica;
            rules = state.Welcome;
        }

        /// <summary>What is drawn besides entities: wind-ups, and projectiles. One that glides is its entity, which is drawn there.</summary>
        public IReadOnlyList<DrawnShot> Drawn { get { return shots; } }

        /// <summary>How far a projectile was drawn from the server's in the last picture: the most of those that glide, world units.</summary>
        public double ProjectileGap { get; private set; }

        /// <summary>The ticks from an order to its arrival, there and back.</summary>
        internal double Trip { get { return trips.Count > 0 ? trips.Min() : TripFirst; } }

        /// <summary>
        /// The player gave an order at the server's tick. Predicts the shots that follow from it at once, and returns how many
        /// there are; first is the number of the order's first unit. live: the order goes out now. A <see cref="Match"/> does it
        /// in <see cref="Match.Send"/>.
        /// </summary>
        public int Give(Order order, uint first, double serverTick, bool live)
        {
            if (rules.Spectator) return 0;
            server = serverTick;
            if (live)
            {
                given[order.Seq] = server;
                if (given.Count > GivenMax) given.Remove(given.Keys.Min());
            }
            if (!order.Queued && Replaces(order.Kind)) TakeBack(order.Units);
            if (!live) return 0;
            if (!order.Queued) SteerAll(order);
            int n = 0;
            var seen = new HashSet<uint>();
            for (int i = 0; i < order.Units.Count; i++)
            {
                uint request = first + (uint)i;
                if (!seen.Add(order.Units[i]) || shots.Any(s => s.Request == request) || WhyNot(order.Units[i], order) != "") continue;
                shots.Add(ShotOf(replica.Entities[order.Units[i]], order, request));
                n++;
            }
            return n;
        }

        /// <summary>Why no shot is predicted for a unit under an order; empty: one is.</summary>
        public string WhyNot(uint unit, Order order)
        {
            Entity e, target = null;
            bool atUnit = order.Kind == OrderKind.Attack;
            if (!atUnit && order.Kind != OrderKind.AttackGround) return "no shot is ordered";
            if (drawn == 0) return "nothing is drawn";
            if (shots.Count >= ShotsMax) return "too many shots";
            if (!replica.Entities.TryGetValue(unit, out e) || e.Owner != rules.Slot || (e.Values[Values.Flags] & (uint)EntityFlag.Building) != 0) return "not a unit of the player";
            if (order.Queued && state.Own.Tasks.ContainsKey(unit)) return "the unit is busy";
            int index = LeadOf(unit);
            var weapon = WeaponOf(e, index);
            if (weapon == null) return "it has no weapon";
            if (atUnit && !replica.Entities.TryGetValue(order.Target, out target)) return "the target is out of sight";
            if (!atUnit && (!weapon.AtGround || order.To == null)) return "its weapon is not aimed at places";
            if (target != null && !Hits(weapon, target)) return "its weapon does not hit the target";
            double x, y;
            AimOf(e, target, order, out x, out y);
            double gap = GapTo(e, target, x, y);
            if (gap > weapon.Range || gap < weapon.MinRange) return "out of range";
            return ReadyAt(e, weapon, index) > server + ReadyTicksMax ? "its weapon cools down" : "";
        }

        internal void Answered(uint seq, bool ok, IList<uint> leftOut)
        {
            double at;
            if (given.TryGetValue(seq, out at))
            {
                given.Remove(seq);
                trips.Enqueue(Math.Max(0, replica.Tick - at - AnswerDelay));
                if (trips.Count > TripsKept) trips.Dequeue();
            }
            state.Fire.Answered(seq, ok);
            state.Fire.Answered(seq, false, leftOut);
            foreach (var s in shots.Where(s => s.SteerSeq == seq)) s.TurnAt = ok && !leftOut.Contains(s.Unit) ? replica.Tick + TurnedAfter : double.NegativeInfinity;
            foreach (var s in shots.Where(s => s.Seq == seq && (!ok || leftOut.Contains(s.Unit))).ToList())
            {
                if (s.Phase == ShotPhase.WindUp) End(s);
                else if (s.Phase == ShotPhase.Flight) Fade(s);
            }
        }

        /// <summary>Before a frame is applied. With a snapshot handles are given anew, and what was named is named again.</summary>
        internal void Before(Frame f)
        {
            if (f.Snapshot)
            {
                byHandle.Clear();
                fired.Clear();
                alone.Clear();
                shots.RemoveAll(s => s.Phase == ShotPhase.Steer);
                foreach (var s in shots)
                {
                    s.Handle = 0;
                    if (s.Phase == ShotPhase.Glide) s.Phase = ShotPhase.Flight;
                }
            }
            foreach (uint h in f.Leave) Left(h);
            foreach (var row in f.Owners) TakeBack(new[] { row.Handle });
            foreach (uint h in f.Destroyed) Left(h);
        }

        /// <summary>An entity came into sight.</summary>
        internal void Entered(uint handle)
        {
            DrawnShot s;
            if (!byHandle.TryGetValue(handle, out s) || s.Joined) return;
            var e = replica.Entities[handle];
            bool matches = rules.Types[(int)e.Type].Class == TypeClass.Projectile && e.Owner == rules.Slot;
            if (matches) fired[s.Unit] = e.Entered;
            if (!matches || s.Phase == ShotPhase.WindUp) // it is another one, or it came sooner than it was expected: the entity alone is drawn
            {
                End(s);
                return;
            }
            s.Phase = ShotPhase.Glide;
            s.Alpha = 1;
            s.GlideFrom = double.NaN;
        }

        /// <summary>A frame was applied: takes back what ended early, and takes over what the server has named.</summary>
        internal void After(Frame f)
        {
            foreach (var c in f.Cancelled) TakeBack(new[] { c.Unit });
            foreach (var row in f.Started)
            {
                var s = shots.Find(x => x.Request == row.Request);
                if (s == null || s.Handle != 0 || row.Handle == 0) continue; // not this client's, over, or told before
                s.Handle = row.Handle;
                byHandle[row.Handle] = s;
                if (replica.Entities.ContainsKey(row.Handle)) Entered(row.Handle);
            }
        }

        /// <summary>Moves all shots to a drawn tick, and entities that glide.</summary>
        internal void Sample(double tick)
        {
            drawn = tick;
            ProjectileGap = 0;
            foreach (var s in shots.ToList())
            {
                if (s.Phase == ShotPhase.WindUp) WindUp(s, tick);
                else if (s.Phase == ShotPhase.Flight) Fly(s, tick);
                else if (s.Phase == ShotPhase.Glide) Glide(s, tick);
                else if (s.Phase == ShotPhase.Steer) Steer(s, tick);
                else
                {
                    s.Alpha = 1 - (tick - s.FadeFrom) / FadeTicks;
                    if (s.Alpha <= 0) End(s);
                }
            }
        }

        private void WindUp(DrawnShot s, double tick)
        {
            Entity unit;
            if (!replica.Entities.TryGetValue(s.Unit, out unit))
            {
                End(s);
                return;
            }
            Follow(s);
            s.X = unit.Drawn ? unit.DrawnX : PlaceX(unit);
            s.Y = unit.Drawn ? unit.DrawnY : PlaceY(unit);
            s.Angle = Math.Atan2(s.AimY - s.Y, s.AimX - s.X);
            double whole = s.LaunchAt - s.WindFrom;
            s.Wound = whole > 0 ? Math.Max(0, Math.Min(1, (tick - s.WindFrom) / whole)) : 1;
            if (tick < s.LaunchAt) return;
            double gap = GapTo(unit, TargetOf(s), s.AimX, s.AimY);
            if (gap > s.Weapon.Range || gap < s.Weapon.MinRange)
            {
                End(s); // the target went out of range: the unit follows it, or gives up
                return;
            }
            if (!s.Weapon.Projectile)
            {
                state.Fire.Guess(new FiredShot { Unit = s.Unit, Index = s.Index, Target = s.Target, X = s.AimX, Y = s.AimY }, new WeaponFire.Ahead
                {
                    // Without an answer the server may not have the order yet.
                    Seq = s.Seq, Takes = s.Takes + HitWaitTicks, Until = given.ContainsKey(s.Seq) ? double.PositiveInfinity : Math.Max(s.Leaves, replica.Tick) + HitWaitTicks,
                });
                fired[s.Unit] = s.Leaves;
                End(s);
                return;
            }
            s.Phase = ShotPhase.Flight;
            s.FromX = s.X;
            s.FromY = s.Y;
            double ticks = Math.Max(1, Drawing.Length(s.AimX - s.X, s.AimY - s.Y) / SpeedOf(s.Weapon) - s.Skip);
            s.EndAt = Math.Max(s.Leaves + ticks - s.Behind, s.LaunchAt + ticks);
            fired[s.Unit] = s.Leaves;
            Fly(s, tick);
        }

        private void Fly(DrawnShot s, double tick)
        {
            PlaceAt(s, tick);
            if (tick > s.EndAt + (s.Handle == 0 ? WaitTicks : 0)) Fade(s);
        }

        /// <summary>Puts a projectile where it is in its flight.</summary>
        private void PlaceAt(DrawnShot s, double tick)
        {
            if (s.Weapon.Homing) Follow(s);
            double share = (tick - s.LaunchAt) / (s.EndAt - s.LaunchAt);
            // Even, then ever slower, and never all of its way.
            share = share <= EvenShare ? Math.Max(0, share) : EvenShare + RestShare * (1 - Math.Exp((EvenShare - share) / RestShare));
            s.X = s.FromX + (s.AimX - s.FromX) * share;
            s.Y = s.FromY + (s.AimY - s.FromY) * share;
            s.Angle = Math.Atan2(s.AimY - s.FromY, s.AimX - s.FromX);
        }

        private void Glide(DrawnShot s, double tick)
        {
            Entity e;
            if (!replica.Entities.TryGetValue(s.Handle, out e) || !e.Drawn)
            {
                End(s);
                return;
            }
            double x = e.DrawnX, y = e.DrawnY, offX, offY;
            if (tick < e.Entered)
            {
                // What is drawn is older than the shot: the entity is still at its gun, and the drawn one flies on.
                int atX, atY;
                e.PlaceAt(e.Entered, out atX, out atY);
                x = atX;
                y = atY;
                PlaceAt(s, tick);
                offX = s.X - x;
                offY = s.Y - y;
            }
            else
            {
                if (double.IsNaN(s.GlideFrom))
                {
                    PlaceAt(s, tick);
                    BeginGlide(s, tick, x, y);
                }
                double share = Math.Max(0, Math.Min(1, 1 - (tick - s.GlideFrom) / s.GlideTicks));
                if (share == 0)
                {
                    End(s);
                    if (s.Weapon.Steered) alone[s.Handle] = s;
                    return;
                }
                offX = s.FullX * share;
                offY = s.FullY * share;
            }
            s.X = e.DrawnX = x + offX;
            s.Y = e.DrawnY = y + offY;
            ProjectileGap = Math.Max(ProjectileGap, Drawing.Length(offX, offY));
        }

        /// <summary>The drawn projectile begins to join the entity, which is at (x, y).</summary>
        private static void BeginGlide(DrawnShot s, double tick, double x, double y)
        {
            s.GlideFrom = tick;
            s.FullX = s.X - x;
            s.FullY = s.Y - y;
            // The drawn one is not beyond the end, so it has time to join on the entity's way without going back.
            double forwards = Drawing.Length(s.FullX, s.FullY) / (GlideShare * SpeedOf(s.Weapon));
            s.GlideTicks = Math.Max(GlideTicksMin, Math.Min(forwards, GlideTicksMax));
        }

        /// <summary>An order turns the steered projectiles of its units.</summary>
        private void SteerAll(Order order)
        {
            Entity target = null;
            if (order.Kind == OrderKind.Attack) replica.Entities.TryGetValue(order.Target, out target);
            if (target == null && (order.Kind != OrderKind.AttackGround || order.To == null)) return;
            foreach (var s in shots.Concat(alone.Values).ToList())
            {
                if (!s.Weapon.Steered || s.Phase == ShotPhase.WindUp || s.Phase == ShotPhase.Fade || !order.Units.Contains(s.Unit)) continue;
                if (target != null && !Hits(s.Weapon, target)) continue;
                s.Target = target == null ? 0 : order.Target;
                if (target == null)
                {
                    s.AimX = order.To.X;
                    s.AimY = order.To.Y;
                }
                Follow(s);
                if (s.Phase == ShotPhase.Flight)
                {
                    s.FromX = s.X;
                    s.FromY = s.Y;
                    s.LaunchAt = drawn;
                    s.EndAt = drawn + Math.Max(1, Drawing.Length(s.AimX - s.X, s.AimY - s.Y) / SpeedOf(s.Weapon));
                    continue;
                }
                if (alone.Remove(s.Handle))
                {
                    var e = replica.Entities[s.Handle];
                    s.X = e.Drawn ? e.DrawnX : PlaceX(e);
                    s.Y = e.Drawn ? e.DrawnY : PlaceY(e);
                    shots.Add(s);
                    byHandle[s.Handle] = s;
                }
                s.Phase = ShotPhase.Steer;
                s.SteerSeq = order.Seq;
                s.TurnAt = double.PositiveInfinity;
                s.SteeredAt = drawn;
            }
        }

        /// <summary>Flies to the new aim, but not into it: the hit is the entity's.</summary>
        private void Steer(DrawnShot s, double tick)
        {
            Entity e;
            if (!replica.Entities.TryGetValue(s.Handle, out e) || !e.Drawn)
            {
                End(s);
                return;
            }
            Follow(s);
            double way = Drawing.Length(s.AimX - s.X, s.AimY - s.Y), speed = SpeedOf(s.Weapon), step = Math.Min(speed * (tick - s.SteeredAt), way - speed);
            s.SteeredAt = tick;
            if (step > 0)
            {
                s.Angle = Math.Atan2(s.AimY - s.Y, s.AimX - s.X);
                s.X += (s.AimX - s.X) / way * step;
                s.Y += (s.AimY - s.Y) / way * step;
            }
            if (tick >= Math.Max(s.TurnAt, e.Entered))
            {
                s.Phase = ShotPhase.Glide;
                BeginGlide(s, tick, e.DrawnX, e.DrawnY);
            }
            ProjectileGap = Math.Max(ProjectileGap, Drawing.Length(s.X - e.DrawnX, s.Y - e.DrawnY));
            e.DrawnX = s.X;
            e.DrawnY = s.Y;
            e.DrawnAngle = s.Angle;
        }

        /// <summary>Aims at where the target is drawn, as long as it is in sight.</summary>
        private void Follow(DrawnShot s)
        {
            var target = TargetOf(s);
            Entity unit;
            if (target == null) return;
            if (!IsPlaced(target))
            {
                s.AimX = target.Drawn ? target.DrawnX : PlaceX(target);
                s.AimY = target.Drawn ? target.DrawnY : PlaceY(target);
            }
            else if (replica.Entities.TryGetValue(s.Unit, out unit)) Nearest(unit, target, out s.AimX, out s.AimY);
        }

        private void Fade(DrawnShot s)
        {
            s.Phase = ShotPhase.Fade;
            s.FadeFrom = drawn;
            fired.Remove(s.Unit);
        }

        private void End(DrawnShot s)
        {
            shots.Remove(s);
            DrawnShot held;
            if (byHandle.TryGetValue(s.Handle, out held) && held == s) byHandle.Remove(s.Handle);
        }

        /// <summary>An entity leaves.</summary>
        private void Left(uint handle)
        {
            DrawnShot joined;
            if (byHandle.TryGetValue(handle, out joined) && joined.Joined) End(joined);
            alone.Remove(handle);
            fired.Remove(handle);
            foreach (var s in shots.Where(s => s.Phase == ShotPhase.WindUp && (s.Unit == handle || s.Target == handle)).ToList()) End(s);
        }

        /// <summary>Units got another order: what winds up is not fired. A shot that left is not taken back.</summary>
        private void TakeBack(IList<uint> units)
        {
            foreach (var s in shots.Where(s => s.Phase == ShotPhase.WindUp && units.Contains(s.Unit)).ToList()) End(s);
        }

        /// <summary>The shot of a unit that fires as soon as it can.</summary>
        private DrawnShot ShotOf(Entity e, Order order, uint request)
        {
            int index = LeadOf(e.Handle);
            var weapon = WeaponOf(e, index);
            Entity target = null;
            if (order.Kind == OrderKind.Attack) target = replica.Entities[order.Target];
            double x, y;
            AimOf(e, target, order, out x, out y);
            // The server takes the player's lag off the wind-up; what is left of it lets the projectile start ahead.
            double lag = Math.Min(Trip, rules.LagMaxTicks), wind = Math.Max(0, weapon.WindUpTicks - lag);
            double aimed = TurnTicks(e, x, y), ready = ReadyAt(e, weapon, index), launch = Math.Max(drawn + aimed + wind, ready);
            return new DrawnShot
            {
                Unit = e.Handle, Type = weapon.ProjectileType, Target = target == null ? 0 : target.Handle, Request = request, Seq = order.Seq, Weapon = weapon, Index = index, Takes = OrderDelay + aimed + wind,
                Alpha = 1, X = e.Drawn ? e.DrawnX : PlaceX(e), Y = e.Drawn ? e.DrawnY : PlaceY(e), AimX = x, AimY = y, WindFrom = launch - wind, LaunchAt = launch,
                Leaves = Math.Max(server + Trip + OrderDelay + aimed + wind, ready), Skip = Math.Max(0, lag - weapon.WindUpTicks), Behind = Math.Max(0, server - drawn),
            };
        }

        /// <summary>The server's tick in which a weapon has cooled down.</summary>
        private double ReadyAt(Entity e, WeaponInfo weapon, int index)
        {
            double ahead;
            if (!fired.TryGetValue(e.Handle, out ahead)) ahead = double.NegativeInfinity;
            return Math.Max(e.Bursts[index].LastShot(replica.Tick), ahead) + weapon.CooldownTicks;
        }

        /// <summary>The ticks that a unit turns before it can fire at a place.</summary>
        private double TurnTicks(Entity e, double x, double y)
        {
            double rate = rules.Types[(int)e.Type].Turn / 256.0 * 2 * Math.PI;
            double off = Math.Abs(Drawing.Turn(e.DrawnAngle, Math.Atan2(y - PlaceY(e), x - PlaceX(e)))) - Aimed;
            return !e.Drawn || off <= 0 || rate <= 0 ? 0 : Math.Max(0, Math.Ceiling(off / rate) - 1);
        }

        /// <summary>The weapon that a unit fires first under an order: of two the first, unless its player chose the second alone.</summary>
        private int LeadOf(uint unit)
        {
            uint firing;
            return state.Own.Values[OwnValues.Firing].TryGetValue(unit, out firing) && (firing & SecondAlone) != 0 ? 1 : 0;
        }

        /// <summary>A weapon of an entity; an ability may have replaced the first. Null: it has none.</summary>
        private WeaponInfo WeaponOf(Entity e, int index)
        {
            var type = rules.Types[(int)e.Type];
            uint number = type.Weapons.Count > index ? type.Weapons[index] + 1 : 0;
            if (index == 0) foreach (var a in e.Actions)
            {
                if (a.Number >= type.Abilities.Count || type.Abilities[(int)a.Number] >= rules.Abilities.Count) continue;
                uint other = rules.Abilities[(int)type.Abilities[(int)a.Number]].Weapon;
                if (other == 0) continue;
                number = other;
                break;
            }
            return number > 0 ? Replica.WeaponIn(rules, e, number - 1) : null;
        }

        private bool Hits(WeaponInfo weapon, Entity target)
        {
            var type = rules.Types[(int)target.Type];
            if (target.Owner == Decoder.NoSlot || type.Class != TypeClass.Unit && type.Class != TypeClass.Structure) return false;
            return type.Class == TypeClass.Unit && type.MoveKind == Prediction.Air ? weapon.HitsAir : weapon.HitsGround;
        }

        private Entity TargetOf(DrawnShot s)
        {
            Entity e = null;
            if (s.Target != 0) replica.Entities.TryGetValue(s.Target, out e);
            return e;
        }

        private void AimOf(Entity e, Entity target, Order order, out double x, out double y)
        {
            x = order.To == null ? 0 : order.To.X;
            y = order.To == null ? 0 : order.To.Y;
            if (target != null) Nearest(e, target, out x, out y);
        }

        /// <summary>The point of a target that an entity aims at: of a structure the nearest.</summary>
        private void Nearest(Entity e, Entity target, out double x, out double y)
        {
            x = PlaceX(target);
            y = PlaceY(target);
            if (!IsPlaced(target)) return;
            var type = rules.Types[(int)target.Type];
            double halfX = Math.Max(1, type.Size) * Course.TileUnits / 2.0, halfY = Math.Max(1, type.SizeY > 0 ? type.SizeY : type.Size) * Course.TileUnits / 2.0;
            x = Math.Max(x - halfX, Math.Min(x + halfX, PlaceX(e)));
            y = Math.Max(y - halfY, Math.Min(y + halfY, PlaceY(e)));
        }

        /// <summary>From the middle of an entity to the edge of its target, or to a place.</summary>
        private double GapTo(Entity e, Entity target, double x, double y)
        {
            double d = Drawing.Length(x - PlaceX(e), y - PlaceY(e));
            return target == null || IsPlaced(target) ? d : Math.Max(0, d - Prediction.Radius(rules.Types[(int)target.Type]));
        }

        private bool IsPlaced(Entity e) { return Prediction.IsPlaced(rules.Types[(int)e.Type]); }

        private double PlaceX(Entity e)
        {
            int x, y;
            e.PlaceAt(replica.Tick, out x, out y);
            return x;
        }

        private double PlaceY(Entity e)
        {
            int x, y;
            e.PlaceAt(replica.Tick, out x, out y);
            return y;
        }

        /// <summary>World units a tick.</summary>
        private static double SpeedOf(WeaponInfo w) { return Math.Max(1, w.ProjectileSpeed / 64.0); }

        /// <summary>Orders that take the place of what a unit does.</summary>
        private static bool Replaces(OrderKind k) { return OrderKinds.Tasks.Contains(k) || k == OrderKind.Cancel; }
    }
}
