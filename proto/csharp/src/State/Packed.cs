using System;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>Reads the packed rows of a frame (docs/reference/protocol.md, "Packed rows").</summary>
    internal sealed class Packed
    {
        /// <summary>A code: how many prefixes have each length, and what they stand for in their order.</summary>
        private sealed class Code
        {
            public readonly int[] Count = new int[16];
            public readonly int[] Symbols = new int[33];

            public Code(string lengths)
            {
                int n = 0;
                for (int length = 1; length < Count.Length; length++)
                    for (int bits = 0; bits < lengths.Length; bits++)
                        if ("0123456789abcdef".IndexOf(lengths[bits]) == length)
                        {
                            Symbols[n++] = bits;
                            Count[length]++;
                        }
            }
        }

        private static readonly Code rowCount = new Code(Codes.Lengths['r']);
        private static readonly Code[] sight = CodesOf(Codes.Sight);
        private static readonly Code[][] codes = Array.ConvertAll(Codes.Fields, f => CodesOf(f[1]));

        private readonly byte[] bytes;
        private long at; // bit

        private Packed(byte[] bytes) { this.bytes = bytes; }

        /// <summary>Gives the packed rows to their fields.</summary>
        public static void Unpack(ServerFrame m)
        {
            if (m.PackedValues != null && m.PackedValues.Length > 0)
            {
                var v = new Packed(m.PackedValues);
                v.Take(m, Codes.Together, codes.Length);
                v.End();
            }
            if (m.Packed == null || m.Packed.Length == 0) return;
            var r = new Packed(m.Packed);
            r.Take(m, 0, Codes.Together);
            if (m.Sights.Count > 0) throw Decoder.Bad("sights: rows besides packed ones");
            for (int n = r.Rows(sight); n > 0; n--)
            {
                m.Sights.Add(new Sight
                {
                    X = r.Number(sight[0]), Y = r.Number(sight[1]), Radius = r.Number(sight[2]),
                    Flyer = r.Number(sight[3]) != 0, LevelBonus = r.Number(sight[4]), Ticks = r.Number(sight[5]),
                });
            }
            r.End();
        }

        /// <summary>
        /// Calls row with the field, the first number and the bytes of each row, and sight with the bytes of each sight. A
        /// byte counts for the row that has its last bit. Gives the sum of the bytes. Rows that are cut off end it.
        /// </summary>
        public static int Measure(byte[] bytes, bool apart, Action<int, uint, int> row, Action<int> sightRow)
        {
            var r = new Packed(bytes);
            int counted = 0;
            try
            {
                for (int field = apart ? Codes.Together : 0; field < (apart ? codes.Length : Codes.Together); field++)
                    for (int n = r.Rows(codes[field]); n > 0; n--)
                    {
                        uint first;
                        int size = r.Pass(codes[field], out first);
                        counted += size;
                        row(field, first, size);
                    }
                for (int n = apart ? 0 : r.Rows(sight); n > 0; n--)
                {
                    uint first;
                    int size = r.Pass(sight, out first);
                    counted += size;
                    sightRow(size);
                }
            }
            catch (FogkeepException)
            {
            }
            return counted;
        }

        /// <summary>Passes over a row; gives its bytes, and its first number.</summary>
        private int Pass(Code[] row, out uint first)
        {
            long begun = at / 8;
            first = Number(row[0]);
            for (int i = 1; i < row.Length; i++) Number(row[i]);
            if (Left < 0) throw Cut();
            return (int)(at / 8 - begun);
        }

        /// <summary>Reads the rows of fields.</summary>
        private void Take(ServerFrame m, int from, int to)
        {
            for (int field = from; field < to; field++)
            {
                var rows = Codes.RowsOf(m, field);
                string name = Codes.Fields[field][0];
                if (rows.Count > 0) throw Decoder.Bad(name + ": rows besides packed ones");
                int n = Rows(codes[field]) * codes[field].Length;
                rows.Capacity = n;
                for (int i = 0; i < n; i++) rows.Add(Number(codes[field][i % codes[field].Length]));
                if (Left < 0) throw Cut();
            }
        }

        private void End()
        {
            if (Left < 0) throw Cut();
            if (Left >= 8 || Bits((int)Left) != 0) throw Decoder.Bad("packed: something follows the rows");
        }

        private static Code[] CodesOf(string letters)
        {
            var all = new Code[letters.Length];
            for (int i = 0; i < all.Length; i++) all[i] = new Code(Codes.Lengths[letters[i]]);
            return all;
        }

        /// <summary>How many rows of these codes follow.</summary>
        private int Rows(Code[] row)
        {
            uint n = Number(rowCount);
            if ((long)n * row.Length > Left) throw Cut(); // a number takes a bit at least
            if (n > Decoder.RowsMax) throw Decoder.Bad("packed: " + n + " rows: at most " + Decoder.RowsMax);
            return (int)n;
        }

        private static FogkeepException Cut() { return Decoder.Bad("packed: rows are cut off"); }

        private long Left { get { return 8L * bytes.Length - at; } }

        private uint Number(Code c)
        {
            int prefix = 0, first = 0, n = 0;
            for (int length = 1; length < c.Count.Length; length++)
            {
                prefix |= (int)Bits(1);
                if (prefix - first < c.Count[length])
                {
                    int bits = c.Symbols[n + prefix - first];
                    return bits < 2 ? (uint)bits : 1u << (bits - 1) | Bits(bits - 1);
                }
                n += c.Count[length];
                first = (first + c.Count[length]) << 1;
                prefix <<= 1;
            }
            throw Cut(); // no code has a longer prefix
        }

        /// <summary>The next bits, 31 at most. Behind the end they are 0.</summary>
        private uint Bits(int n)
        {
            uint v = 0;
            for (; n > 0; n--, at++)
                v = v << 1 | (at < 8L * bytes.Length ? (uint)(bytes[at / 8] >> (int)(7 - at % 8)) & 1 : 0);
            return v;
        }
    }
}
