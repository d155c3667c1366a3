using System;

namespace Fogkeep
{
    /// <summary>
    /// Estimates the server's tick from frames that arrive with a varying delay (docs/reference/protocol.md, "Ticks"). The frame
    /// with the least delay of the last ten seconds counts. If all frames of the last second were much later, the least
    /// of those counts: the server stood still, or the connection got slower. It reads no clock: times are local
    /// milliseconds of the caller's.
    /// </summary>
    public sealed class MatchClock
    {
        private const int Buckets = 10, Kept = 64, StepFrames = 8;
        private const double BucketMs = 1000, JumpMs = 250, WaitMs = 10000, DelayMsMax = 250, Slew = 0.05, StepMs = 150, StepSpanMs = 1000;

        private readonly double usualMs;
        private readonly double[] least = new double[Buckets], bases = new double[Kept], stamps = new double[Kept], lateness = new double[Kept], sorted = new double[Kept];
        private long bucketAt = -1;
        private int frames, late;
        private double origin = double.NaN, drawn = double.NaN, drawnAtMs, held = double.NaN, percent = 100, jitterMs;

        public MatchClock(uint tickRate)
        {
            usualMs = 1000.0 / Math.Max(1, tickRate);
            Forget();
        }

        /// <summary>The time of a tick at the present speed.</summary>
        public double TickMs { get { return usualMs * 100 / percent; } }

        /// <summary>There was a frame.</summary>
        public bool Ready { get { return frames > 0 || !double.IsNaN(held); } }

        /// <summary>How far behind the server to draw.</summary>
        public double DelayMs { get { return Math.Min(DelayMsMax, TickMs + jitterMs); } }

        /// <summary>How much later the newest frame came than the earliest of ten seconds.</summary>
        internal double LateMs { get; private set; }

        /// <summary>After a new connection: starts again.</summary>
        public void Reset()
        {
            Forget();
            drawn = held = double.NaN;
            percent = 100;
        }

        /// <summary>The match stands still at a tick.</summary>
        public void Hold(uint tick) { held = tick; }

        /// <summary>The match is at another tick now, before or after: drawing goes there at once.</summary>
        public void Jump(uint tick, double nowMs)
        {
            if (!double.IsNaN(held)) held = tick;
            drawn = double.NaN;
            Forget();
            Frame(tick, nowMs);
        }

        /// <summary>The match runs at a speed, in percent, from a tick on.</summary>
        public void SetSpeed(double newPercent, uint tick, double nowMs)
        {
            if (newPercent == percent && double.IsNaN(held)) return;
            percent = newPercent;
            held = double.NaN;
            Forget();
            Frame(tick, nowMs);
        }

        /// <summary>A frame of a tick arrived.</summary>
        public void Frame(uint tick, double nowMs)
        {
            double at = nowMs - tick * TickMs;
            long bucket = (long)Math.Floor(nowMs / BucketMs);
            for (long b = Math.Max(bucketAt + 1, bucket - Buckets + 1); b <= bucket && bucketAt >= 0; b++) least[b % Buckets] = double.PositiveInfinity;
            bucketAt = bucket;
            least[bucket % Buckets] = Math.Min(least[bucket % Buckets], at);
            double best = double.PositiveInfinity;
            foreach (double l in least) best = Math.Min(best, l);
            bases[frames % Kept] = at;
            stamps[frames % Kept] = nowMs;
            frames++;
            double recent = RecentLeast(nowMs);
            if (recent - best > StepMs)
            {
                Fill(least, double.PositiveInfinity);
                least[bucket % Buckets] = best = recent;
                late = 0;
            }
            origin = best;
            lateness[late++ % Kept] = LateMs = at - best;
            int n = Math.Min(late, Kept);
            Array.Copy(lateness, sorted, n);
            Array.Sort(sorted, 0, n);
            jitterMs = sorted[(int)((n - 1) * 0.95)];
        }

        /// <summary>The server's tick now, with a fraction.</summary>
        public double ServerTick(double nowMs) { return double.IsNaN(held) ? (nowMs - origin) / TickMs : held; }

        /// <summary>
        /// The tick to draw now: at most 5 % faster or slower than time. It jumps when it is far behind, and waits when
        /// it is far ahead because the server stood still.
        /// </summary>
        public double DrawTick(double nowMs)
        {
            double step = (nowMs - drawnAtMs) / TickMs;
            if (!double.IsNaN(held))
            {
                if (double.IsNaN(drawn)) drawn = held;
                else if (drawn < held) drawn = Math.Min(held, drawn + step);
            }
            else
            {
                double want = (nowMs - origin - DelayMs) / TickMs, aheadMs = (drawn - want) * TickMs;
                if (double.IsNaN(drawn) || -aheadMs > JumpMs + nowMs - drawnAtMs || aheadMs > WaitMs) drawn = want;
                else if (aheadMs <= JumpMs) drawn += step + Math.Max(-Slew * step, Math.Min(Slew * step, want - drawn - step));
            }
            drawnAtMs = nowMs;
            return Math.Max(0, drawn);
        }

        /// <summary>The least delay of the newest frames, if there are enough of them over a long enough time.</summary>
        private double RecentLeast(double nowMs)
        {
            double best = double.PositiveInfinity;
            for (int back = 1; back <= Math.Min(frames, Kept); back++)
            {
                int i = (frames - back) % Kept;
                best = Math.Min(best, bases[i]);
                if (back >= StepFrames && nowMs - stamps[i] >= StepSpanMs) return best;
            }
            return double.NegativeInfinity;
        }

        private void Forget()
        {
            Fill(least, double.PositiveInfinity);
            bucketAt = -1;
            frames = late = 0;
            jitterMs = 0;
        }

        private static void Fill(double[] all, double v)
        {
            for (int i = 0; i < all.Length; i++) all[i] = v;
        }
    }
}
