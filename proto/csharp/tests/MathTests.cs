using System;
using System.Collections.Generic;
using System.Linq;
using Fogkeep.Wire;

namespace Fogkeep.Tests
{
    using Obj = Dictionary<string, object>;

    /// <summary>The arithmetic that client and server share: motion, sight, hashes, the map's bytes.</summary>
    public static class MathTests
    {
        /// <summary>match/view/testdata/motion.json: velocities and places, to the integer.</summary>
        public static void MotionIsThatOfTheServer()
        {
            var file = (Obj)Json.Read(Runner.Text("match/view/testdata/motion.json"));
            int width = Int(file["width"]), height = Int(file["height"]), n = 0;
            foreach (Obj v in (List<object>)file["vectors"])
            {
                int vx, vy;
                Course.Velocity((uint)(double)v["course"], Int(v["full"]), out vx, out vy);
                Check.Equal(vx + "," + vy, Pair(v["v"]), "velocity of course " + v["course"] + " at full speed " + v["full"]);
                var from = (List<object>)v["from"];
                uint ticks = (uint)(double)v["ticks"];
                Check.Equal(Course.Reckon(Int(from[0]), vx, ticks, width) + "," + Course.Reckon(Int(from[1]), vy, ticks, height), Pair(v["at"]),
                    "place after " + ticks + " ticks on course " + v["course"]);
                n++;
            }
            Check.That(n > 100, "only {0} vectors", n);
        }

        /// <summary>visibility/testdata/vectors.json: what sources see, by every rule.</summary>
        public static void SightIsThatOfTheServer()
        {
            var occlusions = new HashSet<int>();
            int steps = 0;
            foreach (Obj c in (List<object>)((Obj)Json.Read(Runner.Text("visibility/testdata/vectors.json")))["cases"])
            {
                int width = Int(c["width"]), height = Int(c["height"]);
                occlusions.Add(Int(c["occlusion"]));
                var levels = string.Concat(Texts(c["levels"])).Select(d => Convert.ToByte(d.ToString(), 16)).ToArray();
                var opaque = string.Concat(Texts(c["opaque"])).Select(d => d == '#').ToArray();
                var explored = new Mask(width, height);
                var vision = new Vision(width, height, Int(c["occlusion"]), levels, opaque);
                foreach (Obj step in (List<object>)c["steps"])
                {
                    foreach (Obj g in List(step, "ground"))
                    {
                        levels[Int(g["y"]) * width + Int(g["x"])] = (byte)Int(g["level"]);
                        opaque[Int(g["y"]) * width + Int(g["x"])] = (bool)g["opaque"];
                        vision = new Vision(width, height, Int(c["occlusion"]), levels, opaque);
                    }
                    vision.Begin();
                    foreach (Obj s in List(step, "sources"))
                        vision.Add(Int(s["x"]), Int(s["y"]), (uint)Int(s["radius"]), (bool)s["flyer"], (uint)Int(s["level_bonus"]));
                    vision.End();
                    explored.Or(vision.Explored);
                    Check.Equal(Picture(vision.Visible), string.Join("\n", Texts(step["visible"])), c["name"] + ": visible");
                    Check.Equal(Picture(explored), string.Join("\n", Texts(step["explored"])), c["name"] + ": explored");
                    Check.Equal(vision.Visible.Hash(), (uint)(double)step["mask_hash"], c["name"] + ": hash");
                    steps++;
                }
            }
            Check.That(occlusions.Count == 3 && steps > 20, "{0} steps of {1} rules", steps, occlusions.Count);
        }

        public static void TheHashIsThatOfTheExample()
        {
            var m = new Mask(16, 16);
            m.Set(0, 0, true);
            Check.Equal(m.Hash(), 0x67035893u, "hash of (0, 0)");
            m.Set(9, 5, true);
            Check.Equal(m.Hash(), 0xaa10adafu, "hash of (0, 0) and (9, 5)");
        }

