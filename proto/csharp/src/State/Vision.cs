using System;
using System.Collections.Generic;

namespace Fogkeep
{
    /// <summary>
    /// What sources see on a map, by the server's rule (docs/contributing/vision.md): begin, add each source, end. Shared vectors
    /// (visibility/testdata/vectors.json) hold the two together. A viewshed (what one tile sees) is cached.
    /// </summary>
    public sealed class Vision
    {
        /// <summary>A radius is 0 to 64 half tiles.</summary>
        public const uint RadiusMax = 64;

        private const int EyeAll = 255, LevelsMax = 16, ViewshedsMax = 8192;

        /// <summary>What is seen in this step.</summary>
        public Mask Visible { get; }
        /// <summary>What was ever seen.</summary>
        public Mask Explored { get; }

        private readonly int width, height, occlusion;
        private readonly byte[] levels, obstacles;
        private readonly uint[][] below = new uint[LevelsMax][];
        private readonly Dictionary<ulong, KeyValuePair<int, uint>[]> viewsheds = new Dictionary<ulong, KeyValuePair<int, uint>[]>();
        private readonly sbyte[][] circles = new sbyte[RadiusMax + 1][];
        private readonly sbyte[][] lines = new sbyte[RadiusMax + 1][];

        public Vision(GameMap m) : this(m.Width, m.Height, m.Occlusion, m.Levels, Array.ConvertAll(m.Terrain, t => t == GameMap.Cliff)) { }

        /// <summary>levels and opaque have an entry for each tile, row by row.</summary>
        public Vision(int width, int height, int occlusion, byte[] levels, bool[] opaque)
        {
            this.width = width;
            this.height = height;
            this.occlusion = occlusion;
            this.levels = levels;
            obstacles = (byte[])levels.Clone();
            for (int i = 0; i < opaque.Length; i++) if (opaque[i]) obstacles[i]++;
            Visible = new Mask(width, height);
            Explored = new Mask(width, height);
        }

        /// <summary>Puts an obstacle of one level on a tile, or takes it away.</summary>
        public void SetOpaque(int x, int y, bool opaque)
        {
            int i = y * width + x;
            byte stands = (byte)(levels[i] + (opaque ? 1 : 0));
            if (obstacles[i] == stands) return;
            obstacles[i] = stands;
            viewsheds.Clear();
        }

        /// <summary>Begins a step without sources.</summary>
        public void Begin()
        {
            Visible.Clear();
            if (viewsheds.Count > ViewshedsMax) viewsheds.Clear();
        }

        /// <summary>Adds what a source sees. A source off the map sees nothing. The radius is in half tiles.</summary>
        public void Add(int x, int y, uint radius, bool flyer, uint levelBonus)
        {
            if (x < 0 || y < 0 || x >= width || y >= height) return;
            radius = Math.Min(radius, RadiusMax);
            int eye = flyer || occlusion == 0 ? EyeAll : (int)Math.Min(levels[y * width + x] + (ulong)levelBonus, LevelsMax - 1);
            if (eye != EyeAll && occlusion == 2)
            {
                foreach (var part in Viewshed(x, y, radius, eye)) Visible.Halves[part.Key] |= part.Value;
                return;
            }
            AddCircle(x, y, radius, eye == EyeAll ? null : SeenFrom(eye));
        }

        /// <summary>Ends a step: what is visible is explored.</summary>
        public void End() { Explored.Or(Visible); }

        private void AddCircle(int x, int y, uint radius, uint[] within)
        {
            var half = Circle(radius);
            int reach = (int)radius >> 1;
            for (int ty = Math.Max(0, y - reach); ty <= Math.Min(height - 1, y + reach); ty++)
            {
                int wide = half[ty - y + reach], from = Math.Max(0, x - wide), to = Math.Min(width - 1, x + wide);
                int i = Visible.Half(from, ty);
                for (int bx = from >> 3; bx <= to >> 3; bx++, i += 2)
                {
                    int first = Math.Max(from - (bx << 3), 0), last = Math.Min(to - (bx << 3), 7);
                    uint bits = (0xFFu >> (7 - last) & 0xFFu << first) << ((ty & 3) << 3);
                    Visible.Halves[i] |= within == null ? bits : bits & within[i];
                }
            }
        }

