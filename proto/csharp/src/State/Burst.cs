using System;

namespace Fogkeep
{
    /// <summary>
    /// How often one weapon of an entity has fired since the entity came into sight. While it fires, the client
    /// counts on by the weapon's rate (docs/reference/protocol.md, "Weapon fire").
    /// </summary>
    public struct Burst
    {
        private uint shots, since, period;
        private bool fires;
        private ulong last; // the tick after that of the last shot as of the last row; 0: none was seen

        /// <summary>The weapon fires, as far as was told.</summary>
        public bool Fires { get { return fires; } }

        /// <summary>As of the last row: its tick, the shots, and the ticks from shot to shot.</summary>
        internal uint Since { get { return since; } }
        internal uint Shots { get { return shots; } }
        internal uint Period { get { return period; } }

        /// <summary>How many shots there have been by a tick.</summary>
        public uint ShotsAt(uint tick)
        {
            if (!fires || period == 0 || tick < since) return shots;
            return unchecked(shots + (tick - since) / period);
        }

        /// <summary>The tick of the last shot, by a tick from the last row on; negative infinity: none was seen.</summary>
        internal double LastShot(uint tick)
        {
            return last == 0 ? double.NegativeInfinity : last - 1 + (double)unchecked(ShotsAt(tick) - shots) * period;
        }

        /// <summary>The number that was told, without the age: it stays the same whenever it is told.</summary>
        internal static uint WithoutAge(uint told) { return (told & 1) != 0 ? told & 0xFFFF : told & 0xFF; }

        /// <summary>Takes over what a frame of tick now tells of a weapon with this period, in ticks.</summary>
        internal void Take(uint told, uint now, uint weaponPeriod)
        {
            bool large = (told & 1) != 0;
            uint size = large ? 1u << 14 : 1u << 6, age = told >> (large ? 16 : 8), ahead = large ? size / 2 : 8;
            uint at = now - Math.Min(age, now);
            var before = this;
            unchecked
            {
                uint least = shots, most = ShotsAt(at) + ahead;
                if (fires && most >= least + size) least = most - size + 1;
                uint n = told >> 2 & (size - 1);
                shots = least + ((n - least) & (size - 1));
            }
            since = at;
            fires = (told & 2) != 0;
            period = weaponPeriod;
            // A row that says that a weapon stopped comes when a shot is missing, not with the last shot.
            uint more = unchecked(shots - before.shots);
            if (!fires && before.fires && before.period > 0) last = 1 + Math.Min(before.since + (ulong)more * before.period, at);
            else if (fires || more > 0) last = 1 + (ulong)at;
        }
    }
}
