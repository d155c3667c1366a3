using System;

namespace Fogkeep
{
    /// <summary>
    /// Every error of this library. Programs decide by <see cref="Code"/>; the message is for people.
    /// A code is one of <see cref="ErrorCodes"/>, the code of a closing (docs/reference/protocol.md, "Why a connection
    /// ends"), or the code of a refused call of the lobby.
    /// </summary>
    public sealed class FogkeepException : Exception
    {
        /// <summary>What went wrong, for programs.</summary>
        public string Code { get; }
        /// <summary>The same call may succeed later.</summary>
        public bool Retry { get; }
        /// <summary>The HTTP status of a refused call of the lobby; 0 for other errors.</summary>
        public int Status { get; }
        /// <summary>How long the server asks to wait before another attempt; zero if it does not say.</summary>
        public TimeSpan RetryAfter { get; }

        public FogkeepException(string code, string message, bool retry = false, Exception inner = null, int status = 0, TimeSpan retryAfter = default(TimeSpan))
            : base(message, inner)
        {
            Code = code;
            Retry = retry;
            Status = status;
            RetryAfter = retryAfter;
        }
    }

    /// <summary>The codes of errors that this library finds itself.</summary>
    public static class ErrorCodes
    {
        /// <summary>The bytes are no message of a server, or exceed a bound.</summary>
        public const string BadFrame = "bad_frame";
        /// <summary>A frame does not follow from the frames before. The client needs a snapshot.</summary>
        public const string BrokenStream = "broken_stream";
        /// <summary>The client cannot play by this welcome. A new connection does not help.</summary>
        public const string BadWelcome = "bad_welcome";
        /// <summary>The bytes are no map.</summary>
        public const string MapFormat = "map_format";
        /// <summary>The text is no JSON, or exceeds a bound.</summary>
        public const string BadJson = "bad_json";
        /// <summary>The server could not be reached, or the connection broke.</summary>
        public const string Unreachable = "unreachable";
        /// <summary>The connection was lost, and the server has not answered for several minutes.</summary>
        public const string Gone = "gone";
        /// <summary>The server opened a match, not a replay.</summary>
        public const string NoReplay = "no_replay";
        /// <summary>The eyes of a replay of a match that runs are those of the spectator's seat.</summary>
        public const string EyesFixed = "eyes_fixed";
        /// <summary>The lobby's answer is not what the call is specified to return.</summary>
        public const string BadAnswer = "bad_answer";
    }
}
