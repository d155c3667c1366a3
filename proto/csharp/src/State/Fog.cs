using System;
using System.Collections.Generic;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>
    /// Derives the team's mask from what the client holds, so that the mask costs no bytes (docs/reference/protocol.md,
    /// "The fog").
    /// </summary>
    internal sealed class Fog
    {
        private const uint UnbuiltRadius = 4; // half tiles: the most that a structure under construction sees
        private const int CatchUpTicks = 256, CatchUpSources = 500000, TimedMax = 1 << 10;

        private struct Timed
        {
            public int X, Y;
            public uint Radius, LevelBonus, Until; // the first tick in which it sees nothing
            public bool Flyer;
        }

        private readonly Vision vision;
        private readonly Welcome rules;
        private readonly List<Timed> timed = new List<Timed>();
        private readonly GameMap map;
        private HashSet<int> opaque = new HashSet<int>(); // tiles where features stand that block sight, as far as the team knows
        private uint last; // the tick that was derived last; 0: none

        public Fog(GameMap map, Welcome w)
        {
            vision = new Vision(map);
            this.map = map;
            rules = w;
            Team = w.Team;
        }

        /// <summary>Whose eyes it looks with; <see cref="Decoder.NoSlot"/>: those of all teams.</summary>
        public uint Team;

        public Mask Visible { get { return vision.Visible; } }
        public Mask Explored { get { return vision.Explored; } }

        /// <summary>Called before the replica takes a frame in: derives the ticks between, except those that were skipped.</summary>
        public void Before(Replica r, Frame f)
        {
            if (f.Snapshot)
            {
                timed.Clear();
                last = 0;
                return;
            }
            uint ticks = Math.Min(f.Span - Math.Min(f.Skipped, f.Span), CatchUpTicks);
            ticks = Math.Min(ticks, (uint)(CatchUpSources / (r.Entities.Count + 1)));
            for (uint t = last + 1; last != 0 && t < r.Tick + ticks; t++) Derive(r, t);
            if (f.Skipped != 0) return; // then the frame has the sights of the dead
            uint now = unchecked(r.Tick + f.Span);
            foreach (uint h in f.Destroyed)
            {
                Entity e;
                if (rules.DyingSightTicks == 0 || !r.Entities.TryGetValue(h, out e) || !Sees(e)) continue;
                int x, y;
                e.PlaceAt(unchecked(now - 1), out x, out y);
                var type = rules.Types[(int)e.Type];
                Add(new Timed { X = x >> 10, Y = y >> 10, Radius = RadiusOf(e, type), Flyer = type.FlyerSight, LevelBonus = type.LevelBonus, Until = unchecked(now + rules.DyingSightTicks) });
            }
        }

        /// <summary>Called once the replica has taken the frame in.</summary>
        public void After(Replica r, Frame f)
        {
            if (map.Occlusion == 2 && rules.Types.Exists(t => t.BlocksSight)) Standing(r);
            if (f.Partial) return; // where entities are at its tick comes later
            foreach (var s in f.Sights)
                Add(new Timed { X = (int)s.X, Y = (int)s.Y, Radius = s.Radius, Flyer = s.Flyer, LevelBonus = s.LevelBonus, Until = unchecked(r.Tick + s.Ticks) });
            Derive(r, r.Tick);
        }

        /// <summary>Takes over where the team takes opaque features to stand.</summary>
        private void Standing(Replica r)
        {
            var now = new HashSet<int>();
            foreach (var e in r.Entities.Values)
            {
                int x, y;
                e.PlaceAt(r.Tick, out x, out y);
                Stands(now, e.Type, x, y);
            }
            foreach (var g in r.Ghosts.Values) Stands(now, g.Type, g.X, g.Y);
            foreach (int i in opaque) if (!now.Contains(i)) vision.SetOpaque(i % map.Width, i / map.Width, false);
            foreach (int i in now) vision.SetOpaque(i % map.Width, i / map.Width, true);
            opaque = now;
        }

        private void Stands(HashSet<int> now, uint type, int x, int y)
        {
            if (type >= rules.Types.Count || !rules.Types[(int)type].BlocksSight) return;
            x >>= 10;
            y >>= 10;
            if (x < 0 || y < 0 || x >= map.Width || y >= map.Height) return;
            int i = y * map.Width + x;
            if (map.Terrain[i] != GameMap.Cliff) now.Add(i);
        }

        private void Add(Timed t)
        {
            if (timed.Count < TimedMax) timed.Add(t); // beyond, the hash shows that the mask differs
        }

        private void Derive(Replica r, uint tick)
        {
            vision.Begin();
            foreach (var e in r.Entities.Values)
            {
                if (!Sees(e)) continue;
                int x, y;
                e.PlaceAt(tick, out x, out y);
                var type = rules.Types[(int)e.Type];
                vision.Add(x >> 10, y >> 10, RadiusOf(e, type), type.FlyerSight, type.LevelBonus);
            }
            timed.RemoveAll(t => t.Until <= tick);
            foreach (var t in timed) vision.Add(t.X, t.Y, t.Radius, t.Flyer, t.LevelBonus);
            vision.End();
            last = tick;
        }

        /// <summary>Whether an entity gives the team sight. With all eyes, the units and structures of all players do.</summary>
        private bool Sees(Entity e)
        {
            if (e.Owner >= rules.Players.Count) return false;
            if (Team != Decoder.NoSlot && rules.Players[(int)e.Owner].Team != Team) return false;
            var c = rules.Types[(int)e.Type].Class;
            return c != TypeClass.Projectile && c != TypeClass.Resource;
        }

        private uint RadiusOf(Entity e, TypeInfo type)
        {
            bool building = (e.Values[Values.Flags] & (uint)EntityFlag.Building) != 0;
            uint sight = (uint)Math.Min(Vision.RadiusMax, Attributes.Of(rules.Effects, e, Attributes.Sight, type.Sight));
            return building ? Math.Min(sight, UnbuiltRadius) : sight;
        }
    }
}
