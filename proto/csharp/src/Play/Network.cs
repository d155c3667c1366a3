using System;
using System.Collections.Generic;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>Counts for the account of the connection and of the drawing that a client sends once a minute.</summary>
    internal sealed class Network
    {
        private const double PeriodMs = 60000, LateMs = 100, GapMs = 1500, SlowMs = 50;
        private const int TripsMax = 64;
        private const double NumberMax = 1 << 17; // a computer may sleep for months

        private readonly List<double> trips = new List<double>();
        private uint frames, late, gaps, drawn, slow;
        private double longestMs, startMs = double.NaN, heardMs;

        /// <summary>A message came at a local time.</summary>
        public void Alive(double nowMs)
        {
            if (double.IsNaN(startMs)) startMs = heardMs = nowMs;
            double silent = nowMs - heardMs;
            heardMs = nowMs;
            longestMs = Math.Max(longestMs, silent);
            if (silent > GapMs) gaps++;
        }

        /// <summary>Counts a frame, so long after the earliest.</summary>
        public void Frame(double lateMs)
        {
            frames++;
            if (lateMs > LateMs) late++;
        }

        /// <summary>An order was answered after a time.</summary>
        public void Answered(double ms)
        {
            if (trips.Count < TripsMax) trips.Add(ms);
        }

        /// <summary>The game drew a picture, so long after the one before.</summary>
        public void Drew(double ms)
        {
            drawn++;
            if (ms > SlowMs) slow++;
        }

        /// <summary>The account of a minute that is over, once; null before.</summary>
        public NetworkReport Take(double nowMs)
        {
            if (!(nowMs - startMs >= PeriodMs)) return null;
            trips.Sort();
            var report = new NetworkReport
            {
                Seconds = Bound((nowMs - startMs) / 1000), Frames = frames, Late = late, Gaps = gaps, LongestMs = Bound(longestMs),
                TripMs = trips.Count == 0 ? 0 : Bound(trips[trips.Count / 2]), Drawn = drawn, Slow = slow,
            };
            frames = late = gaps = drawn = slow = 0;
            longestMs = 0;
            trips.Clear();
            startMs = nowMs;
            return report;
        }

        private static uint Bound(double n) { return (uint)Math.Min(NumberMax, Math.Round(n)); }
    }
}
