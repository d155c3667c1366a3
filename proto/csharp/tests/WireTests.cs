using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Fogkeep.Wire;

namespace Fogkeep.Tests
{
    /// <summary>Protobuf's bytes and JSON's text: what is read, and what is refused.</summary>
    public static class WireTests
    {
        private static ServerFrame Read(params int[] bytes) { return WireReader.Read<ServerFrame>(bytes.Select(b => (byte)b).ToArray()); }

        private static void Refuses(string what, params int[] bytes)
        {
            try
            {
                Read(bytes);
            }
            catch (FogkeepException err)
            {
                Check.Equal(err.Code, ErrorCodes.BadFrame, what);
                return;
            }
            throw new FailedCheck(what + " is taken");
        }

        public static void ListsComePackedInPiecesOrOneByOne()
        {
            // leave (3) packed [1, 300], then one number, then packed again
            Check.Equal(string.Join(" ", Read(0x1a, 3, 1, 0xac, 2, 0x18, 7, 0x1a, 1, 9).Leave), "1 300 7 9", "leave");
        }

        public static void PartsOfAMessageAreMerged()
        {
            var m = Read(0xaa, 1, 2, 0x10, 5, 0xaa, 1, 2, 0x18, 6, 0x08, 3); // own {population: 5}, own {population_max: 6}, tick 3
            Check.Equal(m.Own.Population + " " + m.Own.PopulationMax + " " + m.Tick, "5 6 3", "own and tick");
        }

        public static void UnknownFieldsArePassedOver()
        {
            var m = Read(0xf8, 0x3f, 1, 0xfa, 0x3f, 2, 1, 2, 0xfd, 0x3f, 1, 2, 3, 4, 0xf9, 0x3f, 1, 2, 3, 4, 5, 6, 7, 8, 0x08, 9);
            Check.Equal(m.Tick, 9u, "the tick behind them");
            Check.Equal(Read(0x0a, 2, 5, 6, 0x08, 9).Tick, 9u, "the tick behind a field of another kind");
            Check.Equal(Read(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1).Tick, uint.MaxValue, "a number of 64 bits is taken modulo 2^32");
        }

