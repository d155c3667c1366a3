using System.Collections.Generic;
using System.Threading.Tasks;

namespace Fogkeep
{
    /// <summary>An order, a line of chat or a ping that was given to a <see cref="Match"/>.</summary>
    public sealed class Sent
    {
        private readonly TaskCompletionSource<Reply> source = new TaskCompletionSource<Reply>();

        /// <summary>Its number; 0: this client refused it and never sent it.</summary>
        public uint Seq { get; }

        /// <summary>The answer; null while there is none.</summary>
        public Reply Reply { get; private set; }

        /// <summary>Ends with the answer, inside a call of <see cref="Match.Update"/>. It never fails.</summary>
        public Task<Reply> Answered { get { return source.Task; } }

        internal double GivenMs; // of an order that is sent

        internal Sent(uint seq) { Seq = seq; }

        internal void Settle(Reply r)
        {
            Reply = r;
            source.TrySetResult(r);
        }
    }

    /// <summary>An answer.</summary>
    public sealed class Reply
    {
        /// <summary>A code of this client: the connection ended for good before an answer came.</summary>
        public const string Lost = "LOST";
        /// <summary>A code of this client: too many numbers have no answer yet.</summary>
        public const string BacklogFull = "BACKLOG_FULL";
        /// <summary>A code of this client: the line, or the order, has more bytes than the server takes.</summary>
        public const string TooLong = "TOO_LONG";

        /// <summary>The order was accepted, for all units but those that were left out.</summary>
        public bool Accepted { get { return Code == "OK"; } }

        /// <summary>A code of the welcome ("OK", "TARGET_LOST", …), or one of this client.</summary>
        public string Code { get; }

        /// <summary>Units that did not get an accepted order, and why: the first 32 of them.</summary>
        public IReadOnlyList<KeyValuePair<uint, string>> LeftOut { get; }

        internal Reply(string code, IReadOnlyList<KeyValuePair<uint, string>> leftOut = null)
        {
            Code = code;
            LeftOut = leftOut ?? new KeyValuePair<uint, string>[0];
        }
    }
}
