using System;
using System.Collections.Generic;
using System.Linq;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>A shot to draw: the flash at its unit, and the beam of a weapon that hits at once.</summary>
    public struct FiredShot
    {
        public uint Unit;
        /// <summary>Which of the unit's weapons fires: 0 or 1.</summary>
        public int Index;
        /// <summary>The entity that it goes to; 0: the place, or an entity that is not known.</summary>
        public uint Target;
        /// <summary>Where it goes, world units; NaN: not known.</summary>
        public double X, Y;
    }

    /// <summary>
    /// When shots are drawn, and where they go: each shot once, at its drawn tick. A weapon's burst alone counts its shots
    /// (docs/reference/protocol.md, "Weapon fire"). A shot that is due later than the last frame waits for a frame for half a second.
    /// Missed shots follow within one period. Shots of the player's own orders are drawn before the server reports them,
    /// and the server's are then left out. The rules are those of the TypeScript SDK (web/sdk/src/state/weaponfire.ts).
    /// </summary>
    public sealed class WeaponFire
    {
        private const double WaitMs = 500, ValuesMs = 100; // for news of a shot; the server reports values at least so often
        private const uint MissedMax = 256;                // missed shots of a weapon that are drawn; older ones are left out
        private const int PendingMax = 4096;               // shots of a picture

        /// <summary>A shot that is drawn before the server reports it.</summary>
        internal sealed class Ahead
        {
            public uint Seq, Nth;       // the order's number; which shot it is, by the burst's count
            public double Takes, Until; // from the answer to the shot, at most; without news by this tick there was no shot
        }

        private sealed class Gun
        {
            public Burst Before;   // it holds for ticks before the last row's
            public uint Drawn;     // by the burst's count
            public double Pace, Next; // missed shots are drawn so many ticks apart, the next from this tick on
            public readonly List<Ahead> Ahead = new List<Ahead>();
        }

        private sealed class Shooter
        {
            public readonly Gun[] Guns = { new Gun(), new Gun() };
            public uint Target;
            public double X = double.NaN, Y = double.NaN;
        }

        private readonly Replica replica;
        private readonly double wait, told;
        private readonly SortedDictionary<uint, Shooter> shooters = new SortedDictionary<uint, Shooter>();
        private readonly List<KeyValuePair<FiredShot, Ahead>> kept = new List<KeyValuePair<FiredShot, Ahead>>(), guesses = new List<KeyValuePair<FiredShot, Ahead>>();
        private List<FiredShot> fired = new List<FiredShot>(), pending = new List<FiredShot>();

        internal WeaponFire(Replica replica, Welcome rules)
        {
            this.replica = replica;
            double tickMs = 1000.0 / Math.Max(1, rules.TickRate);
            wait = WaitMs / tickMs;
            told = 1 - Math.Max(1, Math.Floor(ValuesMs / tickMs));
        }

        /// <summary>The shots of the last picture: see <see cref="Match.Draw"/>.</summary>
        public IReadOnlyList<FiredShot> Fired { get { return fired; } }

        /// <summary>Shots that were drawn ahead and that the server did not fire.</summary>
        public int Wrong { get; private set; }

        /// <summary>Draws a shot with the next picture, before the server reports it.</summary>
        internal void Guess(FiredShot shot, Ahead ahead) { guesses.Add(new KeyValuePair<FiredShot, Ahead>(shot, ahead)); }

        /// <summary>The server answered an order, for all its units or for some.</summary>
        internal void Answered(uint seq, bool ok, IList<uint> units = null)
        {
            foreach (var s in shooters)
                if (units == null || units.Contains(s.Key))
                    foreach (var a in s.Value.Guns.SelectMany(g => g.Ahead))
                        if (a.Seq == seq) a.Until = ok ? replica.Tick + a.Takes : double.NegativeInfinity;
        }

        /// <summary>Before a frame is applied: draws the last shots of entities that leave, and keeps the bursts that change.</summary>
        internal void Before(Frame f)
        {
            if (f.Snapshot)
            {
                foreach (uint h in shooters.Keys.ToList())
                {
                    for (int i = 0; i < 2; i++)
                        foreach (var a in shooters[h].Guns[i].Ahead) kept.Add(new KeyValuePair<FiredShot, Ahead>(new FiredShot { Unit = h, Index = i }, a));
                    Settle(h, replica.Tick, null);
                }
                return;
            }
            uint now = unchecked(replica.Tick + f.Span);
            foreach (uint h in f.Leave.Concat(f.Destroyed)) Settle(h, unchecked(now - 1), f.LastBursts.Where(r => r.Handle == h).Select(r => new[] { r.First, r.Second }).FirstOrDefault());
            for (int i = 0; i < 2; i++)
                foreach (var row in f.Values[i == 0 ? Values.Burst : Values.BurstSecond])
                {
                    Entity e;
                    if (replica.Entities.TryGetValue(row.Handle, out e)) Of(row.Handle).Guns[i].Before = e.Bursts[i];
                }
        }

        /// <summary>After a frame was applied.</summary>
        internal void After(Frame f)
        {
            Entity e;
            for (int i = 0; i < 2; i++)
                foreach (var row in f.Values[i == 0 ? Values.Burst : Values.BurstSecond])
                {
                    if (!replica.Entities.TryGetValue(row.Handle, out e)) continue;
                    var gun = Of(row.Handle).Guns[i];
                    uint shots = e.Bursts[i].ShotsAt(replica.Tick), most = uint.MaxValue;
                    // A server that is short of bytes tells of an entity late. The shots of the time before are not drawn.
                    if (f.Snapshot) most = 0;
                    else if (e.Entered == replica.Tick && e.Bursts[i].Period > 0) most = Math.Max(1, f.Span) / e.Bursts[i].Period + 1;
                    if (most < uint.MaxValue) gun.Drawn = shots - Math.Min(shots, most);
                }
            if (f.Snapshot)
            {
                foreach (var k in kept)
                {
                    if (!replica.Entities.ContainsKey(k.Key.Unit) || k.Value.Until < replica.Tick) continue;
                    var gun = Of(k.Key.Unit).Guns[k.Key.Index];
                    k.Value.Nth = ++gun.Drawn;
                    gun.Ahead.Add(k.Value);
                }
                kept.Clear();
            }
            foreach (var row in f.Fire)
            {
                int x, y;
                if (!replica.Entities.ContainsKey(row.Handle) || !replica.Entities.TryGetValue(row.Target, out e)) continue;
                e.PlaceAt(replica.Tick, out x, out y);
                Aim(row.Handle, row.Target, x, y);
            }
            foreach (var row in f.Events)
                if (row.Kind == EventKind.Shot && replica.Entities.ContainsKey(row.Source)) Aim(row.Source, 0, row.X, row.Y);
        }

        /// <summary>Draws the shots that are due by a tick.</summary>
        internal void Draw(double tick)
        {
            foreach (var g in guesses)
            {
                if (!replica.Entities.ContainsKey(g.Key.Unit)) continue;
                Aim(g.Key.Unit, g.Key.Target, g.Key.X, g.Key.Y);
                var gun = Of(g.Key.Unit).Guns[g.Key.Index];
                Emit(g.Key.Unit, g.Key.Index);
                g.Value.Nth = gun.Drawn;
                gun.Ahead.Add(g.Value);
            }
            guesses.Clear();
            foreach (var s in shooters)
                for (int i = 0; i < 2; i++)
                {
                    var gun = s.Value.Guns[i];
                    var now = replica.Entities[s.Key].Bursts[i];
                    Confirm(gun, now);
                    long due = Due(gun, now, tick), missed = due - gun.Drawn;
                    if (missed <= 0)
                    {
                        gun.Pace = 0;
                        continue;
                    }
                    if (gun.Pace == 0)
                    {
                        if (missed > MissedMax) gun.Drawn += (uint)missed - MissedMax;
                        gun.Pace = missed > 1 ? (double)now.Period / missed : 0;
                        gun.Next = tick;
                    }
                    for (; gun.Drawn < due && tick >= gun.Next; gun.Next += gun.Pace) Emit(s.Key, i);
                }
            var was = fired;
            fired = pending;
            pending = was;
            pending.Clear();
        }

        /// <summary>The shots that are to be drawn by a tick.</summary>
        private uint Due(Gun gun, Burst now, double tick)
        {
            if (tick < now.Since) return Math.Min(gun.Before.ShotsAt((uint)Math.Max(0, tick)), now.Shots);
            return now.ShotsAt((uint)Math.Max(0, Math.Max(Math.Min(tick, replica.Tick + told), tick - wait)));
        }

        /// <summary>Strikes the shots that were drawn ahead and are reported now, or that the server did not fire.</summary>
        private void Confirm(Gun gun, Burst now)
        {
            uint shots = now.ShotsAt(replica.Tick);
            for (int i = gun.Ahead.Count - 1; i >= 0; i--)
            {
                var a = gun.Ahead[i];
                if (shots < a.Nth && a.Until >= replica.Tick) continue;
                gun.Ahead.RemoveAt(i);
                if (shots >= a.Nth) continue;
                gun.Drawn--;
                Wrong++;
            }
        }

        /// <summary>Draws an entity's shots up to a tick at once, and forgets the entity.</summary>
        private void Settle(uint handle, uint tick, uint[] last)
        {
            Shooter s;
            if (!shooters.TryGetValue(handle, out s) && last == null) return;
            s = Of(handle);
            for (int i = 0; i < 2; i++)
            {
                var now = replica.Entities[handle].Bursts[i];
                if (last != null) now.Take(last[i], unchecked(tick + 1), now.Period);
                Confirm(s.Guns[i], now);
                uint due = now.ShotsAt(tick);
                if (due > s.Guns[i].Drawn + MissedMax) s.Guns[i].Drawn = due - MissedMax;
                while (s.Guns[i].Drawn < due) Emit(handle, i);
            }
            shooters.Remove(handle);
        }

        private Shooter Of(uint handle)
        {
            Shooter s;
            if (!shooters.TryGetValue(handle, out s)) shooters[handle] = s = new Shooter();
            return s;
        }

        private void Aim(uint handle, uint target, double x, double y)
        {
            var s = Of(handle);
            s.Target = target;
            s.X = x;
            s.Y = y;
        }

        private void Emit(uint handle, int index)
        {
            var s = shooters[handle];
            s.Guns[index].Drawn++;
            if (pending.Count < PendingMax)
                pending.Add(new FiredShot { Unit = handle, Index = index, Target = replica.Entities.ContainsKey(s.Target) ? s.Target : 0, X = s.X, Y = s.Y });
        }
    }
}
