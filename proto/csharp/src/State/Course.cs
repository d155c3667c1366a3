using System;

namespace Fogkeep
{
    /// <summary>
    /// The arithmetic of motion (docs/reference/protocol.md, "Applying a frame"; the comment above ServerFrame). Server and
    /// clients compute the same integers: testdata/motion.json of match/view holds them together.
    /// </summary>
    public static class Course
    {
        /// <summary>World units of a tile's side.</summary>
        public const int TileUnits = 1024;

        private const int CoarseK = 2016, FineK = 131072;
        private const uint Full = 256, Fine = Full + 8 * CoarseK, Paced = Fine + 8 * FineK;
        private const uint NearPlaces = 121, FarPlaces = 16250, Cells = 277371;
        internal const uint FineMiddle = 32 << 6 | 32, FineNumbers = 1 << 12;

        /// <summary>Whether something with this course does not move: then the course is its facing, 256 to a turn.</summary>
        public static bool Stands(uint course) { return course < Full; }

        /// <summary>The velocity in 1/64 world unit a tick, of a type with this full speed.</summary>
        public static void Velocity(uint course, int fullSpeed, out int vx, out int vy)
        {
            vx = vy = 0;
            if (course < Full) return;
            if (course < Fine) Rim(course - Full, CoarseK, fullSpeed, out vx, out vy);
            else if (course < Paced) Rim(course - Fine, FineK, fullSpeed, out vx, out vy);
            else
            {
                uint n = course - Paced;
                long pace = Math.Min(n / (8 * CoarseK) + 1, 4096);
                Rim(n % (8 * CoarseK), CoarseK, fullSpeed * pace / 64, out vx, out vy);
            }
        }

        private static void Rim(uint direction, long k, long speed, out int vx, out int vy)
        {
            long u = direction % (2 * k) - k, x, y;
            long n = Root(256 * (k * k + u * u));
            switch (direction / (2 * k))
            {
                case 0: x = k; y = u; break;
                case 1: x = -u; y = k; break;
                case 2: x = -k; y = -u; break;
                default: x = u; y = -k; break;
            }
            vx = unchecked((int)(16 * x * speed / n));
            vy = unchecked((int)(16 * y * speed / n));
        }

        /// <summary>The square root, rounded down.</summary>
        private static long Root(long n)
        {
            long r = (long)Math.Sqrt(n);
            while (r * r > n) r--;
            while ((r + 1) * (r + 1) <= n) r++;
            return r;
        }

        /// <summary>Where one coordinate is after some ticks, on a map of so many tiles.</summary>
        public static int Reckon(int from, int velocity, uint ticks, int tiles)
        {
            long at = from + ((long)velocity * ticks >> 6);
            return (int)Math.Max(0, Math.Min(at, ((long)tiles << 10) - 1));
        }

        internal static void CellCorner(uint cell, int width, out int x, out int y)
        {
            uint row = (uint)(16 * width);
            x = unchecked((int)(cell % row) << 6);
            y = unchecked((int)(cell / row) << 6);
        }

        internal static void CellMiddle(uint cell, int width, out int x, out int y)
        {
            CellCorner(cell, width, out x, out y);
            x = unchecked(x + 32);
            y = unchecked(y + 32);
        }

        /// <summary>
        /// The place that a row of motion names, when the old course gives x, y. True: it is the corner of a cell,
        /// which a row of exact may refine.
        /// </summary>
        internal static bool Place(uint place, int width, ref int x, ref int y)
        {
            if (place >= Cells)
            {
                CellCorner(place - Cells, width, out x, out y);
                return true;
            }
            if (place < NearPlaces) Step(place, 11, 64, ref x, ref y);
            else if (place < FarPlaces) Step(place - NearPlaces, 127, 1, ref x, ref y);
            else Step(place - FarPlaces, 511, 1, ref x, ref y);
            return false;
        }

        private static void Step(uint pair, int side, int unit, ref int x, ref int y)
        {
            x += unit * ((int)pair / side - side / 2);
            y += unit * ((int)pair % side - side / 2);
        }
    }
}
