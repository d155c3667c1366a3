using System;
using System.Collections.Generic;
using System.Linq;
using Fogkeep.Wire;
using Obj = System.Collections.Generic.Dictionary<string, object>;

namespace Fogkeep.Tests
{
    /// <summary>Packed rows: the shared vectors (proto/wire/testdata/packed.json), and what is damaged.</summary>
    public static class PackedTests
    {
        private static List<Obj> Vectors()
        {
            return ((List<object>)((Obj)Json.Read(Runner.Text("proto/wire/testdata/packed.json")))["rows"]).Cast<Obj>().ToList();
        }

        private static byte[] BytesOf(Obj vector, string field = "packed")
        {
            return vector.ContainsKey(field) ? Convert.FromBase64String((string)vector[field]) : new byte[0];
        }

        /// <summary>A packet log counts the bytes and rows of each part as the server does.</summary>
        public static void PacketsHaveTheServersSizes()
        {
            var messages = ((List<object>)((Obj)Json.Read(Runner.Text("proto/wire/testdata/traffic.json")))["messages"]).Cast<Obj>().ToList();
            Check.That(messages.Count > 5, "there are hardly any vectors");
            foreach (var v in messages)
            {
                string hex = (string)v["hex"];
                var bytes = Enumerable.Range(0, hex.Length / 2).Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16)).ToArray();
                var p = PacketReader.Read(bytes, !(bool)v["client"], null);
                var want = ((List<object>)v["counts"] ?? new List<object>()).Cast<Obj>().GroupBy(c => (string)c["part"])
                    .Select(g => g.Key + " " + g.Sum(c => Convert.ToInt32(c["bytes"])) + "/" + g.Sum(c => Convert.ToInt32(c["rows"]))).OrderBy(x => x, StringComparer.Ordinal);
                var got = p.Parts.Select(x => x.Name + " " + x.Bytes + "/" + x.Rows).OrderBy(x => x, StringComparer.Ordinal);
                Check.Equal(string.Join(", ", got), string.Join(", ", want), hex);
                Check.Equal(p.Parts.Sum(x => x.Bytes), bytes.Length, "bytes of " + hex);
            }
        }

        public static void SayWhatTheVectorsSay()
        {
            Check.That(Vectors().Count > 5, "there are hardly any vectors");
            foreach (var v in Vectors())
            {
                var m = new ServerFrame { Packed = BytesOf(v), PackedValues = BytesOf(v, "packed_values") };
                string name = (string)v["name"];
                if (v.ContainsKey("bad"))
                {
                    Check.Throws(ErrorCodes.BadFrame, () => Packed.Unpack(m));
                    continue;
                }
                Packed.Unpack(m);
                var want = (Obj)v["fields"];
                Func<string, string> wanted = f => want.ContainsKey(f) ? string.Join(" ", ((List<object>)want[f]).Select(n => Convert.ToUInt32(n))) : "";
                for (int i = 0; i < Codes.Fields.Length; i++)
                    Check.Equal(string.Join(" ", Codes.RowsOf(m, i)), wanted(Codes.Fields[i][0]), name + ": " + Codes.Fields[i][0]);
                var sights = m.Sights.SelectMany(s => new[] { s.X, s.Y, s.Radius, s.Flyer ? 1u : 0u, s.LevelBonus, s.Ticks });
                Check.Equal(string.Join(" ", sights), wanted("sights"), name + ": sights");
            }
        }

        public static void ThatAreCutAnywhereAreRefused()
        {
            byte[] whole = BytesOf(Vectors()[0]);
            for (int n = 1; n < whole.Length; n++)
                Check.Throws(ErrorCodes.BadFrame, () => Packed.Unpack(new ServerFrame { Packed = whole.Take(n).ToArray() }));
        }

        public static void AreNotReadBesideRowsOfTheSameField()
        {
            var m = new ServerFrame { Packed = BytesOf(Vectors()[0]) };
            m.Leave.Add(3);
            Check.Throws(ErrorCodes.BadFrame, () => Packed.Unpack(m));
        }
    }
}
