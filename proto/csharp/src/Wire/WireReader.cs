using System.Collections.Generic;
using System.Text;

namespace Fogkeep.Wire
{
    /// <summary>
    /// Reads protobuf's binary form (protobuf.dev/programming-guides/encoding). It takes any bytes: what is no
    /// message is a <see cref="FogkeepException"/> of the code <see cref="ErrorCodes.BadFrame"/>. Memory is bounded by
    /// the length of the bytes and by <see cref="ItemsMax"/>.
    /// </summary>
    public sealed class WireReader
    {
        /// <summary>Most messages or strings in one list. No message of a server comes near it.</summary>
        public const int ItemsMax = 1 << 16;

        private const int DepthMax = 16;
        private static readonly UTF8Encoding utf8 = new UTF8Encoding(false, true);

        private readonly byte[] bytes;
        private int at, end, depth;

        public WireReader(byte[] bytes)
        {
            this.bytes = bytes;
            end = bytes.Length;
        }

        /// <summary>Reads a whole message.</summary>
        public static T Read<T>(byte[] bytes) where T : IMessage, new()
        {
            var m = new T();
            m.MergeFrom(new WireReader(bytes));
            return m;
        }

        /// <summary>The number and kind of the next field, 0 at the end of the message.</summary>
        public uint Tag()
        {
            if (at >= end) return 0;
            ulong tag = Varint();
            if (tag >> 3 == 0 || tag > uint.MaxValue) throw Bad("a field of number " + (tag >> 3));
            return (uint)tag;
        }

        public uint UInt32() { return unchecked((uint)Varint()); }
        public int Int32() { return unchecked((int)Varint()); }
        public bool Bool() { return Varint() != 0; }

        public int SInt32()
        {
            uint n = UInt32();
            return unchecked((int)(n >> 1) ^ -(int)(n & 1));
        }

        public uint Fixed32()
        {
            Need(4);
            at += 4;
            return (uint)(bytes[at - 4] | bytes[at - 3] << 8 | bytes[at - 2] << 16) | (uint)bytes[at - 1] << 24;
        }

        public string String()
        {
            int n = Length();
            try
            {
                string s = utf8.GetString(bytes, at, n);
                at += n;
                return s;
            }
            catch (DecoderFallbackException err)
            {
                throw new FogkeepException(ErrorCodes.BadFrame, "offset " + at + ": a text that is not UTF-8", true, err);
            }
        }

        public byte[] Bytes()
        {
            int n = Length();
            var b = new byte[n];
            System.Array.Copy(bytes, at, b, 0, n);
            at += n;
            return b;
        }

        /// <summary>Reads a message that is a field of this one.</summary>
        public void Message(IMessage m)
        {
            int n = Length(), outer = end;
            if (++depth > DepthMax) throw Bad("messages inside messages more than " + DepthMax + " deep");
            end = at + n;
            m.MergeFrom(this);
            end = outer;
            depth--;
        }

        public void Add(List<string> list)
        {
            Room(list.Count);
            list.Add(String());
        }

        public void Add<T>(List<T> list) where T : IMessage, new()
        {
            Room(list.Count);
            var m = new T();
            Message(m);
            list.Add(m);
        }

        public void AddOne(List<uint> list) { list.Add(UInt32()); }

        public void AddPacked(List<uint> list)
        {
            int n = Length(), stop = at + n, count = 0;
            for (int i = at; i < stop; i++) if (bytes[i] < 0x80) count++;
            if (list.Capacity < list.Count + count) list.Capacity = list.Count + count;
            int outer = end;
            end = stop;
            while (at < stop) list.Add(UInt32());
            end = outer;
        }

        /// <summary>Passes over a field that this build does not know.</summary>
        public void Skip(uint tag)
        {
            switch (tag & 7)
            {
                case 0: Varint(); break;
                case 1: Need(8); at += 8; break;
                case 2: int n = Length(); at += n; break;
                case 5: Need(4); at += 4; break;
                default: throw Bad("a field of kind " + (tag & 7));
            }
        }

        private ulong Varint()
        {
            ulong v = 0;
            for (int shift = 0; shift < 70; shift += 7)
            {
                Need(1);
                byte b = bytes[at++];
                v |= (ulong)(b & 0x7f) << shift;
                if (b < 0x80) return v;
            }
            throw Bad("a number of more than ten bytes");
        }

        private int Length()
        {
            ulong n = Varint();
            if (n > (ulong)(end - at)) throw Bad("a part of " + n + " bytes, " + (end - at) + " are left");
            return (int)n;
        }

        private void Need(int n)
        {
            if (end - at < n) throw Bad(n + " bytes are needed, " + (end - at) + " are left");
        }

        private void Room(int count)
        {
            if (count >= ItemsMax) throw Bad("a list of more than " + ItemsMax);
        }

        private FogkeepException Bad(string what)
        {
            return new FogkeepException(ErrorCodes.BadFrame, "offset " + at + ": " + what, true);
        }
    }
}
