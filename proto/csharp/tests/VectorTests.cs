using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Fogkeep.Wire;

namespace Fogkeep.Tests
{
    using Obj = Dictionary<string, object>;

    /// <summary>
    /// The server's golden vectors (proto/testdata/vectors/README.md): the bytes of real matches, and what a client
    /// has to hold after each message.
    /// </summary>
    public static class VectorTests
    {
        public sealed class Message
        {
            public byte[] Server;
            public Obj Told, State;
        }

        public sealed class Stream
        {
            public string Name;
            public GameMap Map;
            public byte[] MapBytes;
            public bool DerivesFog;
            public List<Message> Messages = new List<Message>();
        }

        private static List<Stream> streams;

        public static List<Stream> Streams
        {
            get
            {
                if (streams != null) return streams;
                var all = new List<Stream>();
                foreach (string path in Directory.GetFiles(Path.Combine(Runner.Root, "proto/testdata/vectors"), "*.json").OrderBy(p => p))
                {
                    if (Path.GetFileName(path) == "rules.json") continue;
                    var file = (Obj)Json.Read(File.ReadAllText(path));
                    byte[] mapBytes = Convert.FromBase64String((string)file["map"]);
                    var map = GameMap.Read(mapBytes);
                    foreach (Obj s in (List<object>)file["streams"])
                    {
                        var stream = new Stream { Name = Path.GetFileName(path) + ", " + s["client"], Map = map, MapBytes = mapBytes, DerivesFog = s.ContainsKey("derives_fog") && (bool)s["derives_fog"] };
                        foreach (Obj m in (List<object>)s["messages"])
                        {
                            if (!m.ContainsKey("server")) continue;
                            stream.Messages.Add(new Message
                            {
                                Server = Convert.FromBase64String((string)m["server"]),
                                Told = m.ContainsKey("told") ? (Obj)m["told"] : new Obj(),
                                State = m.ContainsKey("state") ? (Obj)m["state"] : new Obj(),
                            });
                        }
                        all.Add(stream);
                    }
                }
                return streams = all;
            }
        }

        public static void AreThere()
        {
            Check.That(Streams.Select(s => s.Name.Split(',')[0]).Distinct().Count() >= 5, "fewer than five files");
            Check.That(Streams.Any(s => s.DerivesFog) && Streams.Any(s => !s.DerivesFog), "not both kinds of fog");
        }

        /// <summary>Each message is read and applied, and every value that the client holds and was told is compared.</summary>
        public static void GiveTheStateThatTheyName()
        {
            foreach (var stream in Streams)
            {
                var reader = new Reader(stream);
                object held = new Obj();
                for (int i = 0; i < stream.Messages.Count; i++)
                {
                    var m = stream.Messages[i];
                    Obj told = reader.Take(m.Server);
                    held = MergePatch(held, m.State);
                    string differs = Difference(told, m.Told, "told") ?? Difference(reader.Held(), held, "state");
                    Check.That(differs == null, "{0}, message {1}: {2}", stream.Name, i, differs);
                }
            }
        }

        /// <summary>The comparison sees every kind of value: a change of one of each kind is a difference.</summary>
        public static void NoticeAChangeOfAnyKindOfValue()
        {
            var seen = new HashSet<string>();
            foreach (var stream in Streams)
            {
                var reader = new Reader(stream);
                object held = new Obj();
                for (int i = 0; i < stream.Messages.Count; i++)
                {
                    var m = stream.Messages[i];
                    Obj told = reader.Take(m.Server);
                    held = MergePatch(held, m.State);
                    Obj state = reader.Held();
                    foreach (var change in Changes(m.Told, "told", seen).ToList())
                    {
                        change.Make();
                        bool noticed = Difference(told, m.Told, "told") != null;
                        change.TakeBack();
                        Check.That(noticed, "{0}, message {1}: a change of {2} passes", stream.Name, i, change.Kind);
                    }
                    foreach (var change in Changes(held, "state", seen).ToList())
                    {
                        change.Make();
                        bool noticed = Difference(state, held, "state") != null;
                        change.TakeBack();
                        Check.That(noticed, "{0}, message {1}: a change of {2} passes", stream.Name, i, change.Kind);
                    }
                }
            }
            Check.That(seen.Count > 150, "only {0} kinds of values", seen.Count);
        }

        /// <summary>What the reader reads, the writer writes: the same message comes back, and nothing of it is unknown.</summary>
        public static void AreReadAsTheyAreWritten()
        {
            foreach (var stream in Streams)
            {
                foreach (var m in stream.Messages)
                {
                    var once = WireReader.Read<ServerFrame>(m.Server);
                    byte[] written = WireWriter.Write(once);
                    string differs = Difference(Plain(WireReader.Read<ServerFrame>(written)), Plain(once), "message");
                    Check.That(differs == null, "{0}: {1}", stream.Name, differs);
                }
            }
        }