        /// <summary>The tiles at or below the eye's level.</summary>
        private uint[] SeenFrom(int eye)
        {
            if (below[eye] != null) return below[eye];
            var mask = new Mask(width, height);
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++)
                    if (levels[y * width + x] <= eye) mask.Set(x, y, true);
            return below[eye] = mask.Halves;
        }

        /// <summary>Rows of a circle: how many tiles to either side.</summary>
        private sbyte[] Circle(uint radius)
        {
            if (circles[radius] != null) return circles[radius];
            int r = (int)radius, reach = r >> 1;
            var half = new sbyte[2 * reach + 1];
            for (int dy = -reach; dy <= reach; dy++)
            {
                int dx = 0;
                while (4 * ((dx + 1) * (dx + 1) + dy * dy) <= r * r) dx++;
                half[dy + reach] = (sbyte)dx;
            }
            return circles[radius] = half;
        }

        private KeyValuePair<int, uint>[] Viewshed(int x, int y, uint radius, int eye)
        {
            ulong key = (((ulong)y << 10 | (uint)x) * LevelsMax + (uint)eye) * (RadiusMax + 1) + radius;
            KeyValuePair<int, uint>[] made;
            if (viewsheds.TryGetValue(key, out made)) return made;
            var halves = new Dictionary<int, uint>();
            var all = Lines(radius);
            for (int k = 0; k < all.Length;)
            {
                int tx = x + all[k], ty = y + all[k + 1], stop = k + 3 + 2 * all[k + 2];
                bool seen = tx >= 0 && ty >= 0 && tx < width && ty < height && levels[ty * width + tx] <= eye;
                for (int j = k + 3; seen && j < stop; j += 2) seen = obstacles[(y + all[j + 1]) * width + x + all[j]] <= eye;
                if (seen)
                {
                    uint bits;
                    int i = Visible.Half(tx, ty);
                    halves.TryGetValue(i, out bits);
                    halves[i] = bits | Mask.Bit(tx, ty);
                }
                k = stop;
            }
            made = new KeyValuePair<int, uint>[halves.Count];
            int n = 0;
            foreach (var part in halves) made[n++] = part;
            viewsheds[key] = made;
            return made;
        }

        /// <summary>For each tile of a circle: dx, dy, and the tiles strictly between it and the middle: how many, then dx, dy of each.</summary>
        private sbyte[] Lines(uint radius)
        {
            if (lines[radius] != null) return lines[radius];
            var half = Circle(radius);
            int reach = (int)radius >> 1;
            var all = new List<sbyte>();
            for (int dy = -reach; dy <= reach; dy++)
            {
                for (int dx = -half[dy + reach]; dx <= half[dy + reach]; dx++)
                {
                    all.Add((sbyte)dx);
                    all.Add((sbyte)dy);
                    all.Add(0);
                    int head = all.Count - 1;
                    Between(dx, dy, all);
                    all[head] = (sbyte)((all.Count - head) / 2);
                }
            }
            return lines[radius] = all.ToArray();
        }

        /// <summary>The tiles that a line from the origin to dx, dy crosses: one for each step, two where it passes between them.</summary>
        private static void Between(int dx, int dy, List<sbyte> into)
        {
            bool steep = Math.Abs(dy) > Math.Abs(dx);
            int far = steep ? Math.Abs(dy) : Math.Abs(dx), near = steep ? Math.Abs(dx) : Math.Abs(dy);
            int sx = Math.Sign(dx), sy = Math.Sign(dy);
            for (int a = 1; a < far; a++)
            {
                int b = a * near / far, rest = a * near % far;
                if (2 * rest <= far) Step(steep, sx, sy, a, b, into);
                if (2 * rest >= far) Step(steep, sx, sy, a, b + 1, into);
            }
        }

        private static void Step(bool steep, int sx, int sy, int a, int b, List<sbyte> into)
        {
            into.Add((sbyte)(sx * (steep ? b : a)));
            into.Add((sbyte)(sy * (steep ? a : b)));
        }
    }
}
