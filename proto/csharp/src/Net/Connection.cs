using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

namespace Fogkeep
{
    /// <summary>
    /// One connection with its two tasks: one reads into a bounded inbox, one writes from a bounded outbox. The owner
    /// calls the methods from one thread; only queues and flags are shared.
    /// </summary>
    internal sealed class Connection
    {
        private const int InboxMessages = 1024, InboxBytes = 16 << 20, OutboxMessages = 64, FullMs = 10;

        private readonly ConcurrentQueue<byte[]> inbox = new ConcurrentQueue<byte[]>(), outbox = new ConcurrentQueue<byte[]>();
        private readonly SemaphoreSlim toSend = new SemaphoreSlim(0);
        private readonly CancellationTokenSource stop = new CancellationTokenSource();
        private readonly ISocket socket;
        private int inboxBytes;
        private readonly Task running;
        private volatile bool leaving;
        private volatile FogkeepException error;

        /// <summary>
        /// Opens a connection, for which there is so much time. prepare is called with its first message, before anybody
        /// gets it.
        /// </summary>
        public Connection(ISocket socket, Uri uri, byte[] hello, Func<byte[], CancellationToken, Task> prepare, int connectMs)
        {
            this.socket = socket;
            running = Run(uri, hello, prepare, connectMs); // it never fails
        }

        /// <summary>No message will come any more, besides those in the inbox.</summary>
        public bool Ended { get { return running.IsCompleted; } }

        /// <summary>Why it ended; null if the server closed it.</summary>
        public FogkeepException Error { get { return error; } }

        public bool TryReceive(out byte[] message)
        {
            if (!inbox.TryDequeue(out message)) return false;
            Interlocked.Add(ref inboxBytes, -message.Length);
            return true;
        }

        /// <summary>Queues a message. False: the queue is full, since the network takes nothing.</summary>
        public bool Send(byte[] message)
        {
            if (Ended || leaving || outbox.Count >= OutboxMessages) return false;
            outbox.Enqueue(message);
            toSend.Release();
            return true;
        }

        /// <summary>Ends the connection as a lost network would.</summary>
        public void Abort() { stop.Cancel(); }

        /// <summary>Sends what is queued, says good-bye and ends.</summary>
        public void Leave()
        {
            leaving = true;
            toSend.Release();
            stop.CancelAfter(1000);
        }

        private async Task Run(Uri uri, byte[] hello, Func<byte[], CancellationToken, Task> prepare, int connectMs)
        {
            Task writer = null;
            try
            {
                using (var limit = CancellationTokenSource.CreateLinkedTokenSource(stop.Token))
                {
                    limit.CancelAfter(connectMs);
                    await socket.ConnectAsync(uri, limit.Token).ConfigureAwait(false);
                    await socket.SendAsync(hello, limit.Token).ConfigureAwait(false);
                }
                writer = Write();
                byte[] message = await socket.ReceiveAsync(stop.Token).ConfigureAwait(false);
                if (message != null) await prepare(message, stop.Token).ConfigureAwait(false);
                while (message != null)
                {
                    // A game that does not look for a while stops the reader, and in the end the server.
                    while (inbox.Count >= InboxMessages || Volatile.Read(ref inboxBytes) >= InboxBytes)
                        await Task.Delay(FullMs, stop.Token).ConfigureAwait(false);
                    Interlocked.Add(ref inboxBytes, message.Length);
                    inbox.Enqueue(message);
                    message = await socket.ReceiveAsync(stop.Token).ConfigureAwait(false);
                }
            }
            catch (FogkeepException err)
            {
                error = err;
            }
            catch (Exception err) // whatever a socket throws: the connection is lost
            {
                error = new FogkeepException(ErrorCodes.Unreachable, "the connection to " + uri + " failed: " + err.Message, true, err);
            }
            stop.Cancel();
            if (writer != null) await writer.ConfigureAwait(false);
            socket.Dispose();
        }

        private async Task Write()
        {
            try
            {
                for (; ; )
                {
                    await toSend.WaitAsync(stop.Token).ConfigureAwait(false);
                    byte[] message;
                    if (outbox.TryDequeue(out message)) await socket.SendAsync(message, stop.Token).ConfigureAwait(false);
                    else if (leaving)
                    {
                        await socket.CloseAsync(stop.Token).ConfigureAwait(false);
                        return;
                    }
                }
            }
            catch (Exception err) // the reader ends too
            {
                if (!stop.IsCancellationRequested) error = new FogkeepException(ErrorCodes.Unreachable, "sending failed: " + err.Message, true, err);
                stop.Cancel();
            }
        }
    }
}