        public static void TheMapIsThatOfTheExample()
        {
            var b = MapBytes();
            Check.Equal(b.Length, 993, "bytes");
            var m = GameMap.Read(b);
            Check.Equal(m.Name + " " + m.Width + "x" + m.Height + " " + m.Occlusion, "ford 16x20 1", "map");
            Check.Equal(m.Starts[1].X + "," + m.Starts[1].Y + " " + m.Resources[0].X + "," + m.Resources[0].Y, "12,16 7,9", "places");
            for (int n = 0; n < b.Length; n++)
            {
                int cut = n;
                Check.Throws(ErrorCodes.MapFormat, () => GameMap.Read(b.Take(cut).ToArray()));
            }
            Check.Throws(ErrorCodes.MapFormat, () => GameMap.Read(b.Concat(new byte[1]).ToArray()));
        }

        /// <summary>The example of docs/reference/protocol.md, "The map".</summary>
        public static byte[] MapBytes()
        {
            var head = new byte[] { 0x66, 0x6f, 0x67, 0x6b, 0x6d, 0x61, 0x70, 1, 0x10, 0, 0x14, 0, 1, 4, 0x66, 0x6f, 0x72, 0x64 };
            var tail = new byte[] { 2, 2, 0, 3, 0, 0x0c, 0, 0x10, 0, 1, 0, 7, 0, 9, 0 };
            return head.Concat(new byte[3 * 320]).Concat(tail).ToArray();
        }

        /// <summary>Of shots on the wire only some bits are sent: the count goes on, whatever was missed.</summary>
        public static void ShotsAreCountedOn()
        {
            var b = new Burst();
            b.Take(1 << 2 | 2, 100, 10); // fires, one shot by tick 100
            Check.Equal(b.ShotsAt(109), 1u, "shots before the next is due");
            Check.Equal(b.ShotsAt(130), 4u, "shots after 30 ticks");
            b.Take(4 << 2 | 2 | 2 << 8, 132, 10); // told two ticks late: four shots by tick 130
            Check.Equal(b.ShotsAt(140), 5u, "shots after an age");
            b.Take(5 << 2, 145, 10); // it stopped
            Check.Equal(b.ShotsAt(1000), 5u, "shots of a weapon that does not fire");
            b.Take(3 << 2, 2000, 10); // 3 modulo 64, not fewer than 5
            Check.Equal(b.ShotsAt(2000), 67u, "shots past the end of six bits");
            var fast = new Burst();
            fast.Take(1 << 2 | 2, 100, 1); // a shot each tick, and no word of it for 200 ticks
            fast.Take((200 & 63) << 2 | 2, 300, 1); // one shot less than the client counts
            Check.Equal(fast.ShotsAt(300), 200u, "shots of a weapon of which nothing was told for long");
        }

        /// <summary>What leaves sight fired up to the tick before: it is not there in the frame that says so.</summary>
        public static void ShotsOfWhatLeftAreCountedUntilThen()
        {
            var map = GameMap.Read(MapBytes());
            var state = new MatchState(_ => map, false);
            Action<ServerFrame> receive = f => state.Receive(WireWriter.Write(f));
            receive(new ServerFrame
            {
                Welcome = new Welcome
                {
                    MapHash = map.Hash, TickRate = 20, Players = { new Wire.Player() }, Types = { new TypeInfo { Weapons = { 0 } } },
                    Weapons = { new WeaponInfo { CooldownTicks = 5 } },
                },
            });
            receive(new ServerFrame { Tick = 100 });
            receive(new ServerFrame { Enter = { 7 * 2, 0, 0 }, Burst = { 7, 1 << 2 | 2 } }); // tick 101: it has fired once
            receive(new ServerFrame { Span = 10, Leave = { 7 } }); // tick 111: the shots of 106 were seen, those of 111 not
            Check.Equal(state.Replica.ShotsSeen, 2ul, "shots");
        }

        private static string Picture(Mask m)
        {
            var rows = new List<string>();
            for (int y = 0; y < m.Height; y++)
            {
                string row = "";
                for (int x = 0; x < m.Width; x += 8) row += (m.Halves[m.Half(x, y)] >> ((y & 3) << 3) & 0xFF).ToString("x2");
                rows.Add(row);
            }
            return string.Join("\n", rows);
        }

        private static int Int(object v) { return (int)(double)v; }
        private static string Pair(object v) { return string.Join(",", ((List<object>)v).Select(x => Int(x).ToString())); }
        private static IEnumerable<string> Texts(object v) { return ((List<object>)v).Cast<string>(); }
        private static List<object> List(Obj o, string name) { return o.ContainsKey(name) && o[name] != null ? (List<object>)o[name] : new List<object>(); }
    }
}
