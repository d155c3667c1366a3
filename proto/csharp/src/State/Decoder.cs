using System.Collections.Generic;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>
    /// Reads the messages of one seat in their order. It takes any bytes: what is no message, or exceeds a bound, is
    /// a <see cref="FogkeepException"/> of the code <see cref="ErrorCodes.BadFrame"/>. It takes from the welcome how
    /// kinds are numbered, and knows nothing else of the match.
    /// </summary>
    public sealed class Decoder
    {
        /// <summary>Owner of what belongs to nobody, and slot of a spectator.</summary>
        public const uint NoSlot = 255;

        internal const int SlotsMax = 64, ModeValuesMax = 8, MapSideMax = 1024, RowsMax = 1 << 16;
        private const int TypesMax = 1 << 16, AnswersMax = 1 << 14, SeriesMax = 512, SpeedMax = 1600;

        private uint players, types;

        /// <summary>Reads the next message.</summary>
        public Frame Decode(byte[] bytes)
        {
            if (bytes.Length > Limits.ServerBytes) throw Bad(bytes.Length + " bytes: at most " + Limits.ServerBytes);
            var m = WireReader.Read<ServerFrame>(bytes);
            var f = new Frame { Welcome = m.Welcome, Waiting = m.Waiting, Closing = m.Closing, Said = m.Said, Speed = m.Speed, Votes = m.Votes, Replay = m.Replay, Timeline = m.Timeline };
            if (m.Welcome != null)
            {
                Check(m.Welcome);
                players = (uint)m.Welcome.Players.Count;
                types = (uint)m.Welcome.Types.Count;
            }
            if (m.Welcome != null || m.Waiting != null || m.Closing != null) return f;
            if (types == 0) throw Bad("a frame before the welcome");
            if (m.Replay != null) Check(m.Replay);
            if (m.Timeline != null) Check(m.Timeline);
            if (!f.IsFrame) return f;
            Packed.Unpack(m);
            Fill(f, m);
            return f;
        }

        private static void Check(Welcome w)
        {
            if (w.Types.Count == 0 || w.Types.Count > TypesMax) throw Bad("welcome: " + w.Types.Count + " types");
            if (w.Players.Count == 0 || w.Players.Count > SlotsMax) throw Bad("welcome: " + w.Players.Count + " players");
        }

        private void Fill(Frame f, ServerFrame m)
        {
            f.Snapshot = m.Tick != 0;
            f.Tick = m.Tick;
            f.Span = f.Snapshot ? 0 : m.Span == 0 ? 1 : m.Span;
            f.Skipped = m.Skipped;
            f.Partial = m.Partial;
            f.Pinged = m.Pinged;
            f.Players = m.Players;
            f.Sights = m.Sights;
            f.Ended = m.Ended;
            f.Budget = m.Budget;
            f.MaskHash = m.MaskHash;
            f.Answers = AnswersOf(m.Answers);

            for (var r = new Rows(m.LastBursts, 3, "last_bursts"); r.Next();)
                f.LastBursts.Add(new LastBurstsRow { Handle = r.Handle, First = r[1], Second = r[2] });
            Handles(m.Leave, f.Leave, "leave");
            Handles(m.Destroyed, f.Destroyed, "destroyed");
            for (var r = new Rows(m.Enter, 3, "enter", (players + 1) * types); r.Next();)
            {
                uint owner = r.Rest / types;
                f.Enter.Add(new EnterRow { Handle = r.Handle, Type = r.Rest % types, Owner = SlotOf(owner), Cell = r[1], Course = r[2] });
            }
            for (var r = new Rows(m.Owner, 2, "owner"); r.Next();)
            {
                if (r[1] > SlotsMax) throw Bad("owner " + r[1] + " of at most " + SlotsMax);
                f.Owners.Add(new Row { Handle = r.Handle, Value = SlotOf(r[1]) });
            }
            for (var r = new Rows(m.Motion, 3, "motion"); r.Next();)
                f.Motion.Add(new MotionRow { Handle = r.Handle, A = r[1], B = r[2] });
            for (var r = new Rows(m.Exact, 3, "exact"); r.Next();)
                f.Exact.Add(new MotionRow { Handle = r.Handle, A = r[1], B = r[2] });
            for (int v = 0; v < Values.Count; v++) f.Values[v] = ValuesOf(Values.RowsOf(m, v), Values.Names[v]);
            for (var r = new Rows(m.Actions, 3, "actions"); r.Next();)
                f.Actions.Add(new ActivityRow { Handle = r.Handle, Number = r[1], When = r[2] });
            for (var r = new Rows(m.Effects, 4, "effects"); r.Next();)
                f.Effects.Add(new ActivityRow { Handle = r.Handle, Number = r[1], When = r[2], Source = r[3] });
            for (var r = new Rows(m.Values, 3, "values"); r.Next();) f.Declared.Add(new DeclaredRow { Handle = r.Handle, Value = r[1], N = r[2] });
            for (var r = new Rows(m.Fire, 2, "fire"); r.Next();)
                f.Fire.Add(new FireRow { Handle = r.Handle, Target = r[1] });
            GhostsOf(f, m.Ghosts);
            ContactsOf(f, m.Contacts);
            MaskOf(f, m.Mask);
            EventsOf(f, m.Events);
            foreach (var s in m.Sights)
                if (s.X >= MapSideMax || s.Y >= MapSideMax) throw Bad("sight at " + s.X + "," + s.Y + " is beyond any map");
            foreach (var p in m.Players)
                if (p.Slot >= SlotsMax || p.Values.Count > ModeValuesMax) throw Bad("player " + p.Slot + " of at most " + SlotsMax + ", or more values than " + ModeValuesMax);
            Check(m.Ended);
            if (m.Own != null) OwnOf(f, m.Own);
        }

        private static void Check(Ended e)
        {
            if (e == null) return;
            if (e.Scores.Count > SlotsMax || e.Series.Count > SlotsMax) throw Bad("ended: scores or series of more than " + SlotsMax);
            foreach (var s in e.Series)
                if (s.Gathered.Count > SeriesMax || s.Army.Count > SeriesMax) throw Bad("ended: a series of more than " + SeriesMax + " points");
        }

        private void Check(ReplayStatus s)
        {
            if (s.Eyes > SlotsMax) throw Bad("replay: eyes " + s.Eyes + " of at most " + SlotsMax);
            if (s.Percent > SpeedMax) throw Bad("replay: " + s.Percent + " percent: at most " + SpeedMax);
            if (s.Cameras.Count > SlotsMax || s.Production.Count > RowsMax) throw Bad("replay: too many cameras or productions");
            foreach (var c in s.Cameras)
                if (c.Slot >= players) throw Bad("replay: camera of player " + c.Slot + " of " + players);
            foreach (var p in s.Production)
                if (p.Slot >= players || p.Type >= types) throw Bad("replay: player " + p.Slot + " of " + players + " makes type " + p.Type + " of " + types);
        }

        private void Check(ReplayTimeline t)
        {
            if (t.Series.Count > SlotsMax || t.Events.Count > RowsMax) throw Bad("timeline: too many series or events");
            foreach (var s in t.Series)
                if (s.Slot >= players) throw Bad("timeline: series of player " + s.Slot + " of " + players);
            foreach (var e in t.Events)
                if (e.Losses.Count > SlotsMax) throw Bad("timeline: an event with losses of " + e.Losses.Count + " players");
        }

        /// <summary>The slot of a number that is slot + 1, or 0 for nobody.</summary>
        private static uint SlotOf(uint n) { return n == 0 || n > SlotsMax ? NoSlot : n - 1; }

        private static List<Row> ValuesOf(List<uint> all, string name)
        {
            var list = new List<Row>(all.Count / 2);
            for (var r = new Rows(all, 2, name); r.Next();) list.Add(new Row { Handle = r.Handle, Value = r[1] });
            return list;
        }

        private static void Handles(List<uint> gaps, List<uint> into, string name)
        {
            for (var r = new Rows(gaps, 1, name); r.Next();) into.Add(r.Handle);
        }

        private static List<Answer> AnswersOf(List<Answer> all)
        {
            var list = new List<Answer>(all.Count);
            foreach (var a in all)
            {
                if ((ulong)list.Count + a.More >= AnswersMax) throw Bad("answers: more than " + AnswersMax);
                list.Add(a);
                for (uint i = 1; i <= a.More; i++) list.Add(new Answer { Seq = unchecked(a.Seq + i), Code = a.Code });
                a.More = 0;
            }
            return list;
        }

        private static uint At(List<uint> column, int i) { return i < column.Count ? column[i] : 0; }

        private static void GhostsOf(Frame f, Ghosts g)
        {
            if (g == null) return;
            Handles(g.Gone, f.GhostsGone, "ghosts");
            int i = 0;
            for (var r = new Rows(g.Handle, 1, "ghosts"); r.Next(); i++)
            {
                uint owner = At(g.Owner, i);
                if (owner > SlotsMax) throw Bad("ghost " + r.Handle + ": owner " + owner + " of at most " + SlotsMax);
                f.Ghosts.Add(new Ghost(r.Handle, At(g.Type, i), SlotOf(owner), unchecked((int)At(g.X, i)), unchecked((int)At(g.Y, i)),
                    (byte)At(g.Facing, i), At(g.HpMissing, i), At(g.Amount, i)));
            }
        }

        private static void ContactsOf(Frame f, Contacts c)
        {
            if (c == null) return;
            if (c.X.Count > RowsMax) throw Bad("contacts: " + c.X.Count + " rows");
            for (int i = 0; i < c.X.Count; i++)
            {
                uint x = c.X[i], y = At(c.Y, i), what = At(c.Class, i);
                if (x >= MapSideMax / Contact.CellTiles || y >= MapSideMax / Contact.CellTiles || what > 255)
                    throw Bad("contact of class " + what + " in cell " + x + "," + y + ": beyond any map or ruleset");
                f.Contacts.Add(new Contact { Class = what, CellX = x, CellY = y, Tick = At(c.Ago, i) });
            }
        }

        private static void MaskOf(Frame f, MaskRows m)
        {
            if (m == null) return;
            uint y = 0;
            int visible = 0, explored = 0;
            for (int i = 0; i < m.Row.Count; i++)
            {
                uint gap = m.Row[i];
                if (gap > MapSideMax || y + gap >= MapSideMax) throw Bad("mask: row " + (y + (ulong)gap) + " is beyond any map");
                if (i > 0 && gap == 0) throw Bad("mask: row " + y + " comes twice");
                y += gap;
                f.Mask.Add(new MaskRow
                {
                    Y = (int)y,
                    Visible = Runs(m.Visible, ref visible, At(m.VisibleRuns, i), y),
                    Explored = Runs(m.Explored, ref explored, At(m.ExploredRuns, i), y),
                });
            }
        }

        private static uint[] Runs(List<uint> all, ref int at, uint n, uint y)
        {
            if (n > all.Count - at) throw Bad("mask: row " + y + " has " + n + " runs, " + (all.Count - at) + " are left");
            if (n == 0) return null;
            var runs = new uint[n];
            all.CopyTo(at, runs, 0, (int)n);
            at += (int)n;
            return runs;
        }

        private static void EventsOf(Frame f, Events e)
        {
            if (e == null) return;
            if (e.Kind.Count > RowsMax) throw Bad("events: " + e.Kind.Count + " rows: at most " + RowsMax);
            for (int i = 0; i < e.Kind.Count; i++)
            {
                f.Events.Add(new EventRow
                {
                    Kind = (EventKind)e.Kind[i], X = unchecked((int)At(e.X, i)), Y = unchecked((int)At(e.Y, i)),
                    What = At(e.What, i), Source = At(e.Source, i), Target = At(e.Target, i),
                });
            }
        }

        private static void OwnOf(Frame f, Own m)
        {
            var own = f.Own = new OwnRows { Population = m.Population, PopulationMax = m.PopulationMax };
            if (m.Resources.Count > 0) own.Resources = m.Resources;
            if (m.Upgrades.Count > 0) own.Upgrades = m.Upgrades;
            QueuesOf(own, m.Queues);
            for (var r = new Rows(m.Rallies, 2, "rallies"); r.Next();) own.Rallies.Add(new Row { Handle = r.Handle, Value = r[1] });
            if (m.Cancelled.Count > RowsMax) throw Bad("cancelled: " + m.Cancelled.Count + " rows: at most " + RowsMax);
            for (int i = 0; i < m.Cancelled.Count; i++)
                f.Cancelled.Add(new Cancelled { Unit = m.Cancelled[i], Code = At(m.CancelledCode, i) });
            TasksOf(own, m.Tasks);
            if (m.Started.Count % 2 != 0 || m.Started.Count > 2 * RowsMax) throw Bad("started: " + m.Started.Count + " numbers are no rows of 2, or too many");
            for (int i = 0; i < m.Started.Count; i += 2)
                f.Started.Add(new Started { Request = m.Started[i], Handle = m.Started[i + 1] });
            for (int v = 0; v < OwnValues.Count; v++) own.Values[v] = ValuesOf(OwnValues.RowsOf(m, v), OwnValues.Names[v]);
            for (var r = new Rows(m.Running, 4, "running"); r.Next();)
                own.Running.Add(new AbilityRow { Handle = r.Handle, Index = r[1], A = r[2], B = r[3] });
            for (var r = new Rows(m.Grants, 3, "grants"); r.Next();)
                own.Grants.Add(new AbilityRow { Handle = r.Handle, Index = r[1], A = r[2] });
            for (var r = new Rows(m.Passengers, 4, "passengers"); r.Next();)
                own.Passengers.Add(new PassengerRow { Handle = r.Handle, Place = r[1], Type = r[2], Missing = r[3] });
            for (var r = new Rows(m.OwnerValues, 3, "owner_values"); r.Next();) own.Declared.Add(new DeclaredRow { Handle = r.Handle, Value = r[1], N = r[2] });
            for (var r = new Rows(m.Ready, 3, "ready"); r.Next();)
                own.Ready.Add(new AbilityRow { Handle = r.Handle, Index = r[1], A = r[2] });
        }

        /// <summary>Rows of [handle difference, length n], n types, and the progress of the first if n is not 0.</summary>
        private static void QueuesOf(OwnRows own, List<uint> all)
        {
            uint handle = 0;
            for (int at = 0; at < all.Count;)
            {
                if (all.Count - at < 2) throw Bad("queues: a row of one number");
                handle = unchecked(handle + all[at]);
                uint n = all[at + 1];
                at += 2;
                var q = new QueueRow { Handle = handle, Types = new uint[0] };
                if (n > 0)
                {
                    if (n >= all.Count - at) throw Bad("queues: " + n + " types and a progress in " + (all.Count - at) + " numbers");
                    q.Types = new uint[n];
                    all.CopyTo(at, q.Types, 0, (int)n);
                    q.Progress = all[at + (int)n];
                    at += (int)n + 1;
                }
                own.Queues.Add(q);
            }
        }

        /// <summary>Rows of [handle difference, kind * 3 + p], and a cell where p is 1.</summary>
        private static void TasksOf(OwnRows own, List<uint> all)
        {
            uint handle = 0, cell = 0;
            for (int at = 0; at < all.Count;)
            {
                if (all.Count - at < 2) throw Bad("tasks: a row of one number");
                handle = unchecked(handle + all[at]);
                var t = new TaskRow { Handle = handle, Kind = all[at + 1] / 3, HasPlace = all[at + 1] % 3 != 0 };
                bool brings = all[at + 1] % 3 == 1;
                at += 2;
                if (brings)
                {
                    if (at == all.Count) throw Bad("tasks: a row without its cell");
                    cell = all[at++];
                }
                t.Cell = cell;
                own.Tasks.Add(t);
            }
        }

        internal static FogkeepException Bad(string what) { return new FogkeepException(ErrorCodes.BadFrame, what, true); }

        /// <summary>
        /// Goes through a packed field in rows. The first number of a row is the difference of handles times
        /// <c>per</c>, plus a rest below it.
        /// </summary>
        private struct Rows
        {
            private readonly List<uint> all;
            private readonly int length;
            private readonly uint per;
            private int at;

            public uint Handle, Rest;

            public Rows(List<uint> all, int length, string name, uint per = 1)
            {
                if (all.Count % length != 0) throw Bad(name + ": " + all.Count + " numbers are no rows of " + length);
                if (all.Count / length > RowsMax) throw Bad(name + ": " + all.Count / length + " rows: at most " + RowsMax);
                this.all = all;
                this.length = length;
                this.per = per;
                at = -length;
                Handle = Rest = 0;
            }

            public bool Next()
            {
                at += length;
                if (at >= all.Count) return false;
                Handle = unchecked(Handle + all[at] / per);
                Rest = all[at] % per;
                return true;
            }

            public uint this[int i] { get { return all[at + i]; } }
        }
    }
}
