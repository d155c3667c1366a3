using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace Fogkeep.Tests
{
    /// <summary>The websocket, against a peer that the test writes byte by byte.</summary>
    public static class SocketTests
    {
        /// <summary>Connects to a peer, which answers the handshake and then does something; then runs the client's part.</summary>
        private static void With(Action<NetworkStream> peer, Action<WebSocketClient, Action> client, string status = "101 Switching Protocols")
        {
            var listener = new TcpListener(IPAddress.Loopback, 0);
            listener.Start();
            var serving = Task.Run(() =>
            {
                using (var tcp = listener.AcceptTcpClient())
                {
                    tcp.ReceiveTimeout = tcp.SendTimeout = 5000;
                    var s = tcp.GetStream();
                    var head = new StringBuilder();
                    while (!head.ToString().EndsWith("\r\n\r\n")) head.Append((char)s.ReadByte());
                    string key = Regex.Match(head.ToString(), "Sec-WebSocket-Key: *(\\S+)", RegexOptions.IgnoreCase).Groups[1].Value;
                    string accept = Convert.ToBase64String(SHA1.Create().ComputeHash(Encoding.ASCII.GetBytes(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")));
                    var answer = Encoding.ASCII.GetBytes("HTTP/1.1 " + status + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n");
                    s.Write(answer, 0, answer.Length);
                    try
                    {
                        peer(s);
                    }
                    catch (IOException) { } // the client has gone
                }
            });
            using (var c = new WebSocketClient())
            {
                var uri = new Uri("ws://127.0.0.1:" + ((IPEndPoint)listener.LocalEndpoint).Port + "/ws");
                client(c, () => c.ConnectAsync(uri, new CancellationTokenSource(5000).Token).Wait());
            }
            serving.Wait(5000);
            listener.Stop();
        }

        private static void Fails(string what, Action call)
        {
            try
            {
                call();
            }
            catch (AggregateException)
            {
                return;
            }
            throw new FailedCheck(what + " is taken");
        }

        public static void MessagesAreReadWholeAndPingsAnswered()
        {
            var pong = new byte[0];
            var big = Enumerable.Range(0, 100000).Select(i => (byte)i).ToArray();
            With(s =>
            {
                Write(s, FrameOf(9, new byte[] { 1, 2 }));
                Write(s, FrameOf(2, new byte[] { 5, 6 }, false));
                Write(s, FrameOf(0, new byte[] { 7 }));
                Write(s, FrameOf(2, new byte[0]));
                Write(s, FrameOf(2, big));
                var b = new byte[8]; // a pong, masked: 2 + 4 + 2 bytes
                for (int n = 0; n < b.Length;) n += s.Read(b, n, b.Length - n);
                pong = b;
                Write(s, FrameOf(8, new byte[] { 3, 0xe8 }));
            }, (c, connect) =>
            {
                connect();
                Check.Equal(BitConverter.ToString(Receive(c)), "05-06-07", "a message in two parts");
                Check.Equal(Receive(c).Length, 0, "an empty message");
                Check.That(Receive(c).SequenceEqual(big), "a message of 100,000 bytes");
                Check.That(Receive(c) == null, "the close is no end");
            });
            Check.Equal(pong[0] & 0x0f, 10, "the kind of what answers a ping");
            Check.Equal((pong[6] ^ pong[2]) + " " + (pong[7] ^ pong[3]), "1 2", "what it carries");
        }

        public static void WhatNoServerSendsIsAnError()
        {
            With(s => Write(s, FrameOf(1, new byte[] { 65 })), (c, connect) =>
            {
                connect();
                Fails("a text message", () => Receive(c));
            });
            With(s => Write(s, FrameOf(2, new byte[Limits.ServerBytes + 1])), (c, connect) =>
            {
                connect();
                Fails("a message that is too long", () => Receive(c));
            });
            With(s => { }, (c, connect) => // the connection ends without a close
            {
                connect();
                Fails("a connection that broke", () => Receive(c));
            });
            With(s => { }, (c, connect) => Fails("a server that refuses", connect), "403 Forbidden");
        }

        private static byte[] Receive(WebSocketClient c)
        {
            return c.ReceiveAsync(new CancellationTokenSource(5000).Token).Result;
        }

        /// <summary>A frame of a server: not masked.</summary>
        private static byte[] FrameOf(int opcode, byte[] payload, bool last = true)
        {
            var head = new MemoryStream();
            head.WriteByte((byte)((last ? 0x80 : 0) | opcode));
            if (payload.Length < 126) head.WriteByte((byte)payload.Length);
            else
            {
                head.WriteByte(127);
                for (int i = 7; i >= 0; i--) head.WriteByte((byte)((long)payload.Length >> (8 * i)));
            }
            return head.ToArray().Concat(payload).ToArray();
        }

        private static void Write(NetworkStream s, byte[] b) { s.Write(b, 0, b.Length); }
    }
}
