using System;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>Where an entity is at some tick: world units and radians.</summary>
    internal struct Pose
    {
        public double X, Y, Angle;
        public bool Walks; // it is on its way
    }

    /// <summary>
    /// Where everything is drawn. What the server corrects does not jump: the difference is kept and fades. Own entities
    /// are drawn as <see cref="Prediction"/> has them.
    /// </summary>
    public sealed class Drawing
    {
        // A correction fades at this share of the entity's full speed; what walks on meanwhile is not drawn backwards.
        private const double BlendShare = 0.5, BlendShareStanding = 0.8;
        private const double BlendMs = 1200; // a large correction fades faster: with this time constant
        private const double BlendTilesPerS = 1; // the least
        private const double ClockStepTicks = 1; // a larger step of the clock is blended like a corrected course
        private const double SnapTiles = 8; // a larger correction is shown at once
        private const double TurnRate = 9; // of what is drawn, radians a second
        private const double Half = Math.PI + 1e-4; // half a turn goes the positive way in all clients, though they round: up to here
        private const double BackTicksMax = 4; // a course is drawn so far before its start, to join the one before

        private readonly Replica replica;
        private readonly Welcome rules;
        private readonly double tickMs;

        internal Prediction Ahead;
        internal PredictedShots Shots;
        internal WeaponFire Fire;

        internal Drawing(Replica replica, Welcome rules)
        {
            this.replica = replica;
            this.rules = rules;
            tickMs = 1000.0 / Math.Max(1, rules.TickRate);
        }

        /// <summary>The tick that was drawn last, with a fraction; 0: none was.</summary>
        public double Tick { get; private set; }

        /// <summary>
        /// Sets where everything is drawn at a tick, so many milliseconds after the picture before. pace is the match's time to
        /// that of the drawing. A <see cref="Match"/> does it in <see cref="Match.Draw"/>.
        /// </summary>
        public void Sample(double tick, double passedMs, double pace = 1)
        {
            double ms = passedMs * pace, due = Tick + ms / tickMs;
            Ahead.Shrink(Math.Max(0, Math.Min(ms / tickMs, tick - Tick)));
            bool stepped = Tick > 0 && Math.Abs(tick - due) > ClockStepTicks;
            Tick = tick;
            double turnMax = TurnRate * ms / 1000;
            foreach (var e in replica.Entities.Values)
            {
                if (stepped && rules.Types[(int)e.Type].Class != TypeClass.Projectile)
                {
                    Tick = due; // what would have followed
                    var was = Aim(e);
                    Tick = tick;
                    KeepAt(e, was.X, was.Y);
                }
                var at = Aim(e);
                if (e.ErrX != 0 || e.ErrY != 0) Fade(e, ms, at.Walks);
                e.DrawnAngle += Math.Max(-turnMax, Math.Min(turnMax, Turn(e.DrawnAngle, at.Angle)));
                e.DrawnX = at.X + e.ErrX;
                e.DrawnY = at.Y + e.ErrY;
                e.Drawn = true;
            }
            Shots.Sample(tick);
            Fire.Draw(tick);
        }

        /// <summary>Where an entity is drawn at the drawn tick, but for its correction.</summary>
        internal Pose Aim(Entity e)
        {
            Pose p;
            return Ahead.PoseOf(e, Tick, out p) ? p : Reckon(e, Tick);
        }

        /// <summary>Keeps the difference between where an entity was to be drawn and where it is now.</summary>
        internal void KeepAt(Entity e, double x, double y)
        {
            var now = Aim(e);
            double dx = e.ErrX + x - now.X, dy = e.ErrY + y - now.Y;
            bool snap = Length(dx, dy) > SnapTiles * Course.TileUnits;
            e.ErrX = snap ? 0 : dx;
            e.ErrY = snap ? 0 : dy;
        }

        /// <summary>Where the server's course has an entity at a tick.</summary>
        internal static Pose Reckon(Entity e, double tick)
        {
            double ticks = Math.Max(-BackTicksMax, tick - e.Since);
            return new Pose { X = e.X + e.VX * ticks / 64, Y = e.Y + e.VY * ticks / 64, Angle = e.Angle, Walks = e.VX != 0 || e.VY != 0 };
        }

        /// <summary>The shortest way from one angle to another, between -pi and pi.</summary>
        internal static double Turn(double from, double to)
        {
            double d = (to - from) % (2 * Math.PI);
            return d > Half ? d - 2 * Math.PI : d <= Half - 2 * Math.PI ? d + 2 * Math.PI : d;
        }

        internal static double Length(double x, double y) { return Math.Sqrt(x * x + y * y); }

        private void Fade(Entity e, double ms, bool walks)
        {
            double left = Length(e.ErrX, e.ErrY), full = rules.Types[(int)e.Type].Speed / 64.0 / tickMs;
            double least = Math.Max(full * (walks ? BlendShare : BlendShareStanding), BlendTilesPerS * Course.TileUnits / 1000);
            double keep = Math.Max(0, 1 - Math.Max(least, left / BlendMs) * ms / left);
            e.ErrX *= keep;
            e.ErrY *= keep;
        }
    }
}