        public static void BrokenBytesAreRefused()
        {
            Refuses("a field without its number", 0x08);
            Refuses("a number of eleven bytes", 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
            Refuses("a part that is longer than the message", 0x1a, 5, 1);
            Refuses("a part of 2^63 bytes", 0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
            Refuses("field 0", 0x00, 1);
            Refuses("a group", 0xfb, 0x3f);
            Refuses("a number that ends behind its list", 0x1a, 1, 0x80, 1);
            Refuses("four bytes of which two are there", 0x6d, 1, 2);
            Refuses("a text that is not UTF-8", 0x82, 2, 3, 0x0a, 1, 0xff);
            var many = new List<byte>();
            for (int i = 0; i <= WireReader.ItemsMax; i++) many.AddRange(new byte[] { 0x8a, 1, 0 }); // said: {}
            Check.Throws(ErrorCodes.BadFrame, () => WireReader.Read<ServerFrame>(many.ToArray()));
            Check.Throws(ErrorCodes.BadFrame, () => new Decoder().Decode(new byte[Limits.ServerBytes + 1]));
            Check.Throws(ErrorCodes.BadFrame, () => new Decoder().Decode(new byte[0])); // a frame before the welcome
        }

        public static void WhatIsWrittenIsRead()
        {
            var f = new ClientFrame
            {
                Applied = 412, Camera = new Camera { X = 3 }, Resync = true,
                Orders = { new Order { Seq = uint.MaxValue, Kind = OrderKind.StopAbility, Units = { 1, 300, 70000 }, To = new Point { X = -5, Y = int.MaxValue } } },
                Says = { new Say { Text = "Grüße", All = true } },
            };
            var back = WireReader.Read<ClientFrame>(WireWriter.Write(f));
            string differs = VectorTests.Difference(VectorTests.Plain(back), VectorTests.Plain(f), "frame");
            Check.That(differs == null, "{0}", differs);
            Check.Equal(back.Orders[0].To.X + " " + back.Orders[0].To.Y, "-5 2147483647", "a place");
            Check.Equal(WireReader.Read<ServerFrame>(WireWriter.Write(new ServerFrame { MaskHash = 0x80000001 })).MaskHash, (uint?)0x80000001, "a hash");
        }

        /// <summary>Frames whose rows cannot be: each is refused before anything of it is applied.</summary>
        public static void RowsThatCannotBeAreRefused()
        {
            var welcome = WireWriter.Write(new ServerFrame { Welcome = new Welcome { Players = { new Wire.Player() }, Types = { new TypeInfo() } } });
            Action<string, ServerFrame> refuses = (what, f) =>
            {
                var d = new Decoder();
                d.Decode(welcome);
                try
                {
                    d.Decode(WireWriter.Write(f));
                }
                catch (FogkeepException err)
                {
                    Check.Equal(err.Code, ErrorCodes.BadFrame, what);
                    return;
                }
                throw new FailedCheck(what + " is taken");
            };
            refuses("an enter of two numbers", new ServerFrame { Enter = { 1, 2 } });
            refuses("an owner beyond the last slot", new ServerFrame { Owner = { 1, 65 } });
            refuses("a sight beyond any map", new ServerFrame { Sights = { new Sight { X = 1024 } } });
            refuses("a player beyond the last slot", new ServerFrame { Players = { new PlayerNote { Slot = 64 } } });
            refuses("a mask's row beyond any map", new ServerFrame { Mask = new MaskRows { Row = { 1024 } } });
            refuses("a mask's row twice", new ServerFrame { Mask = new MaskRows { Row = { 3, 0 } } });
            refuses("runs that are not there", new ServerFrame { Mask = new MaskRows { Row = { 3 }, VisibleRuns = { 2 }, Visible = { 1 } } });
            refuses("a queue without its types", new ServerFrame { Own = new Own { Queues = { 1, 3, 0, 0 } } });
            refuses("a queue of 2^32 - 1", new ServerFrame { Own = new Own { Queues = { 1, uint.MaxValue, 0 } } });
            refuses("a task without its cell", new ServerFrame { Own = new Own { Tasks = { 1, 4 } } });
            refuses("half a row of started", new ServerFrame { Own = new Own { Started = { 1 } } });
            refuses("answers without end", new ServerFrame { Answers = { new Answer { More = uint.MaxValue } } });
            refuses("scores of 65", new ServerFrame { Ended = Ended65() });
            var rows = new ServerFrame();
            for (int i = 0; i <= 1 << 16; i++) rows.Leave.Add(1);
            refuses("65,537 rows", rows);
        }

        private static Ended Ended65()
        {
            var e = new Ended();
            for (int i = 0; i < 65; i++) e.Scores.Add(new Score());
            return e;
        }

        public static void JsonIsReadAndWritten()
        {
            string text = "{\"a\":[1,-2.5,1000,true,false,null],\"b\":{\"c\":\"\\\"\\\\\\/\\n\\u00fc\\ud83d\\ude00\"},\"\":\"ü\",\"e\":[],\"f\":{}}";
            object v = Json.Read(" " + text + "\n");
            Check.Equal(Json.Write(Json.Read(Json.Write(v))), Json.Write(v), "written and read again");
            Check.Equal((string)((Dictionary<string, object>)((Dictionary<string, object>)v)["b"])["c"], "\"\\/\nü😀", "a text");
            Check.Equal(Json.Write(v).Substring(0, 40), "{\"a\":[1,-2.5,1000,true,false,null],\"b\":{", "written");
            foreach (string bad in new[] { "", "{", "[1,", "[1 2]", "{\"a\"}", "{a:1}", "\"", "\"\\x\"", "\"\\u12\"", "tru", "1 2", "--1", "[1,]", "\"\n\"", new string('[', 100) + new string(']', 100) })
                Check.Throws(ErrorCodes.BadJson, () => Json.Read(bad));
            Check.Throws(ErrorCodes.BadJson, () => Json.Write(Nested(100)));
        }

        private static object Nested(int n) { return n == 0 ? (object)1 : new List<object> { Nested(n - 1) }; }
    }
}