        /// <summary>Each message, cut off at every place, is an error or a shorter message, and nothing else.</summary>
        public static void CutOffAreErrors()
        {
            int errors = 0, taken = 0;
            foreach (var stream in Streams)
            {
                var decoder = new Decoder();
                decoder.Decode(stream.Messages.First(m => m.Server.Length > 0 && WireReader.Read<ServerFrame>(m.Server).Welcome != null).Server);
                foreach (var m in stream.Messages)
                {
                    int step = 1 + m.Server.Length / 200;
                    for (int n = 0; n < m.Server.Length; n += step)
                    {
                        try
                        {
                            var other = new Decoder();
                            other.Decode(m.Server.Take(n).ToArray());
                            taken++;
                        }
                        catch (FogkeepException err)
                        {
                            Check.Equal(err.Code, ErrorCodes.BadFrame, "the code of an error of a decoder");
                            errors++;
                        }
                        try
                        {
                            decoder.Decode(m.Server.Take(n).ToArray());
                            taken++;
                        }
                        catch (FogkeepException err)
                        {
                            Check.Equal(err.Code, ErrorCodes.BadFrame, "the code of an error of a decoder");
                            errors++;
                        }
                    }
                }
            }
            Check.That(errors > 1000 && taken > 100, "{0} errors, {1} taken", errors, taken);
        }

        /// <summary>
        /// Streams with messages cut off, left out, repeated or with bytes changed: the client says that the stream broke,
        /// or takes the message, and the next snapshot makes all good again.
        /// </summary>
        public static void ChangedAreErrorsThatASnapshotMends()
        {
            const int rounds = 6;
            int broken = 0, mended = 0;
            for (int seed = 1; seed <= rounds; seed++)
            {
                foreach (var stream in Streams)
                {
                    var random = new Random(seed * 1000 + stream.Name.Length);
                    var state = new MatchState(_ => stream.Map, stream.DerivesFog);
                    bool was = false;
                    foreach (var m in stream.Messages)
                    {
                        byte[] b = state.Welcome == null ? m.Server : Damage(random, m.Server);
                        if (b == null) continue;
                        try
                        {
                            state.Receive(b);
                            if (was && !state.Broken) mended++;
                        }
                        catch (FogkeepException err)
                        {
                            bool known = err.Code == ErrorCodes.BadFrame || err.Code == ErrorCodes.BrokenStream || err.Code == ErrorCodes.BadWelcome;
                            Check.That(known, "seed {0}, {1}: an error of the code {2}", seed, stream.Name, err.Code);
                            Check.That(state.Broken || err.Code == ErrorCodes.BadWelcome, "seed {0}, {1}: {2}, and the stream is not broken", seed, stream.Name, err.Message);
                            broken++;
                        }
                        was = state.Broken;
                        if (state.Replica != null) Check.That(state.Replica.Entities.Count <= 1 << 16, "too many entities");
                    }
                }
            }
            Check.That(broken > 50 && mended > 3, "{0} broken, {1} mended: the test breaks nothing", broken, mended);
        }

        private static byte[] Damage(Random random, byte[] bytes)
        {
            switch (random.Next(40))
            {
                case 0: return bytes.Take(random.Next(bytes.Length + 1)).ToArray();
                case 1: return null;
                case 2: return bytes.Concat(bytes).ToArray();
                case 3:
                    var changed = (byte[])bytes.Clone();
                    for (int i = random.Next(4); i >= 0 && changed.Length > 0; i--) changed[random.Next(changed.Length)] = (byte)random.Next(256);
                    return changed;
                default: return bytes;
            }
        }

        // --- one stream's client: bytes in, state out ---------------------------------

        private sealed class Reader
        {
            private readonly MatchState state;

            public Reader(Stream s) { state = new MatchState(_ => s.Map, s.DerivesFog); }

