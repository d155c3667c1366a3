using System;
using System.Security.Cryptography;
using System.Text;

namespace Fogkeep
{
    /// <summary>A tile of a map, x to the east and y to the south.</summary>
    public struct Tile
    {
        public int X, Y;
        public Tile(int x, int y) { X = x; Y = y; }
    }

    /// <summary>What stands on a map as a match begins, if the ruleset has the type.</summary>
    public struct MapFeature
    {
        public string Type { get; }
        /// <summary>North-western.</summary>
        public Tile At { get; }
        /// <summary>A switch moves the gates and bridges with its link; 0: no link.</summary>
        public byte Link { get; }
        internal MapFeature(string type, Tile at, byte link) { Type = type; At = at; Link = link; }
    }

    /// <summary>The public form of a map (docs/reference/protocol.md, "The map").</summary>
    public sealed class GameMap
    {
        private const int SideMin = 16, SideMax = 1024, LevelsMax = 16, NameMax = 64, StartsMax = Decoder.SlotsMax, ResourcesMax = 4096, FeaturesMax = 256;
        private static readonly byte[] header = { 0x66, 0x6f, 0x67, 0x6b, 0x6d, 0x61, 0x70, 1 };

        public string Name { get; private set; }
        public int Width { get; private set; }
        public int Height { get; private set; }
        /// <summary>What hides tiles: 0 nothing, 1 high ground, 2 line of sight.</summary>
        public int Occlusion { get; private set; }
        /// <summary>By tile, row by row: 0 to 15.</summary>
        public byte[] Levels { get; private set; }
        /// <summary>By tile, row by row: 0 grass to 8 cliff.</summary>
        public byte[] Terrain { get; private set; }
        /// <summary>By tile, row by row, a bit for each way of moving: 1 ground, 2 hover, 4 naval, 8 air.</summary>
        public byte[] Passability { get; private set; }
        public Tile[] Starts { get; private set; }
        public Tile[] Resources { get; private set; }
        /// <summary>Bridges, gates, trees and pickups that stand there as a match begins, if the ruleset has the type.</summary>
        public MapFeature[] Features { get; private set; }
        /// <summary>SHA-256 of the bytes, as 64 hexadecimal digits: what the welcome names.</summary>
        public string Hash { get; private set; }

        /// <summary>The terrain of tiles that block lines of sight.</summary>
        public const byte Cliff = 8;

        /// <summary>Reads a map. Other bytes are a <see cref="FogkeepException"/> of the code <see cref="ErrorCodes.MapFormat"/>.</summary>
        public static GameMap Read(byte[] bytes)
        {
            int at = 0;
            Take(bytes, ref at, header.Length, "header");
            for (int i = 0; i < header.Length; i++) if (bytes[i] != header[i]) throw Bad(i, "this is no map of version 1");
            var m = new GameMap { Width = Number(bytes, ref at, "width"), Height = Number(bytes, ref at, "height") };
            if (m.Width < SideMin || m.Width > SideMax || m.Height < SideMin || m.Height > SideMax)
                throw Bad(8, m.Width + "x" + m.Height + ": a side has " + SideMin + " to " + SideMax + " tiles");
            m.Occlusion = bytes[Take(bytes, ref at, 1, "occlusion")];
            if (m.Occlusion > 2) throw Bad(at - 1, "occlusion " + m.Occlusion + " is unknown");
            int n = bytes[Take(bytes, ref at, 1, "name length")];
            if (n > NameMax) throw Bad(at - 1, "a name of " + n + " bytes: at most " + NameMax);
            m.Name = Encoding.UTF8.GetString(bytes, Take(bytes, ref at, n, "name"), n);
            n = m.Width * m.Height;
            m.Levels = Column(bytes, ref at, n, "level", LevelsMax);
            m.Terrain = Column(bytes, ref at, n, "terrain", Cliff + 1);
            m.Passability = Column(bytes, ref at, n, "passability", 16);
            n = bytes[Take(bytes, ref at, 1, "starts")];
            if (n > StartsMax) throw Bad(at - 1, n + " starts: at most " + StartsMax);
            m.Starts = Tiles(bytes, ref at, n, m, "starts");
            n = Number(bytes, ref at, "resources");
            if (n > ResourcesMax) throw Bad(at - 2, n + " resources: at most " + ResourcesMax);
            m.Resources = Tiles(bytes, ref at, n, m, "resources");
            n = at < bytes.Length ? Number(bytes, ref at, "features") : 0; // a map without features ends here
            if (n > FeaturesMax) throw Bad(at - 2, n + " features: at most " + FeaturesMax);
            m.Features = new MapFeature[n];
            for (int i = 0; i < n; i++)
            {
                Tile tile = Tiles(bytes, ref at, 1, m, "features")[0];
                byte link = bytes[Take(bytes, ref at, 1, "link")];
                int length = bytes[Take(bytes, ref at, 1, "type length")];
                m.Features[i] = new MapFeature(Encoding.UTF8.GetString(bytes, Take(bytes, ref at, length, "type"), length), tile, link);
            }
            if (at != bytes.Length) throw Bad(at, (bytes.Length - at) + " bytes too many");
            m.Hash = HashOf(bytes);
            return m;
        }

        /// <summary>SHA-256 of bytes, as 64 hexadecimal digits.</summary>
        public static string HashOf(byte[] bytes)
        {
            using (var sha = SHA256.Create())
            {
                var b = new StringBuilder(64);
                foreach (byte x in sha.ComputeHash(bytes)) b.Append(x.ToString("x2"));
                return b.ToString();
            }
        }

        private static int Take(byte[] bytes, ref int at, int n, string what)
        {
            if (bytes.Length - at < n) throw Bad(at, what + ": " + n + " bytes are needed, " + (bytes.Length - at) + " are left");
            at += n;
            return at - n;
        }

        private static int Number(byte[] bytes, ref int at, string what)
        {
            int i = Take(bytes, ref at, 2, what);
            return bytes[i] | bytes[i + 1] << 8;
        }

        private static byte[] Column(byte[] bytes, ref int at, int n, string what, int below)
        {
            int from = Take(bytes, ref at, n, what);
            var column = new byte[n];
            Array.Copy(bytes, from, column, 0, n);
            for (int i = 0; i < n; i++) if (column[i] >= below) throw Bad(from + i, what + " " + column[i] + " is unknown");
            return column;
        }

        private static Tile[] Tiles(byte[] bytes, ref int at, int n, GameMap m, string what)
        {
            var tiles = new Tile[n];
            for (int i = 0; i < n; i++)
            {
                tiles[i] = new Tile(Number(bytes, ref at, what), Number(bytes, ref at, what));
                if (tiles[i].X >= m.Width || tiles[i].Y >= m.Height) throw Bad(at - 4, what + ": a tile off the map");
            }
            return tiles;
        }

        private static FogkeepException Bad(int offset, string what)
        {
            return new FogkeepException(ErrorCodes.MapFormat, "map, offset " + offset + ": " + what);
        }
    }
}
