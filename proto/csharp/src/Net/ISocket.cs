using System;
using System.Threading;
using System.Threading.Tasks;

namespace Fogkeep
{
    /// <summary>
    /// One websocket connection. A game on a platform without <c>System.Net.WebSockets</c> brings its own. One receive
    /// and one send run at a time, beside each other. A method that fails throws, whatever the exception.
    /// </summary>
    public interface ISocket : IDisposable
    {
        Task ConnectAsync(Uri uri, CancellationToken cancel);
        /// <summary>The next binary message; null when the peer has closed. A text message is an error.</summary>
        Task<byte[]> ReceiveAsync(CancellationToken cancel);
        /// <summary>Sends one binary message.</summary>
        Task SendAsync(byte[] message, CancellationToken cancel);
        /// <summary>Says good-bye: the client leaves on purpose.</summary>
        Task CloseAsync(CancellationToken cancel);
    }
}
