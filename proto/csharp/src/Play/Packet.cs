using System;
using System.Collections.Generic;
using System.Linq;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>One message of a match's connection, as a packet log shows it. Chat, tickets and tokens are not in it.</summary>
    public sealed class Packet
    {
        /// <summary>When the client read it, or sent it; UTC.</summary>
        public DateTime Time { get; internal set; }
        /// <summary>Of a frame its tick, else the newest tick.</summary>
        public uint Tick { get; internal set; }
        /// <summary>False: the client sent it.</summary>
        public bool FromServer { get; internal set; }
        /// <summary>Of payload.</summary>
        public int Bytes { get; internal set; }
        /// <summary>False: a message of the client, a welcome, a pause or an end.</summary>
        public bool Frame { get; internal set; }
        public bool Snapshot { get; internal set; }
        /// <summary>The bytes of each part; docs/reference/protocol.md lists the parts.</summary>
        public List<PacketPart> Parts { get; } = new List<PacketPart>();
        /// <summary>The entities that rows of the message name.</summary>
        public List<PacketEntity> Entities { get; } = new List<PacketEntity>();
        /// <summary>The orders in it. Their answers have the same numbers.</summary>
        public List<PacketCall> Calls { get; } = new List<PacketCall>();
        public List<PacketAnswer> Answers { get; } = new List<PacketAnswer>();

        /// <summary>The message has a part with this name.</summary>
        public bool Has(string part) { return Parts.Any(p => p.Name == part); }

        /// <summary>A row or an order of the message names the entity.</summary>
        public bool IsAbout(uint handle)
        {
            return Entities.Any(e => e.Handle == handle) || Calls.Any(c => c.Target == handle || c.Units.Contains(handle));
        }
    }

    /// <summary>The share of one part of a message.</summary>
    public sealed class PacketPart
    {
        public string Name { get; internal set; }
        public int Bytes { get; internal set; }
        public int Rows { get; internal set; }
    }

    /// <summary>An entity in a message: the player's number of it, the name of its type ("": unknown), and its rows.</summary>
    public sealed class PacketEntity
    {
        public uint Handle { get; internal set; }
        public string Type { get; internal set; }
        public List<PacketPart> Parts { get; } = new List<PacketPart>();
    }

    /// <summary>An order in a message.</summary>
    public sealed class PacketCall
    {
        public uint Number { get; internal set; }
        public OrderKind Kind { get; internal set; }
        public List<uint> Units { get; internal set; }
        /// <summary>0: none.</summary>
        public uint Target { get; internal set; }
    }

    /// <summary>The answer to an order. OK: the server accepted it.</summary>
    public sealed class PacketAnswer
    {
        public uint Number { get; internal set; }
        public string Code { get; internal set; }
    }

    /// <summary>Reads packets from the bytes of messages. Bytes that are no message count as the part other.</summary>
    internal sealed class PacketReader
    {
        private const uint AnswersMax = 1024;
        private static readonly int enter = Array.FindIndex(Part.All, p => p.Name == "enter");
        private static readonly int packed = Array.FindIndex(Part.All, p => p.Name == "packed");
        private static readonly int packedValues = Array.FindIndex(Part.All, p => p.Name == "packed_values");
        private static readonly int sights = Array.FindIndex(Part.All, p => p.Name == "sights");
        private static readonly int[] partOfField = Codes.Fields.Select(f => Array.FindIndex(Part.All, p => p.Name == f[0] && !p.Client)).ToArray();

        private readonly MatchState state; // null: no names
        private readonly byte[] bytes;
        private readonly Packet packet;
        private readonly PacketPart[] parts = new PacketPart[Part.All.Length];
        private readonly SortedDictionary<uint, PacketEntity> entities = new SortedDictionary<uint, PacketEntity>();
        private uint handle; // of the row in work
        private int handlePart = -1;

        private PacketReader(byte[] bytes, bool fromServer, MatchState state)
        {
            this.bytes = bytes;
            this.state = state;
            packet = new Packet { Time = DateTime.UtcNow, FromServer = fromServer, Bytes = bytes.Length, Tick = state == null ? 0 : state.Tick };
        }

        public static Packet Read(byte[] bytes, bool fromServer, MatchState state)
        {
            var r = new PacketReader(bytes, fromServer, state);
            r.Measure();
            try
            {
                if (fromServer) r.Server(WireReader.Read<ServerFrame>(bytes));
                else r.Client(WireReader.Read<ClientFrame>(bytes));
            }
            catch (FogkeepException) // the match says so
            {
            }
            r.packet.Parts.AddRange(r.parts.Where(p => p != null));
            r.packet.Entities.AddRange(r.entities.Values);
            return r.packet;
        }

        private void Server(ServerFrame m)
        {
            packet.Frame = m.Welcome == null && m.Waiting == null && m.Closing == null && m.Replay == null && m.Timeline == null;
            packet.Snapshot = m.Tick != 0;
            if (packet.Frame) packet.Tick = packet.Snapshot ? m.Tick : packet.Tick + (m.Span == 0 ? 1 : m.Span);
            foreach (var a in m.Answers)
                for (uint n = 0; n <= a.More && packet.Answers.Count < AnswersMax; n++)
                    packet.Answers.Add(new PacketAnswer { Number = a.Seq + n, Code = CodeOf(a.Code) });
        }

        private void Client(ClientFrame m)
        {
            foreach (var o in m.Orders)
                packet.Calls.Add(new PacketCall { Number = o.Seq, Kind = o.Kind, Units = o.Units, Target = o.Target });
        }

        private string CodeOf(uint code)
        {
            var welcome = state == null ? null : state.Welcome;
            return welcome != null && code < welcome.Codes.Count ? welcome.Codes[(int)code] : code.ToString();
        }

        /// <summary>Counts each byte once.</summary>
        private void Measure()
        {
            for (int at = 0; at < bytes.Length;)
            {
                int number, from, end;
                bool delimited = Field(at, bytes.Length, out number, out from, out end);
                int part = Math.Max(0, Array.FindIndex(Part.All, p => p.Client != packet.FromServer && p.Fields.Contains(number)));
                var row = Part.All[part];
                handlePart = -1;
                if (delimited && (part == packed || part == packedValues)) Count(part, end - at - Packed.Measure(bytes.Skip(from).Take(end - from).ToArray(), part == packedValues, PackedRow, n => Count(sights, n, 1)), 1);
                else if (delimited && row.Row > 0 && end > from)
                {
                    Count(part, from - at, 0);
                    for (int next, i = from; i < end; i = next)
                    {
                        ulong first = Varint(i, end, out next);
                        for (int k = 1; k < row.Row; k++) Varint(next, end, out next);
                        Row(part, first, next - i);
                    }
                }
                else Count(part, end - at, row.Lists.Length == 0 ? 1 : delimited ? Members(from, end, row.Lists) : 0);
                at = end;
            }
        }

        private void PackedRow(int field, uint first, int size) { Row(partOfField[field], first, size); }

        /// <summary>Counts a row of an entity. The first number has the difference to the handle before.</summary>
        private void Row(int part, ulong first, int size)
        {
            Count(part, size, 1);
            if (part != handlePart) handle = 0;
            handlePart = part;
            var welcome = state == null ? null : state.Welcome;
            uint kinds = welcome == null ? 0 : (uint)((welcome.Players.Count + 1) * welcome.Types.Count);
            bool enters = part == enter && kinds > 0;
            handle += (uint)(enters ? first / kinds : first);
            PacketEntity e;
            if (!entities.TryGetValue(handle, out e)) entities[handle] = e = new PacketEntity { Handle = handle, Type = "" };
            Entity held;
            if (enters) e.Type = welcome.Types[(int)(first % kinds % (uint)welcome.Types.Count)].Name;
            else if (e.Type == "" && welcome != null && state.Replica.Entities.TryGetValue(handle, out held)) e.Type = welcome.Types[(int)held.Type].Name;
            e.Parts.Add(new PacketPart { Name = Part.All[part].Name, Bytes = size, Rows = 1 });
        }

        private void Count(int part, int size, int rows)
        {
            var p = parts[part] ?? (parts[part] = new PacketPart { Name = Part.All[part].Name });
            p.Bytes += size;
            p.Rows += rows;
        }

        /// <summary>Members of packed fields inside a message: bytes that end a number.</summary>
        private int Members(int at, int stop, int[] lists)
        {
            int n = 0, number, from, end;
            for (; at < stop; at = end)
                if (Field(at, stop, out number, out from, out end) && lists.Contains(number))
                    for (int i = from; i < end; i++) n += bytes[i] < 0x80 ? 1 : 0;
            return n;
        }

        /// <summary>Finds the field at a place: whether it has a length, and where its contents are. Bytes that are no field are one of number 0 that ends with the message.</summary>
        private bool Field(int at, int stop, out int number, out int from, out int end)
        {
            ulong tag = Varint(at, stop, out from);
            bool whole = from > at && bytes[from - 1] < 0x80, delimited = false;
            long after = from;
            int next;
            switch (tag & 7)
            {
                case 0:
                    Varint(from, stop, out next);
                    whole &= next > from && bytes[next - 1] < 0x80;
                    after = next;
                    break;
                case 1: after += 8; break;
                case 5: after += 4; break;
                case 2:
                    ulong length = Varint(from, stop, out next);
                    whole &= next > from && bytes[next - 1] < 0x80 && length <= int.MaxValue;
                    from = next;
                    after = next + (long)Math.Min(length, int.MaxValue);
                    delimited = true;
                    break;
                default: whole = false; break;
            }
            if (whole && after <= stop && tag >> 3 > 0 && tag >> 3 <= int.MaxValue)
            {
                number = (int)(tag >> 3);
                end = (int)after;
                return delimited;
            }
            number = 0;
            from = end = stop;
            return false;
        }

        /// <summary>A number that is cut off ends with the bytes.</summary>
        private ulong Varint(int at, int stop, out int next)
        {
            ulong v = 0;
            for (int i = at; i < stop && i < at + 10; i++)
            {
                v |= (ulong)(bytes[i] & 0x7f) << 7 * (i - at);
                if (bytes[i] >= 0x80) continue;
                next = i + 1;
                return v;
            }
            next = stop;
            return v;
        }
    }
}
