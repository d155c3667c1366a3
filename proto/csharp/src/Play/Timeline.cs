using System;
using System.Collections.Generic;
using System.Linq;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>
    /// The series of a player: numbers, one a point. Army is what living armed units cost, workers aside, Making what is
    /// being made costs. Lost and Killed count units and structures, LostValue and KilledValue are what they cost, Orders
    /// were accepted: these and Refused count from the match's beginning.
    /// </summary>
    public enum SeriesName { Army, Making, Workers, Population, PopulationMax, Lost, LostValue, Killed, KilledValue, Orders, Refused, Assisted }

    /// <summary>Something that happened in the match of a replay.</summary>
    public sealed class TimelineEvent
    {
        public ReplayEventKind Kind { get; internal set; }
        public uint Tick { get; internal set; }
        /// <summary>Of a fight its last tick; of others Tick.</summary>
        public uint Until { get; internal set; }
        /// <summary>Players and teams; -1: none.</summary>
        public int Slot { get; internal set; }
        public int By { get; internal set; }
        public int Team { get; internal set; }
        public int Other { get; internal set; }
        /// <summary>The tile; null where it has no place.</summary>
        public Place? At { get; internal set; }
        /// <summary>-1: none.</summary>
        public int Type { get; internal set; }
        /// <summary>What was lost or won cost.</summary>
        public uint Value { get; internal set; }
        /// <summary>Of a fight: what players lost, units and structures, and what these cost.</summary>
        public IReadOnlyList<ReplayLoss> Losses { get; internal set; }
        /// <summary>Of the match's end.</summary>
        public string Reason { get; internal set; }
    }

    /// <summary>What is known of a match's course. It grows while the server reads the match.</summary>
    public sealed class Timeline
    {
        private const int EventsMax = 1 << 15, PointsMax = 1 << 17, MinuteMs = 60000;
        private static readonly int names = Enum.GetValues(typeof(SeriesName)).Length;

        private readonly List<uint>[][] columns; // by slot, then by SeriesName, then Held and Gathered
        private readonly List<TimelineEvent> events = new List<TimelineEvent>();
        private readonly int kinds;
        private readonly double tickMs;

        internal Timeline(uint first, int players, int kinds, double tickMs)
        {
            First = first;
            this.kinds = kinds;
            this.tickMs = tickMs;
            columns = Enumerable.Range(0, players).Select(p => Enumerable.Range(0, names + 2).Select(n => new List<uint>()).ToArray()).ToArray();
        }

        /// <summary>The match's first tick.</summary>
        public uint First { get; }
        /// <summary>Ticks from one point to the next; 0 before the first part.</summary>
        public uint PointTicks { get; private set; }
        /// <summary>Points that are known. Point k is of tick First + k * PointTicks.</summary>
        public int Points { get; private set; }
        /// <summary>Grows with each part.</summary>
        public int Revision { get; private set; }
        /// <summary>Ascending by tick.</summary>
        public IReadOnlyList<TimelineEvent> Events { get { return events; } }

        /// <summary>A series of a player. Empty where it may not be known: of a match that runs all but Army and Workers.</summary>
        public IReadOnlyList<uint> Of(uint slot, SeriesName name) { return Column(slot, (int)name); }

        /// <summary>Whether anything is known of a player.</summary>
        public bool Knows(uint slot) { return Of(slot, SeriesName.Army).Count > 0; }

        /// <summary>The tick of a point.</summary>
        public uint TickOf(int point) { return First + (uint)point * PointTicks; }

        /// <summary>The number of the last point at or before a tick; -1: none is known.</summary>
        public int PointAt(uint tick)
        {
            if (Points == 0 || PointTicks == 0) return -1;
            return (int)Math.Max(0, Math.Min(Points - 1, ((long)tick - First) / PointTicks));
        }

        /// <summary>A number of a player at a tick; null where it is not known.</summary>
        public uint? At(uint slot, SeriesName name, uint tick)
        {
            int point = PointAt(tick);
            var list = Of(slot, name);
            return point >= 0 && point < list.Count ? list[point] : (uint?)null;
        }

        /// <summary>What a player holds of each kind of resource at a tick; empty where it is not known.</summary>
        public IReadOnlyList<uint> HeldAt(uint slot, uint tick)
        {
            int point = PointAt(tick);
            return point < 0 ? new List<uint>() : Column(slot, names).Skip(point * kinds).Take(kinds).ToList();
        }

        /// <summary>All resources together that a player has gathered until a point.</summary>
        public uint Gathered(uint slot, int point)
        {
            return (uint)Column(slot, names + 1).Skip(point * kinds).Take(kinds).Sum(n => n);
        }

        /// <summary>Resources that a player gathered in the minute before a point.</summary>
        public uint Income(uint slot, int point) { return Rate(point, k => Gathered(slot, k)); }

        /// <summary>Orders of a player in the minute before a point: accepted and refused.</summary>
        public uint PerMinute(uint slot, int point)
        {
            return Rate(point, k => Number(slot, SeriesName.Orders, k) + Number(slot, SeriesName.Refused, k));
        }

        /// <summary>By how much a series of a player grew from the point before to a point.</summary>
        public uint Growth(uint slot, SeriesName name, int point)
        {
            uint now = Number(slot, name, point), was = Number(slot, name, point - 1);
            return point < 1 || now < was ? 0 : now - was;
        }

        /// <summary>The first event after a tick; null: none.</summary>
        public TimelineEvent Next(uint tick) { return events.FirstOrDefault(e => e.Tick > tick); }

        /// <summary>The last event before a tick; null: none.</summary>
        public TimelineEvent Previous(uint tick) { return events.LastOrDefault(e => e.Tick < tick); }

        /// <summary>Takes a part. Returns false for one that does not follow those before.</summary>
        internal bool Add(ReplayTimeline part)
        {
            if (part.Restart) ForgetSeries();
            if (part.Series.Count > 0)
            {
                if (part.PointTicks == 0 || part.Point > Points || PointTicks != 0 && part.PointTicks != PointTicks) return false;
                PointTicks = part.PointTicks;
                foreach (var s in part.Series)
                {
                    var told = new[] { s.Army, s.Making, s.Workers, s.Population, s.PopulationMax, s.Lost, s.LostValue, s.Killed, s.KilledValue, s.Orders, s.Refused, s.Assisted, s.Held, s.Gathered };
                    for (int n = 0; n < told.Length; n++)
                        if (!Put(columns[s.Slot][n], n < names ? 1 : kinds, (int)part.Point, told[n])) return false;
                }
                Points = columns.Max(c => c[0].Count);
            }
            foreach (var e in part.Events)
                if (e.Kind >= ReplayEventKind.Contact && e.Kind <= ReplayEventKind.Ended && events.Count < EventsMax) events.Add(EventOf(e));
            var sorted = events.OrderBy(e => e.Tick).ToList(); // equal ticks keep their order
            events.Clear();
            events.AddRange(sorted);
            Revision++;
            return true;
        }

        /// <summary>On a new connection all is told anew.</summary>
        internal void Clear()
        {
            ForgetSeries();
            events.Clear();
            Revision++;
        }

        private void ForgetSeries()
        {
            PointTicks = 0;
            Points = 0;
            foreach (var all in columns) foreach (var list in all) list.Clear();
        }

        private TimelineEvent EventOf(ReplayEvent e)
        {
            Func<uint, int> known = slot => slot <= columns.Length ? (int)slot - 1 : -1;
            bool placed = e.Kind <= ReplayEventKind.Captured;
            return new TimelineEvent
            {
                Kind = e.Kind, Tick = e.Tick, Until = Math.Max(e.Tick, e.Until), Slot = known(e.Slot), By = known(e.By), Team = (int)e.Team - 1, Other = (int)e.Other - 1,
                At = placed ? new Place { X = (int)e.X, Y = (int)e.Y } : (Place?)null, Type = (int)e.Type - 1, Value = e.Value,
                Losses = e.Losses.Where(l => l.Slot < columns.Length).ToList(), Reason = e.Reason,
            };
        }

        private List<uint> Column(uint slot, int n) { return slot < columns.Length ? columns[slot][n] : new List<uint>(); }

        private uint Number(uint slot, SeriesName name, int point)
        {
            var list = Of(slot, name);
            return point >= 0 && point < list.Count ? list[point] : 0;
        }

        /// <summary>How much a sum grew in the minute before a point, or since the beginning if that is shorter.</summary>
        private uint Rate(int point, Func<int, uint> sum)
        {
            int minute = Math.Max(1, (int)Math.Round(MinuteMs / (PointTicks * tickMs)));
            int from = Math.Max(0, point - minute);
            if (point <= from) return 0;
            return (uint)Math.Round((sum(point) - (double)sum(from)) * MinuteMs / ((point - from) * PointTicks * tickMs));
        }

        /// <summary>Writes numbers into a list from a point on. A point behind its end is filled up with zeros.</summary>
        private static bool Put(List<uint> list, int width, int point, List<uint> values)
        {
            if (point + values.Count / Math.Max(1, width) > PointsMax) return false;
            int from = point * width;
            while (list.Count < from && values.Count > 0) list.Add(0);
            for (int k = 0; k < values.Count; k++)
            {
                if (from + k < list.Count) list[from + k] = values[k];
                else list.Add(values[k]);
            }
            return true;
        }
    }
}
