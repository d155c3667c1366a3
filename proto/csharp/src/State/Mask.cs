using System;

namespace Fogkeep
{
    /// <summary>
    /// A bit for each tile of a map, in halves of blocks of 8x8 tiles, as the hash has them (docs/reference/protocol.md,
    /// "The fog"): half 2i has the upper four rows of block i, half 2i+1 the lower four.
    /// </summary>
    public sealed class Mask
    {
        public int Width { get; }
        public int Height { get; }

        /// <summary>The halves. Read only, unless the mask is yours.</summary>
        public uint[] Halves { get; private set; }

        private readonly int blocksWide;

        public Mask(int width, int height)
        {
            Width = width;
            Height = height;
            blocksWide = (width + 7) >> 3;
            Halves = new uint[2 * blocksWide * ((height + 7) >> 3)];
        }

        /// <summary>The place of a tile's half.</summary>
        public int Half(int x, int y) { return 2 * ((y >> 3) * blocksWide + (x >> 3)) + (y >> 2 & 1); }

        /// <summary>The bit of a tile in its half.</summary>
        public static uint Bit(int x, int y) { return 1u << ((y & 3) << 3 | (x & 7)); }

        /// <summary>Whether the tile is set. Tiles off the map are not.</summary>
        public bool Has(int x, int y)
        {
            return x >= 0 && y >= 0 && x < Width && y < Height && (Halves[Half(x, y)] & Bit(x, y)) != 0;
        }

        public void Set(int x, int y, bool on)
        {
            if (on) Halves[Half(x, y)] |= Bit(x, y);
            else Halves[Half(x, y)] &= ~Bit(x, y);
        }

        public void Clear() { Array.Clear(Halves, 0, Halves.Length); }

        /// <summary>Sets what is set in the other mask, which is of the same map.</summary>
        public void Or(Mask other)
        {
            for (int i = 0; i < Halves.Length; i++) Halves[i] |= other.Halves[i];
        }

        /// <summary>The hash of the mask, as frames have it of the visible tiles.</summary>
        public uint Hash()
        {
            unchecked
            {
                uint sum = 0;
                for (uint i = 0; i < Halves.Length; i++)
                {
                    if (Halves[i] == 0) continue;
                    uint h = Halves[i] * 0xCC9E2D51 ^ i * 0x9E3779B1;
                    h = (h ^ h >> 16) * 0x85EBCA6B;
                    h = (h ^ h >> 13) * 0xC2B2AE35;
                    sum += h ^ h >> 16;
                }
                return sum;
            }
        }

        /// <summary>Writes a row that was sent as runs: dark, set, dark, and so on. False: they are longer than the row.</summary>
        internal bool SetRuns(int y, uint[] runs)
        {
            for (int x = 0; x < Width; x += 8) Halves[Half(x, y)] &= ~(0xFFu << ((y & 3) << 3));
            int at = 0;
            bool on = false;
            foreach (uint n in runs)
            {
                if (n > Width - at) return false;
                for (int stop = at + (int)n; at < stop; at++) if (on) Set(at, y, true);
                on = !on;
            }
            return true;
        }
    }
}