            /// <summary>Takes in a message and returns what it told besides the state.</summary>
            public Obj Take(byte[] bytes)
            {
                var f = state.Receive(bytes);
                var told = new Obj();
                if (f.Welcome != null) return new Obj { { "welcome", Plain(f.Welcome) } };
                if (f.Closing != null) return new Obj { { "closing", Plain(f.Closing) } };
                if (f.Waiting != null) told["waiting"] = Plain(f.Waiting);
                if (f.Speed != null) told["speed"] = Plain(f.Speed);
                if (f.Votes != null) told["votes"] = Plain(f.Votes);
                Put(told, "handed", f.Said.FindAll(s => s.Handed != 0), s => new Obj { { "slot", s.Slot }, { "back", s.Handed == Handed.Back }, { "units", s.Units } });
                Put(told, "said", f.Said.FindAll(s => s.Handed == 0), s => new Obj { { "slot", s.Slot }, { "all", s.All }, { "text", s.Text } });
                if (f.Waiting != null) return told;
                Check.That(!state.MaskDiffers, "tick {0}: the mask differs from the server's", state.Tick);
                if (f.Skipped != 0) told["skipped"] = f.Skipped;
                if (f.Partial) told["partial"] = true;
                if (f.Budget != null) told["budget"] = Plain(f.Budget);
                if (f.MaskHash != null) told["mask_hash"] = f.MaskHash.Value;
                Put(told, "sights", f.Sights, s => new Obj { { "x", s.X }, { "y", s.Y }, { "radius", s.Radius }, { "flyer", s.Flyer }, { "level_bonus", s.LevelBonus }, { "ticks", s.Ticks } });
                Put(told, "fire", f.Fire, r => new Obj { { "unit", r.Handle }, { "target", r.Target } });
                Put(told, "events", f.Events, e => new Obj { { "kind", e.Kind }, { "x", e.X }, { "y", e.Y }, { "what", e.What }, { "source", e.Source }, { "target", e.Target } });
                Put(told, "pinged", f.Pinged, p => new Obj { { "slot", p.Slot }, { "kind", p.Kind }, { "x", p.At == null ? 0 : p.At.X }, { "y", p.At == null ? 0 : p.At.Y } });
                Put(told, "answers", f.Answers, a => new Obj
                {
                    { "seq", a.Seq }, { "code", a.Code },
                    { "left_out", a.LeftOut.Select((unit, i) => new Obj { { "unit", unit }, { "code", i < a.LeftOutCode.Count ? a.LeftOutCode[i] : 0 } }).ToList() },
                });
                Put(told, "cancelled", f.Cancelled, c => new Obj { { "unit", c.Unit }, { "code", c.Code } });
                Put(told, "started", f.Started, s => new Obj { { "request", s.Request }, { "handle", s.Handle } });
                return told;
            }

            private static void Put<T>(Obj told, string name, List<T> rows, Func<T, Obj> row)
            {
                if (rows.Count > 0) told[name] = rows.Select(row).ToList();
            }

            /// <summary>All that the client holds.</summary>
            public Obj Held()
            {
                var all = new Obj
                {
                    { "tick", state.Tick }, { "entities", new Obj() }, { "ghosts", new Obj() }, { "visible", new Obj() }, { "explored", new Obj() },
                    { "mask_hash", 0 }, { "players", new Obj() }, { "names", new Obj() }, { "scores", new Obj() }, { "own", new Obj() },
                };
                var c = state.Replica;
                if (c == null) return all;
                all["mask_hash"] = state.Visible.Hash();
                if (c.ShotsSeen > 0) all["shots_seen"] = c.ShotsSeen;
                if (c.Contacts.Any()) all["contacts"] = c.Contacts.Select(x => new Obj { { "class", x.Class }, { "x", x.CellX }, { "y", x.CellY }, { "at", x.Tick } }).ToList();
                all["entities"] = c.Entities.Values.ToDictionary(e => e.Handle.ToString(), e => (object)EntityOf(e));
                all["ghosts"] = c.Ghosts.Values.ToDictionary(g => g.Handle.ToString(), g => (object)new Obj
                {
                    { "type", g.Type }, { "owner", g.Owner }, { "x", g.X }, { "y", g.Y }, { "facing", g.Facing }, { "hp_missing", g.HealthMissing }, { "amount", g.Amount },
                });
                all["visible"] = Rows(state.Visible);
                all["explored"] = Rows(state.Explored);
                all["players"] = Numbered(c.Players.Select(p => (object)p));
                all["names"] = Numbered(c.Names);
                all["scores"] = Enumerable.Range(0, c.Scores.Length).Where(i => c.Scores[i] != null).ToDictionary(i => i.ToString(), i => (object)c.Scores[i].Value);
                var values = Enumerable.Range(0, c.Values.Length).Where(i => c.Values[i].Length > 0).ToDictionary(i => i.ToString(), i => (object)c.Values[i].ToList());
                if (values.Count > 0) all["values"] = values;
                all["own"] = OwnOf();
                if (c.Ended != null)
                {
                    all["ended"] = new Obj
                    {
                        { "winners", c.Ended.Winners }, { "reason", c.Ended.Reason }, { "series_ticks", c.Ended.SeriesTicks },
                        { "scores", c.Ended.Scores.Select(s => new Obj { { "kills", s.Kills }, { "assists", s.Assists }, { "losses", s.Losses }, { "made", s.Made }, { "points", s.Points } }).ToList() },
                        { "series", c.Ended.Series.Select(s => new Obj { { "gathered", s.Gathered }, { "army", s.Army } }).ToList() },
                    };
                }
                return all;
            }

