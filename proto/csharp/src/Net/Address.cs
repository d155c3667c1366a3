using System;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Fogkeep
{
    /// <summary>The addresses that a server names: of the server that has a match now.</summary>
    internal static class Address
    {
        /// <summary>Where the sockets of replays are.</summary>
        public const string ReplayPath = "/ws/replay";

        private const int Longest = 512;
        private static readonly Regex plain = new Regex(@"\A(https?|wss?)://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?(/[A-Za-z0-9._~/-]*)?\z", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant);

        /// <summary>
        /// The websocket of a server that was named over the connection over, itself a websocket's address; "" if it is
        /// not to be followed. http:// and https:// are a server, whose sockets are at its /ws, those of replays at its
        /// /ws/replay (where over is one of these); ws:// and wss:// are the socket. Over TLS no address without TLS is
        /// taken: the right to a seat never leaves it.
        /// </summary>
        public static string Of(string told, string over)
        {
            if (told == null || told.Length > Longest || told.Contains("/.")) return "";
            var m = plain.Match(told);
            if (!m.Success) return "";
            string named = m.Groups[1].Value.ToLowerInvariant(), path = m.Groups[4].Value;
            string scheme = named.Replace("http", "ws"), port = m.Groups[3].Value;
            if (scheme == "ws" && IsSecure(over)) return "";
            if (port != "")
            {
                int number = int.Parse(port, CultureInfo.InvariantCulture);
                if (number > 65535) return "";
                port = number == (scheme == "ws" ? 80 : 443) ? "" : ":" + port;
            }
            if (named != scheme) path = path.TrimEnd('/') + (over.EndsWith(ReplayPath, StringComparison.Ordinal) ? ReplayPath : "/ws");
            else if (path == "" || path == "/") path = "/ws";
            return scheme + "://" + m.Groups[2].Value.ToLowerInvariant() + port + path;
        }

        /// <summary>Whether a socket's address is one with TLS.</summary>
        public static bool IsSecure(string address) { return address.StartsWith("wss:", StringComparison.OrdinalIgnoreCase); }
    }
}
