using System;
using System.IO;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;

namespace Fogkeep
{
    /// <summary>
    /// The websocket of .NET, Unity (not in a browser) and Godot. It asks for no extension and no subprotocol, and bounds
    /// the bytes of a message.
    /// </summary>
    public sealed class WebSocketClient : ISocket
    {
        private readonly ClientWebSocket socket = new ClientWebSocket();
        private readonly byte[] buffer = new byte[16 << 10];

        public Task ConnectAsync(Uri uri, CancellationToken cancel) { return socket.ConnectAsync(uri, cancel); }

        public async Task<byte[]> ReceiveAsync(CancellationToken cancel)
        {
            MemoryStream parts = null;
            for (; ; )
            {
                var r = await socket.ReceiveAsync(new ArraySegment<byte>(buffer), cancel).ConfigureAwait(false);
                if (r.MessageType == WebSocketMessageType.Close) return null;
                if (r.MessageType != WebSocketMessageType.Binary) throw new FogkeepException(ErrorCodes.BadFrame, "the server sent a text message", true);
                if ((parts == null ? 0 : parts.Length) + r.Count > Limits.ServerBytes)
                    throw new FogkeepException(ErrorCodes.BadFrame, "a message of more than " + Limits.ServerBytes + " bytes", true);
                if (r.EndOfMessage && parts == null)
                {
                    var whole = new byte[r.Count];
                    Array.Copy(buffer, whole, r.Count);
                    return whole;
                }
                parts = parts ?? new MemoryStream();
                parts.Write(buffer, 0, r.Count);
                if (r.EndOfMessage) return parts.ToArray();
            }
        }

        public Task SendAsync(byte[] message, CancellationToken cancel)
        {
            return socket.SendAsync(new ArraySegment<byte>(message), WebSocketMessageType.Binary, true, cancel);
        }

        public Task CloseAsync(CancellationToken cancel)
        {
            return socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, "", cancel);
        }

        public void Dispose()
        {
            socket.Abort();
            socket.Dispose();
        }
    }
}
