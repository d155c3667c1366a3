using System;
using System.Collections.Generic;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>
    /// Orders, lines of chat and pings without an answer. They are sent within the server's limits, no faster than the
    /// server answers, and again on each new connection until they are answered.
    /// </summary>
    internal sealed class Backlog
    {
        private const int InFlightMax = 2 * Limits.MessagesATick, OtherBytes = 128, PartBytes = 6;
        private const double LateMs = 10000; // without an answer so long, an entry is sent again

        private sealed class Entry
        {
            public uint Seq;
            public Order Order;
            public Say Say;
            public MapPing Ping;
            public int Bytes;
            public Sent Sent;
            public Flight Flight; // that carried it on this connection; null: it waits
            public double SentMs;
        }

        private sealed class Flight { public int Open; }

        /// <summary>
        /// The server's rate limit of one kind, counted by the server's ticks. It never exceeds the server's own count,
        /// since an answer arrives later than the order was counted there.
        /// </summary>
        private struct Credit
        {
            public double PerTick, Most, Left;
            public int InFlight;

            public bool Free { get { return Math.Floor(Left) - InFlight > 0; } }
            public void Set(double perTick, double most) { PerTick = perTick; Left = Most = most; }
            public void Refill(uint ticks) { Left = Math.Min(Most, Left + ticks * PerTick); }
            public void Take() { Left = Math.Max(0, Left - 1); }
        }

        private readonly LinkedList<Entry> entries = new LinkedList<Entry>(); // by rising number
        private readonly Dictionary<uint, LinkedListNode<Entry>> bySeq = new Dictionary<uint, LinkedListNode<Entry>>();
        private int flights;
        private Credit orders, lines;

        /// <summary>How many numbers have no answer.</summary>
        public int Count { get { return entries.Count; } }

        /// <summary>Whether one more number can wait: the server remembers only the last ones.</summary>
        public bool Takes(uint seq) { return entries.First == null || seq - entries.First.Value.Seq < Limits.NumbersKept; }

        /// <summary>Takes over the rates of a welcome. A burst of 0 is no limit.</summary>
        public void Pace(Welcome w)
        {
            double rate = Math.Max(1, w.TickRate);
            orders.Set(w.OrdersPerS / rate, w.OrderBurst > 0 ? w.OrderBurst : double.PositiveInfinity);
            lines.Set(Limits.LinesASecond / rate, Limits.LinesAtOnce);
        }

        /// <summary>The server's clock went on: to be called before the answers of that frame.</summary>
        public void Ticks(uint n)
        {
            orders.Refill(n);
            lines.Refill(n);
        }

        /// <summary>Adds one part of a message with a number. False: it alone is too long for a message.</summary>
        public bool Add(Sent sent, Order order, Say say, MapPing ping)
        {
            IMessage m = order != null ? order : say != null ? (IMessage)say : ping;
            var e = new Entry { Seq = sent.Seq, Order = order, Say = say, Ping = ping, Sent = sent, Bytes = WireWriter.Write(m).Length + PartBytes };
            if (e.Bytes > Limits.MessageBytes - OtherBytes) return false;
            bySeq[e.Seq] = entries.AddLast(e);
            return true;
        }

        /// <summary>Removes what was answered; null: it had its answer before.</summary>
        public Sent Answered(uint seq)
        {
            LinkedListNode<Entry> node;
            if (!bySeq.TryGetValue(seq, out node)) return null;
            bySeq.Remove(seq);
            entries.Remove(node);
            TakeBack(node.Value);
            if (node.Value.Order != null) orders.Take();
            else lines.Take();
            return node.Value.Sent;
        }

        /// <summary>On a new connection everything is sent again.</summary>
        public void Again()
        {
            foreach (var e in entries) TakeBack(e);
        }

        /// <summary>Removes and returns all.</summary>
        public List<Sent> Drain()
        {
            var all = new List<Sent>();
            foreach (var e in entries) all.Add(e.Sent);
            Again();
            entries.Clear();
            bySeq.Clear();
            return all;
        }

        /// <summary>Adds to a message what may be sent now. Returns whether that is anything.</summary>
        public bool Fill(ClientFrame f, double nowMs)
        {
            foreach (var e in entries) if (e.Flight != null && nowMs - e.SentMs >= LateMs) TakeBack(e);
            if (flights >= InFlightMax) return false;
            int room = Limits.MessageBytes - OtherBytes;
            bool ordersWait = false, linesWait = false;
            var flight = new Flight();
            foreach (var e in entries)
            {
                if (e.Flight != null) continue;
                if (e.Bytes > room) break;
                // Each kind keeps its order. Chat and pings that have to wait do not delay orders.
                if (e.Order != null)
                {
                    if (ordersWait |= f.Orders.Count >= Limits.OrdersAMessage || !orders.Free) continue;
                    f.Orders.Add(e.Order);
                    orders.InFlight++;
                }
                else
                {
                    if (linesWait |= f.Says.Count >= Limits.LinesAMessage || f.Pings.Count >= Limits.PingsAMessage || !lines.Free) continue;
                    if (e.Say != null) f.Says.Add(e.Say);
                    else f.Pings.Add(e.Ping);
                    lines.InFlight++;
                }
                room -= e.Bytes;
                e.Flight = flight;
                e.SentMs = nowMs;
                flight.Open++;
            }
            if (flight.Open > 0) flights++;
            return flight.Open > 0;
        }

        private void TakeBack(Entry e)
        {
            if (e.Flight == null) return;
            if (--e.Flight.Open == 0) flights--;
            e.Flight = null;
            if (e.Order != null) orders.InFlight--;
            else lines.InFlight--;
        }
    }
}