            private Obj EntityOf(Entity e)
            {
                int x, y;
                e.PlaceAt(state.Tick, out x, out y);
                var row = new Obj
                {
                    { "type", e.Type }, { "owner", e.Owner }, { "x", x }, { "y", y }, { "vx", e.VX }, { "vy", e.VY },
                    { "actions", e.Actions.Select(a => new Obj { { "index", a.Number }, { "since", a.Since } }).ToList() },
                    { "effects", e.Effects.Select(a => new Obj { { "kind", a.Number }, { "since", a.Since }, { "source", a.Source } }).ToList() },
                };
                var values = new Obj();
                foreach (var v in state.Welcome.Types[(int)e.Type].Values)
                {
                    string name = state.Welcome.Values[(int)v.Value].Name;
                    int? now = state.Value(e.Handle, name);
                    if (now != null) values[name] = now.Value;
                }
                row["values"] = values;
                for (int v = 0; v < Values.Count; v++) row[v == Values.Health ? "hp_missing" : Values.Names[v]] = e.Values[v];
                uint first = e.Bursts[0].ShotsAt(state.Tick), second = e.Bursts[1].ShotsAt(state.Tick);
                if (first + second > 0) row["shots"] = new List<uint> { first, second };
                if (e.Stands) row["facing"] = e.Course;
                return row;
            }

            private Obj OwnOf()
            {
                var o = state.Own;
                var own = new Obj
                {
                    { "resources", o.Resources }, { "population", o.Population }, { "population_max", o.PopulationMax },
                    { "queues", ByHandle(o.Queues, q => new Obj { { "types", q.Types }, { "progress", q.ProgressAt(state.Tick, state.Welcome) } }) },
                    { "rallies", ByHandle(o.Rallies, p => new Obj { { "x", p.X }, { "y", p.Y } }) },
                    { "tasks", ByHandle(o.Tasks, t => t.To == null ? new Obj { { "kind", t.Kind } } : new Obj { { "kind", t.Kind }, { "x", t.To.Value.X }, { "y", t.To.Value.Y } }) },
                    { "ready", ByAbility(o.Ready.Where(p => p.Value > state.Tick), at => at) },
                    { "running", ByAbility(o.Running, r => new Obj { { "until", r.Until }, { "request", r.Request } }) },
                    { "grants", ByAbility(o.Grants, g => g) },
                };
                if (o.Upgrades.Count > 0) own["upgrades"] = o.Upgrades;
                if (o.Passengers.Count > 0)
                {
                    var carried = new Obj();
                    foreach (var x in o.Passengers) carried[x.Key.ToString()] = x.Value.ConvertAll(p => new List<uint> { p.Type, p.Missing });
                    own["passengers"] = carried;
                }
                for (int v = 0; v < OwnValues.Count; v++) own[OwnValues.Names[v]] = ByHandle(o.Values[v], n => n);
                return own;
            }

            private static Obj ByHandle<T>(Dictionary<uint, T> held, Func<T, object> row)
            {
                return held.ToDictionary(p => p.Key.ToString(), p => row(p.Value));
            }

            private static Obj ByAbility<T>(IEnumerable<KeyValuePair<UnitAbility, T>> held, Func<T, object> row)
            {
                return held.GroupBy(p => p.Key.Unit).ToDictionary(g => g.Key.ToString(), g => (object)g.ToDictionary(p => p.Key.Index.ToString(), p => row(p.Value)));
            }

            private static Obj Numbered(IEnumerable<object> all)
            {
                return all.Select((v, i) => new KeyValuePair<string, object>(i.ToString(), v)).ToDictionary(p => p.Key, p => p.Value);
            }
        }

        /// <summary>The rows of a mask that are not dark, in hexadecimal: the western tile of eight in the low bit.</summary>
        public static Obj Rows(Mask m)
        {
            var rows = new Obj();
            for (int y = 0; y < m.Height; y++)
            {
                string row = "";
                for (int x = 0; x < m.Width; x += 8) row += (m.Halves[m.Half(x, y)] >> ((y & 3) << 3) & 0xFF).ToString("x2");
                if (row.Trim('0').Length > 0) rows[y.ToString()] = row;
            }
            return rows;
        }

