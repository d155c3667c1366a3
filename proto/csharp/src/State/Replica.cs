using System;
using System.Collections.Generic;
using System.Linq;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>
    /// What a client holds of its team's view: the entities in sight, ghosts, and the mask as it was sent in rows.
    /// Only <see cref="MatchState"/> changes it.
    /// </summary>
    public sealed class Replica
    {
        private const int HeldMax = 1 << 16, ActivitiesMax = 16;
        private const uint ChangesWrap = 128;

        /// <summary>The tick of the last frame; 0: none yet.</summary>
        public uint Tick { get; private set; }
        /// <summary>By handle.</summary>
        public Dictionary<uint, Entity> Entities { get; } = new Dictionary<uint, Entity>();
        /// <summary>By handle.</summary>
        public Dictionary<uint, Ghost> Ghosts { get; } = new Dictionary<uint, Ghost>();
        /// <summary>Of the team's radar, sorted by class and cell. Each ends Welcome.ContactTicks after it was found.</summary>
        public IEnumerable<Contact> Contacts { get { return contacts.Values; } }
        /// <summary>By slot: as the newest welcome or frame says.</summary>
        public PlayerState[] Players { get; }
        /// <summary>By slot: as the newest welcome or frame says.</summary>
        public string[] Names { get; }
        /// <summary>By slot: points, null where they are not known. A team knows the scores of its own players, and all scores in a mode that shows them.</summary>
        public int?[] Scores { get; }
        /// <summary>By slot: what the mode shows of the player's team, in the order of Welcome.ModeValues, as far as it is known.</summary>
        public uint[][] Values { get; }
        /// <summary>The result; null until the match has ended.</summary>
        public Ended Ended { get; private set; }

        internal readonly Mask Visible, Explored; // as sent in rows
        internal readonly Drawing Drawing;

        private readonly int width, height;
        private readonly Welcome rules;
        private readonly Dictionary<uint, int[]> corners = new Dictionary<uint, int[]>(); // of those whose place is a cell in this frame
        private readonly SortedDictionary<uint, Contact> contacts = new SortedDictionary<uint, Contact>(); // by class, row and column
        private ulong fired; // shots of what left sight
        private uint endTick; // of Ended

        internal Replica(GameMap map, Welcome w)
        {
            width = map.Width;
            height = map.Height;
            rules = w;
            Drawing = new Drawing(this, w);
            Visible = new Mask(width, height);
            Explored = new Mask(width, height);
            Players = new PlayerState[w.Players.Count];
            Names = new string[w.Players.Count];
            Scores = new int?[w.Players.Count];
            Values = Enumerable.Repeat(new uint[0], w.Players.Count).ToArray();
            for (int i = 0; i < Players.Length; i++)
            {
                Players[i] = w.Players[i].State;
                Names[i] = w.Players[i].Name;
            }
        }

        /// <summary>All shots that the client has counted since it began.</summary>
        public ulong ShotsSeen
        {
            get
            {
                ulong n = fired;
                foreach (var e in Entities.Values) n += e.ShotsSeen(Tick);
                return n;
            }
        }

        /// <summary>
        /// Takes in the next frame, in the order that server.proto states. A frame that names what is not held is an
        /// error: the stream is broken, and a snapshot is needed.
        /// </summary>
        internal void Apply(Frame f)
        {
            if (f.Snapshot)
            {
                fired = ShotsSeen;
                Tick = f.Tick;
                Entities.Clear();
                Ghosts.Clear();
                contacts.Clear();
                Visible.Clear();
            }
            else
            {
                if (Tick == 0) throw Broken("the first frame is no snapshot");
                Tick = unchecked(Tick + f.Span);
            }
            SettleBursts(f);
            foreach (uint h in f.Leave) Remove(h);
            foreach (uint h in f.Destroyed) Remove(h);
            corners.Clear();
            foreach (var row in f.Enter) Enter(row);
            foreach (var row in f.Owners) Held(row.Handle, "owner").Owner = row.Value;
            foreach (var row in f.Motion) Move(row);
            foreach (var row in f.Exact) Refine(row);
            for (int v = 0; v < f.Values.Length; v++) TakeValues(v, f.Values[v]);
            TakeActivity(f.Actions, false);
            TakeActivity(f.Effects, true);
            foreach (var row in f.Declared) Declare(Held(row.Handle, "value").Declared, row);
            TakeBursts(f);
            TakeGhosts(f);
            TakeContacts(f.Contacts);
            TakeMask(f.Mask);
            Entity target;
            foreach (var row in f.Fire)
            {
                int x, y;
                if (!Entities.TryGetValue(row.Target, out target)) continue;
                target.PlaceAt(Tick, out x, out y);
                Face(row.Handle, x, y);
            }
            foreach (var row in f.Events)
                if (row.Kind == EventKind.Shot) Face(row.Source, row.X, row.Y);
            foreach (var p in f.Players)
            {
                if (p.Slot >= Players.Length) throw Broken("player " + p.Slot + " of " + Players.Length);
                Players[p.Slot] = p.State;
                if (p.Name.Length > 0) Names[p.Slot] = p.Name;
                Scores[p.Slot] = p.Score;
                Values[p.Slot] = p.Values.ToArray();
            }
            if (f.Ended == null) return;
            if (Ended == null) endTick = Tick;
            Ended = f.Ended;
        }

        /// <summary>Before a snapshot of a replay: forgets what is later, or was seen by other eyes.</summary>
        internal void Rewind(uint tick)
        {
            Explored.Clear();
            if (tick < endTick) Ended = null;
        }

        /// <summary>Turns an entity that stands to a place: it looks at what it fires at.</summary>
        private void Face(uint handle, int x, int y)
        {
            Entity e;
            if (!Entities.TryGetValue(handle, out e) || !e.Stands) return;
            int atX, atY;
            e.PlaceAt(Tick, out atX, out atY);
            e.Angle = Math.Atan2(y - atY, x - atX);
        }

        private void Remove(uint handle)
        {
            if (!Entities.Remove(handle)) throw NotHeld("leave", handle);
        }

        private void Enter(EnterRow row)
        {
            if (Entities.ContainsKey(row.Handle)) throw Broken("enter of handle " + row.Handle + ", which is held");
            if (Entities.Count >= HeldMax) throw Broken("more than " + HeldMax + " entities");
            if (row.Type >= rules.Types.Count) throw Broken("handle " + row.Handle + " has type " + row.Type + " of " + rules.Types.Count);
            int x, y, vx, vy;
            Course.CellCorner(row.Cell, width, out x, out y);
            Course.Velocity(row.Course, unchecked((int)rules.Types[(int)row.Type].Speed), out vx, out vy);
            corners[row.Handle] = new[] { x, y };
            var e = Entities[row.Handle] = new Entity(width, height)
            {
                Handle = row.Handle, Type = row.Type, Owner = row.Owner, Course = row.Course, VX = vx, VY = vy,
                X = unchecked(x + 32), Y = unchecked(y + 32), Since = Tick, Entered = Tick,
            };
            e.TakeAngle();
            e.DrawnAngle = e.Angle;
            e.DrawnX = e.X;
            e.DrawnY = e.Y;
        }

        private void Move(MotionRow row)
        {
            var e = Held(row.Handle, "course");
            int x, y, vx, vy;
            e.PlaceAt(Tick, out x, out y);
            var was = Drawing.Aim(e);
            if (Course.Place(row.A, width, ref x, ref y))
            {
                corners[row.Handle] = new[] { x, y };
                x = unchecked(x + 32);
                y = unchecked(y + 32);
            }
            Course.Velocity(row.B, unchecked((int)rules.Types[(int)e.Type].Speed), out vx, out vy);
            e.X = x;
            e.Y = y;
            e.VX = vx;
            e.VY = vy;
            e.Course = row.B;
            e.Since = Tick;
            e.TakeAngle();
            Drawing.KeepAt(e, was.X, was.Y);
        }

        private void Refine(MotionRow row)
        {
            int[] corner;
            if (!corners.TryGetValue(row.Handle, out corner) || row.B >= Course.FineNumbers)
                throw Broken("exact place of handle " + row.Handle + ", of which no cell was sent");
            var e = Entities[row.Handle];
            var was = Drawing.Aim(e);
            e.X = unchecked(corner[0] + (int)(row.B >> 6));
            e.Y = unchecked(corner[1] + (int)(row.B & 63));
            e.Since = unchecked(Tick - row.A);
            if (e.Entered != Tick) Drawing.KeepAt(e, was.X, was.Y);
        }

        private void TakeValues(int value, List<Row> rows)
        {
            int counter = Fogkeep.Values.CountedBy[value];
            bool isBurst = value == Fogkeep.Values.Burst || value == Fogkeep.Values.BurstSecond;
            foreach (var row in rows)
            {
                var e = Held(row.Handle, Fogkeep.Values.Names[value]);
                if (counter >= 0 && e.Entered != Tick) e.Values[counter] = (e.Values[counter] + 1) % ChangesWrap;
                e.Values[value] = isBurst ? Burst.WithoutAge(row.Value) : row.Value;
            }
        }

        /// <summary>Rows of an entity are all the abilities that it runs, or all the effects on it.</summary>
        private void TakeActivity(List<ActivityRow> rows, bool effects)
        {
            uint last = 0;
            foreach (var row in rows)
            {
                var e = Held(row.Handle, effects ? "effect" : "ability");
                var list = effects ? e.Effects : e.Actions;
                if (row.Handle != last) list.Clear();
                last = row.Handle;
                if (row.Number == 0) continue;
                if (list.Count >= ActivitiesMax) throw Broken("handle " + row.Handle + " has too many abilities or effects");
                list.Add(new Activity { Number = row.Number - 1, Since = row.When == 0 ? 0 : unchecked(Tick - (row.When - 1)), Source = row.Source });
            }
        }

        /// <summary>Takes in a row of declared values. A value at its start is left out.</summary>
        internal static void Declare(Dictionary<uint, int> held, DeclaredRow row)
        {
            if (row.N == 0) held.Remove(row.Value);
            else if (held.Count < ActivitiesMax || held.ContainsKey(row.Value)) held[row.Value] = unchecked((int)(row.N >> 1) ^ -(int)(row.N & 1));
        }

        private void TakeBursts(Frame f)
        {
            for (int weapon = 0; weapon < 2; weapon++)
            {
                int value = weapon == 0 ? Fogkeep.Values.Burst : Fogkeep.Values.BurstSecond;
                foreach (var row in f.Values[value])
                {
                    var e = Entities[row.Handle];
                    e.Bursts[weapon].Take(row.Value, Tick, PeriodOf(e, weapon));
                }
            }
            if (!f.Snapshot) return;
            foreach (var e in Entities.Values) // shots from before are not news
                for (int i = 0; i < e.Bursts.Length; i++) e.Before[i] = e.Bursts[i].ShotsAt(Tick);
        }

        /// <summary>
        /// Adds up what leaves sight. It is not there in this frame: without a row that says otherwise it fired up to
        /// the tick before.
        /// </summary>
        private void SettleBursts(Frame f)
        {
            foreach (var row in f.LastBursts)
            {
                var e = Held(row.Handle, "last shots");
                e.Bursts[0].Take(row.First, Tick, 0);
                e.Bursts[1].Take(row.Second, Tick, 0);
            }
            Entity gone;
            foreach (uint h in f.Leave) if (Entities.TryGetValue(h, out gone)) fired += gone.ShotsSeen(Tick - 1);
            foreach (uint h in f.Destroyed) if (Entities.TryGetValue(h, out gone)) fired += gone.ShotsSeen(Tick - 1);
        }

        /// <summary>Ticks from shot to shot: of the ability's weapon while one runs that has one.</summary>
        private uint PeriodOf(Entity e, int weapon)
        {
            var type = rules.Types[(int)e.Type];
            uint period = weapon < type.Weapons.Count ? Cooldown(e, type.Weapons[weapon]) : 0;
            if (weapon > 0) return period;
            foreach (var a in e.Actions)
            {
                if (a.Number >= type.Abilities.Count || type.Abilities[(int)a.Number] >= rules.Abilities.Count) continue;
                uint other = rules.Abilities[(int)type.Abilities[(int)a.Number]].Weapon;
                if (other > 0) period = Cooldown(e, other - 1);
            }
            return period;
        }

        private uint Cooldown(Entity e, uint weapon)
        {
            var info = WeaponIn(rules, e, weapon);
            return info == null ? 0 : info.Burst > 1 ? info.BurstTicks : info.CooldownTicks;
        }

        /// <summary>A weapon of an entity, or the alternate fire that the entity uses in its place; null: no such weapon.</summary>
        internal static WeaponInfo WeaponIn(Welcome rules, Entity e, uint weapon)
        {
            var info = weapon < rules.Weapons.Count ? rules.Weapons[(int)weapon] : null;
            if (info == null || info.Alternate == 0 || (e.Values[Fogkeep.Values.Flags] & (uint)EntityFlag.Alternate) == 0) return info;
            return info.Alternate <= rules.Weapons.Count ? rules.Weapons[(int)info.Alternate - 1] : null;
        }

        private void TakeGhosts(Frame f)
        {
            foreach (uint h in f.GhostsGone) Ghosts.Remove(h);
            foreach (var g in f.Ghosts)
            {
                if (Ghosts.Count >= HeldMax && !Ghosts.ContainsKey(g.Handle)) throw Broken("more than " + HeldMax + " ghosts");
                Ghosts[g.Handle] = g;
            }
        }

        private void TakeContacts(List<Contact> found)
        {
            foreach (var row in found)
            {
                var c = row;
                c.Tick = Tick - Math.Min(Tick, row.Tick);
                uint key = c.Class << 16 | c.CellY << 8 | c.CellX;
                if (contacts.Count >= HeldMax && !contacts.ContainsKey(key)) throw Broken("more than " + HeldMax + " contacts");
                contacts[key] = c;
            }
            if (contacts.Count == 0) return;
            foreach (var key in contacts.Where(c => c.Value.Tick + rules.ContactTicks <= Tick).Select(c => c.Key).ToList()) contacts.Remove(key);
        }

        private void TakeMask(List<MaskRow> rows)
        {
            foreach (var row in rows)
            {
                if (row.Y >= height) throw Broken("row " + row.Y + " of a mask of " + height);
                if (row.Visible != null && !Visible.SetRuns(row.Y, row.Visible) || row.Explored != null && !Explored.SetRuns(row.Y, row.Explored))
                    throw Broken("row " + row.Y + ": runs of more than " + width + " tiles");
            }
            if (rows.Count > 0) Explored.Or(Visible);
        }

        private Entity Held(uint handle, string what)
        {
            Entity e;
            if (!Entities.TryGetValue(handle, out e)) throw NotHeld(what, handle);
            return e;
        }

        private FogkeepException NotHeld(string what, uint handle) { return Broken(what + " of handle " + handle + ", which is not held"); }

        private FogkeepException Broken(string what)
        {
            return new FogkeepException(ErrorCodes.BrokenStream, "tick " + Tick + ": " + what, true);
        }
    }
}
