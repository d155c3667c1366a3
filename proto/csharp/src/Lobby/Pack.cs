using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text;
using Obj = System.Collections.Generic.Dictionary<string, object>;

namespace Fogkeep
{
    /// <summary>
    /// The assets and texts of a match's pack, by names of the ruleset. An asset is the hash of a file for
    /// <see cref="LobbyClient.PackFileAsync"/>. Load all files before the match is shown: so no request tells what came into sight.
    /// </summary>
    public sealed class Pack
    {
        private const int RowsMax = 512;
        private const int TextsMax = 10000;

        public string Name { get; }
        public string Title { get; }
        public string Version { get; }
        public string Licence { get; }

        /// <summary>By type, then by use: icon, model, sprite, voice.</summary>
        public IReadOnlyDictionary<string, IReadOnlyDictionary<string, string>> Types { get; }

        /// <summary>By weapon, then by use: shot.</summary>
        public IReadOnlyDictionary<string, IReadOnlyDictionary<string, string>> Weapons { get; }

        /// <summary>By language, then by group and name: type.golem.</summary>
        public IReadOnlyDictionary<string, IReadOnlyDictionary<string, string>> Texts { get; }

        internal Pack(object index)
        {
            Name = Body.Text(index, "name");
            Title = Body.Text(index, "title");
            Version = Body.Text(index, "version");
            Licence = Body.Text(index, "licence");
            Types = Table(index, "types", RowsMax);
            Weapons = Table(index, "weapons", RowsMax);
            Texts = Table(index, "texts", TextsMax);
        }

        private static IReadOnlyDictionary<string, IReadOnlyDictionary<string, string>> Table(object index, string name, int most)
        {
            var rows = Body.Find(index, name) as Obj;
            if (rows == null || rows.Count > most) throw Bad(name);
            var all = new Dictionary<string, IReadOnlyDictionary<string, string>>();
            foreach (var row in rows)
            {
                var cells = row.Value as Obj;
                if (cells == null || cells.Count > most) throw Bad(name);
                var texts = new Dictionary<string, string>();
                foreach (var cell in cells) texts[cell.Key] = cell.Value as string ?? throw Bad(name);
                all[row.Key] = texts;
            }
            return all;
        }

        private static FogkeepException Bad(string name)
        {
            return new FogkeepException(ErrorCodes.BadAnswer, "the index of the pack has no table " + name + ", or a too large one");
        }

        /// <summary>The SHA-256 of bytes, in hexadecimal.</summary>
        internal static string HashOf(byte[] bytes)
        {
            using (var sha = SHA256.Create())
            {
                var text = new StringBuilder();
                foreach (byte b in sha.ComputeHash(bytes)) text.Append(b.ToString("x2"));
                return text.ToString();
            }
        }
    }
}
