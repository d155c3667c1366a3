using System;

namespace Fogkeep.Tests
{
    /// <summary>The estimate of the server's tick, over networks of the test.</summary>
    public static class ClockTests
    {
        private const double Latency = 60;

        /// <summary>
        /// Runs a match of 20 ticks a second over a network that delays each frame, and looks at the clock 60 times a second.
        /// Returns the largest error of the estimate, in ticks, after the first seconds.
        /// </summary>
        private static double Run(MatchClock clock, double seconds, Func<Random, double> delay, double startMs, ref double lastDrawn)
        {
            var random = new Random(7);
            double worst = 0, arrived = 0, nextMs = startMs;
            uint tick = 100;
            for (double now = startMs; now < startMs + seconds * 1000; now += 1000.0 / 60)
            {
                for (; nextMs <= now; nextMs += 50, tick++)
                {
                    arrived = Math.Max(arrived, nextMs + Latency + delay(random)); // in order, as TCP has them
                    clock.Frame(tick, arrived);
                }
                double at = Math.Max(now, arrived), truth = 100 + (at - startMs) / 50;
                double drawn = clock.DrawTick(at);
                if (lastDrawn > 0 && drawn < lastDrawn - 1e-9) throw new FailedCheck("drawing goes backwards: " + drawn + " after " + lastDrawn);
                if (at > startMs + 3000) worst = Math.Max(worst, Math.Abs(clock.ServerTick(at) - (truth - Latency / 50)));
                lastDrawn = drawn;
            }
            return worst;
        }

        public static void TheEstimateStaysWithinHalfATick()
        {
            double drawn = 0;
            double steady = Run(new MatchClock(20), 20, r => 0, 1000, ref drawn);
            drawn = 0;
            double jitter = Run(new MatchClock(20), 20, r => r.NextDouble() * 80, 1000, ref drawn);
            drawn = 0;
            double spikes = Run(new MatchClock(20), 20, r => r.Next(40) == 0 ? 400 : 0, 1000, ref drawn);
            Check.That(steady < 0.01 && jitter < 0.5 && spikes < 0.5, "off by {0}, with jitter {1}, with spikes {2} ticks", steady, jitter, spikes);
        }

        public static void AStandstillOfTheServerIsFollowed()
        {
            var clock = new MatchClock(20);
            double now = 1000;
            uint tick = 100;
            for (int i = 0; i < 100; i++, now += 50) clock.Frame(tick++, now);
            now += 700; // the server stood still, without a word
            for (int i = 0; i < 60; i++, now += 50) clock.Frame(tick++, now);
            Check.That(Math.Abs(clock.ServerTick(now) - tick) < 0.5, "{0}, not {1}", clock.ServerTick(now), tick);
        }

        public static void SpeedAndPauseAreFollowed()
        {
            var clock = new MatchClock(20);
            double now = 1000;
            uint tick = 100;
            for (int i = 0; i < 40; i++, now += 50) clock.Frame(tick++, now);
            clock.SetSpeed(300, tick, now);
            for (int i = 0; i < 60; i++, now += 50.0 / 3) clock.Frame(tick++, now);
            Check.That(Math.Abs(clock.ServerTick(now) - tick) < 0.5 && Math.Abs(clock.TickMs - 50.0 / 3) < 0.001, "at three times the speed {0}, not {1}", clock.ServerTick(now), tick);
            clock.DrawTick(now);
            clock.Hold(tick);
            for (int i = 0; i < 100; i++) clock.DrawTick(now += 20);
            Check.Equal(clock.DrawTick(now), (double)tick, "the tick of a pause");
            Check.Equal(clock.ServerTick(now + 5000), (double)tick, "the server's tick in a pause");
            clock.SetSpeed(100, tick, now);
            for (int i = 0; i < 40; i++, now += 50) clock.Frame(tick++, now);
            Check.That(Math.Abs(clock.ServerTick(now) - tick) < 0.5, "after the pause {0}, not {1}", clock.ServerTick(now), tick);
        }
    }
}
