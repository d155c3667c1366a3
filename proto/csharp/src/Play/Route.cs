using System;
using System.Collections.Generic;
using System.Linq;

namespace Fogkeep
{
    /// <summary>
    /// Which address a match tries next. It can be on another server than the one that gave the ticket, and can move
    /// while it is played.
    ///
    /// <para>The right to the seat is shown only to addresses that the caller gave, or that a server named over a
    /// connection that was as secure. Once a connection had TLS, only addresses with TLS are tried.</para>
    /// </summary>
    internal sealed class Route
    {
        private const int HopsMax = 4, AskedMax = 5, OthersMax = 4, OpenQuick = 6, QuickMax = 14;
        private const double HopsMs = 10000, OpenMs = 1500, ConnectMs = 10000, QuickMs = 600, PauseMaxMs = 5000, BackMs = 1000;

        private readonly string home;
        private readonly Random random;
        private readonly Queue<double> hops = new Queue<double>(); // when a move was followed
        private List<string> others = new List<string>();
        private string at, cameFrom = "";
        private int turn, attempts, asked;
        private bool secure;

        /// <summary>home is the service's socket; at, told by it, is where the match is, or null.</summary>
        public Route(string home, string at, Random random)
        {
            this.home = home;
            this.random = random;
            this.at = Fogkeep.Address.Of(at, home);
            Address = Place;
        }

        /// <summary>The socket for the next attempt.</summary>
        public string Address { get; private set; }

        /// <summary>Where the match was last, or is said to be.</summary>
        public string Place { get { return at != "" ? at : home; } }

        /// <summary>How long the next attempt may take to connect: a machine that is gone does not even refuse.</summary>
        public double PatienceMs { get { return All().Count > 1 && attempts < OpenQuick ? OpenMs : ConnectMs; } }

        /// <summary>The connection to the address has the seat. servers are further ones of the service.</summary>
        public void Welcomed(IEnumerable<string> servers)
        {
            secure = secure || Fogkeep.Address.IsSecure(Address);
            at = Address;
            others = servers.Take(OthersMax).Select(s => Fogkeep.Address.Of(s, Address)).Where(s => s != "").ToList();
            turn = attempts = asked = 0;
        }

        /// <summary>The server says where the match is, or "": it does not know yet. Returns the wait before the next attempt.</summary>
        public double Moved(string url, double now)
        {
            while (hops.Count > 0 && now - hops.Peek() >= HopsMs) hops.Dequeue();
            string to = Fogkeep.Address.Of(url, Address);
            bool back = to == cameFrom && hops.Count > 0 && now - hops.Last() < BackMs; // the match is on its way
            if (to != "" && !back)
            {
                cameFrom = Address;
                at = Address = to;
                turn = 0;
                if (hops.Count >= HopsMax) return Pause();
                hops.Enqueue(now);
                return 0;
            }
            if (++asked % AskedMax == 0) Advance();
            return Pause();
        }

        /// <summary>The attempt, or the connection, failed. Returns the wait before the next attempt.</summary>
        public double Lost()
        {
            if (attempts > 0) Advance(); // else go where the match was: perhaps only the connection is gone
            return Pause();
        }

        private void Advance()
        {
            var all = All();
            turn = (turn + 1) % all.Count;
            Address = all[turn];
        }

        private List<string> All()
        {
            return new[] { Place, home }.Concat(others).Distinct().Where(a => !secure || Fogkeep.Address.IsSecure(a)).ToList();
        }

        // Short at first: a match whose server died is on another one after about two seconds.
        private double Pause()
        {
            attempts++;
            double most = attempts < 3 ? attempts * 200 : Math.Min(PauseMaxMs, QuickMs * Math.Pow(2, Math.Min(10, Math.Max(0, attempts - QuickMax))));
            return most * (0.5 + random.NextDouble() / 2);
        }
    }
}