        // --- JSON -----------------------------------------------------------------------

        /// <summary>A message in protobuf's JSON form, with the names of the .proto file, and enums as numbers.</summary>
        public static Obj Plain(object m)
        {
            var all = new Obj();
            foreach (var p in m.GetType().GetProperties())
            {
                object v = p.GetValue(m);
                var list = v as IList;
                if (v == null || list != null && list.Count == 0) continue;
                if (Nullable.GetUnderlyingType(p.PropertyType) == null && list == null && (v is string && (string)v == "" || v is bool && !(bool)v || IsNumber(v) && Convert.ToDouble(v) == 0)) continue;
                string name = Regex.Replace(p.Name, "(?<!^)([A-Z])", "_$1").ToLowerInvariant();
                if (list != null) all[name] = list.Cast<object>().Select(x => x is IMessage ? Plain(x) : x).ToList();
                else all[name] = v is IMessage ? Plain(v) : v;
            }
            return all;
        }

        private static bool IsNumber(object v) { return v is Enum || v is IConvertible && !(v is string) && !(v is bool); }

        /// <summary>What a merge patch (RFC 7396) makes of a value, which stays as it was.</summary>
        private static object MergePatch(object on, object patch)
        {
            if (!(patch is Obj)) return patch;
            var all = on is Obj ? new Obj((Obj)on) : new Obj();
            foreach (var p in (Obj)patch)
            {
                if (p.Value == null) { all.Remove(p.Key); continue; }
                object was;
                all.TryGetValue(p.Key, out was);
                all[p.Key] = MergePatch(was, p.Value);
            }
            return all;
        }

        /// <summary>The first place at which two values differ, or null.</summary>
        public static string Difference(object got, object want, string path)
        {
            if (got is Obj && want is Obj)
            {
                Obj a = (Obj)got, b = (Obj)want;
                foreach (string k in b.Keys) if (!a.ContainsKey(k)) return path + "." + k + " is missing";
                foreach (var p in a)
                {
                    object other;
                    if (!b.TryGetValue(p.Key, out other)) return path + "." + p.Key + " is too many";
                    string d = Difference(p.Value, other, path + "." + p.Key);
                    if (d != null) return d;
                }
                return null;
            }
            if (!(got is string) && !(want is string) && got is IEnumerable && want is IEnumerable && !(got is Obj) && !(want is Obj))
            {
                var a = ((IEnumerable)got).Cast<object>().ToList();
                var b = ((IEnumerable)want).Cast<object>().ToList();
                if (a.Count != b.Count) return path + " has " + a.Count + " items, not " + b.Count;
                for (int i = 0; i < a.Count; i++)
                {
                    string d = Difference(a[i], b[i], path + "[" + i + "]");
                    if (d != null) return d;
                }
                return null;
            }
            bool same = got != null && want != null && IsNumber(got) && IsNumber(want) ? Convert.ToDouble(got) == Convert.ToDouble(want) : Equals(got, want);
            return same ? null : path + ": " + (got ?? "null") + ", not " + (want ?? "null");
        }

        private sealed class Change
        {
            public string Kind;
            public Action Make, TakeBack;
        }

        /// <summary>A change of each kind of value that was not seen before.</summary>
        private static IEnumerable<Change> Changes(object v, string path, HashSet<string> seen)
        {
            var list = v as List<object>;
            if (list != null)
            {
                for (int i = 0; i < list.Count; i++)
                {
                    int at = i;
                    foreach (var c in Leaf(list[i], path + "[]", seen, x => list[at] = x)) yield return c;
                }
            }
            var obj = v as Obj;
            if (obj == null) yield break;
            foreach (var p in obj.ToList())
            {
                string key = p.Key;
                string kind = path + "." + (Regex.IsMatch(key, @"^\d+$") ? "*" : key);
                foreach (var c in Leaf(p.Value, kind, seen, x => obj[key] = x)) yield return c;
            }
        }

        private static IEnumerable<Change> Leaf(object v, string kind, HashSet<string> seen, Action<object> set)
        {
            if (v is Obj || v is List<object>)
            {
                foreach (var c in Changes(v, kind, seen)) yield return c;
                yield break;
            }
            if (!seen.Add(kind)) yield break;
            object other = v is double ? (double)v + 1 : v is bool ? !(bool)v : v is string ? (object)((string)v + "0") : 0.0;
            yield return new Change { Kind = kind, Make = () => set(other), TakeBack = () => set(v) };
        }
    }
}
