using System;
using System.Collections.Generic;
using System.Text;

namespace Fogkeep.Wire
{
    /// <summary>Writes protobuf's binary form.</summary>
    public sealed class WireWriter
    {
        private byte[] bytes = new byte[64];

        /// <summary>How many bytes were written.</summary>
        public int Length { get; private set; }

        /// <summary>The bytes of a message.</summary>
        public static byte[] Write(IMessage m)
        {
            var w = new WireWriter();
            m.WriteTo(w);
            return w.ToArray();
        }

        public byte[] ToArray()
        {
            var all = new byte[Length];
            Array.Copy(bytes, all, Length);
            return all;
        }

        public void UInt32(uint tag, uint n)
        {
            Varint(tag);
            Varint(n);
        }

        public void SInt32(uint tag, int n) { UInt32(tag, unchecked((uint)(n << 1) ^ (uint)(n >> 31))); }

        public void Fixed32(uint tag, uint n)
        {
            Varint(tag);
            for (int i = 0; i < 4; i++) Put((byte)(n >> (8 * i)));
        }

        public void String(uint tag, string s)
        {
            var b = Encoding.UTF8.GetBytes(s);
            Varint(tag);
            Bytes(b, b.Length);
        }

        public void Message(uint tag, IMessage m)
        {
            var inner = new WireWriter();
            m.WriteTo(inner);
            Varint(tag);
            Bytes(inner.bytes, inner.Length);
        }

        public void Packed(uint tag, List<uint> list)
        {
            if (list.Count == 0) return;
            var inner = new WireWriter();
            foreach (uint n in list) inner.Varint(n);
            Varint(tag);
            Bytes(inner.bytes, inner.Length);
        }

        private void Varint(uint n)
        {
            for (; n >= 0x80; n >>= 7) Put((byte)(n | 0x80));
            Put((byte)n);
        }

        public void Bytes(uint tag, byte[] b)
        {
            Varint(tag);
            Bytes(b, b.Length);
        }

        private void Bytes(byte[] b, int n)
        {
            Varint((uint)n);
            Grow(n);
            Array.Copy(b, 0, bytes, Length, n);
            Length += n;
        }

        private void Put(byte b)
        {
            Grow(1);
            bytes[Length++] = b;
        }

        private void Grow(int n)
        {
            if (Length + n > bytes.Length) Array.Resize(ref bytes, Math.Max(2 * bytes.Length, Length + n));
        }
    }
}
