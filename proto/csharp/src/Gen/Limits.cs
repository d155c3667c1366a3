// Made by internal/tools/csharp from proto/wire/limits.go: the bounds of what a client sends.
namespace Fogkeep
{
    /// <summary>Bounds of what a client sends. docs/reference/protocol.md says what happens beyond each.</summary>
    public static class Limits
    {
        /// <summary>The version of the protocol.</summary>
        public const uint Protocol = 1;
        /// <summary>The most bytes of one message of a server.</summary>
        public const int ServerBytes = 4194304;
        /// <summary>From the open socket to the hello, s.</summary>
        public const int HelloSeconds = 5;
        /// <summary>Without any message, pong included, s.</summary>
        public const int SilenceSeconds = 30;
        /// <summary>A ticket or resume token, bytes.</summary>
        public const int CredentialBytes = 256;
        /// <summary>One message, bytes.</summary>
        public const int MessageBytes = 16384;
        /// <summary>Of one client in one tick, messages.</summary>
        public const int MessagesATick = 4;
        /// <summary>One message, orders.</summary>
        public const int OrdersAMessage = 64;
        /// <summary>Chat lines (says) of one message, lines.</summary>
        public const int LinesAMessage = 4;
        /// <summary>One message, pings.</summary>
        public const int PingsAMessage = 4;
        /// <summary>Units of one order, handles.</summary>
        public const int UnitsAnOrder = 2048;
        /// <summary>What of BUILD and TRAIN.</summary>
        public const int OrderType = 65535;
        /// <summary>What of ABILITY and STOP_ABILITY.</summary>
        public const int OrderAbility = 255;
        /// <summary>What of CANCEL.</summary>
        public const int OrderItem = 255;
        /// <summary>A chat line in UTF-8, bytes.</summary>
        public const int LineBytes = 256;
        /// <summary>Together, after a pause, lines and pings.</summary>
        public const int LinesAtOnce = 5;
        /// <summary>Together, sustained, lines and pings.</summary>
        public const int LinesASecond = 1;
        /// <summary>A seq further than this below the highest sent, numbers.</summary>
        public const int NumbersKept = 256;
        /// <summary>X, y and radius of the camera, tiles.</summary>
        public const int CameraTiles = 1024;
    }
}
