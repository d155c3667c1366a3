using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>How a <see cref="Match"/> connects.</summary>
    public class MatchOptions
    {
        /// <summary>The server's address for players, such as http://127.0.0.1:8080.</summary>
        public Uri Server;
        /// <summary>From the lobby.</summary>
        public string Ticket;
        /// <summary>The server that has the match, if the lobby says so: <see cref="SeatTicket.At"/>. It is followed unless that would leave TLS.</summary>
        public string At;
        /// <summary>Compute the mask here: otherwise the server sends rows of it, which costs bytes.</summary>
        public bool DerivesFog = true;
        /// <summary>Makes a socket for each connection. Default: <see cref="WebSocketClient"/>.</summary>
        public Func<ISocket> Socket;
        /// <summary>Reads the bytes of the map with a hash. Default: GET /maps/{hash} of the server.</summary>
        public Func<string, CancellationToken, Task<byte[]>> FetchMap;
        /// <summary>Local milliseconds that only rise. Default: a stopwatch.</summary>
        public Func<double> Clock;

        internal string Path = "/ws";
        internal Func<string> Beside; // of a second connection to a replay: the first one's resume token
    }

    /// <summary>Where a match stands.</summary>
    public enum MatchStatus
    {
        /// <summary>There was no welcome yet.</summary>
        Joining,
        /// <summary>The connection is open.</summary>
        Live,
        /// <summary>The connection was lost. The seat is kept, and the client tries again by itself.</summary>
        Resuming,
        /// <summary>It is over for this client: <see cref="Match.Error"/> says why.</summary>
        Closed,
    }

    /// <summary>
    /// Plays one seat of a match: connects, keeps the state, acknowledges, sends orders, resumes after a lost
    /// connection, and follows the match to another server.
    ///
    /// <para>The game calls <see cref="Update"/> once for each picture, always from the same thread. State changes and events
    /// happen only inside that call. The socket is served by tasks of its own, which touch nothing of the match. An exception
    /// of a listener leaves Update; the state is whole, and the next call goes on.</para>
    /// </summary>
    public sealed class Match : IDisposable
    {
        private const double GiveUpMs = 5 * 60000, JoinMs = 20000, WelcomeMs = 15000;
        private const double SilenceMs = 12000; // the server sends at least once a second
        private const double ResyncMs = 5000, FaultMs = 60000, CameraMs = 260;
        private const double DrawMsMax = 100; // after a longer pause of drawing, corrections fade as after this one
        private const int ShotNumbers = 1 << 20; // numbers begin by chance: another program that had this seat before used others
        private const int FaultsMax = 4, MapTries = 4, MapWaitMs = 500;
        private static readonly HashSet<string> faults = new HashSet<string> { "bad_message", "too_big", "text_message", "bad_frame", "broken_stream" };

        private readonly MatchOptions options;
        private readonly Route route;
        private readonly Func<double> clock;
        private readonly Backlog backlog = new Backlog();
        private readonly Random random = new Random();
        private readonly object mapLock = new object();
        private GameMap map; // that the reader fetched, under mapLock
        private Connection connection;
        private FogkeepException closing;
        private string movedTo; // what the server said of where the match is; null: nothing
        private bool lost, welcomed, ackDue, paceDue, cameraDue, resyncWanted, wrong;
        private int faultCount;
        private double openedMs, heardMs, drawnMs, lostMs, nextMs, lastFaultMs = double.NegativeInfinity, resyncMs = double.NegativeInfinity, cameraMs = double.NegativeInfinity;
        private Camera camera;
        private readonly Pace pace = new Pace();
        private readonly Network network = new Network();
        private SetSpeed speedWish;
        private Vote vote;
        private uint shotNumber; // of the next shot that is drawn ahead

        public Match(MatchOptions options)
        {
            this.options = options;
            if (options.Server == null) throw new ArgumentException("MatchOptions.Server is not set");
            var home = new UriBuilder(options.Server) { Scheme = options.Server.Scheme == "https" ? "wss" : "ws", Path = options.Server.AbsolutePath.TrimEnd('/') + options.Path }.Uri;
            route = new Route(home.AbsoluteUri, options.At, random);
            var watch = Stopwatch.StartNew();
            clock = options.Clock ?? (() => watch.Elapsed.TotalMilliseconds);
            State = new MatchState(MapOf, options.DerivesFog);
            shotNumber = 1 + (uint)random.Next(ShotNumbers);
            nextMs = lostMs = clock();
        }

        /// <summary>All that the client knows. Its members are null before the first welcome.</summary>
        public MatchState State { get; }
        /// <summary>The estimate of the server's tick; null before the first welcome.</summary>
        public MatchClock Clock { get; private set; }
        public MatchStatus Status { get; private set; }
        /// <summary>Why the match is closed; null before. The code "ended" is the usual end.</summary>
        public FogkeepException Error { get; private set; }
        /// <summary>The address at which the match was last.</summary>
        public string Place { get { return route.Place; } }
        /// <summary>How often a snapshot was asked for because the state was wrong.</summary>
        public int Resyncs { get; private set; }
        /// <summary>How often the connection was resumed.</summary>
        public int Resumes { get; private set; }
        /// <summary>Orders, lines and pings without an answer.</summary>
        public int Unanswered { get { return backlog.Count; } }
        /// <summary>
        /// The tick to draw now, with a fraction: see <see cref="Entity.PlaceAt(double, out double, out double)"/>. Without
        /// frames it goes on for a second, then stands still.
        /// </summary>
        public double DrawTick
        {
            get
            {
                if (Clock == null || !Clock.Ready) return State.Tick;
                return Math.Min(Clock.DrawTick(clock()), State.Tick + (State.Replica.Ended != null ? 0 : 1000 / Clock.TickMs));
            }
        }

        /// <summary>
        /// Sets where everything is drawn now: <see cref="Entity.DrawnX"/>, <see cref="Entity.DrawnY"/> and
        /// <see cref="Entity.DrawnAngle"/>. Corrections fade, and the player's orders show before the server has acted on them.
        /// The game calls it once for each picture, after <see cref="Update"/>.
        /// </summary>
        public void Draw()
        {
            if (State.Replica == null || State.Tick == 0) return;
            double now = clock();
            if (drawnMs > 0) network.Drew(now - drawnMs);
            State.Drawing.Sample(DrawTick, Math.Max(0, Math.Min(DrawMsMax, now - drawnMs)), 1000 / Clock.TickMs / Math.Max(1, State.Welcome.TickRate));
            drawnMs = now;
        }

        /// <summary>A frame was applied.</summary>
        public event Action<Frame> FrameApplied;
        /// <summary>An order, a line or a ping was answered.</summary>
        public event Action<Sent> Answered;
        /// <summary>Somebody said something; also while the match is paused. With Handed: what became of the units of a player of the team.</summary>
        public event Action<Said> Said;
        /// <summary>A player of the team pinged a place.</summary>
        public event Action<Pinged> Pinged;
        /// <summary>The match has ended.</summary>
        public event Action<Ended> Ended;
        /// <summary>Hears what a replay's server says besides frames; returns false for what does not fit.</summary>
        internal Func<Frame, bool> Watcher;

        /// <summary>The status changed.</summary>
        public event Action<MatchStatus> StatusChanged;
        /// <summary>
        /// The packet log: each message that the client takes in, before it applies it, and each that it sends besides the
        /// hello. Without a listener it costs nothing.
        /// </summary>
        public event Action<Packet> Packet;

        /// <summary>Takes in what has arrived, and sends what is due. It never waits.</summary>
        public void Update()
        {
            if (Status == MatchStatus.Closed) return;
            double now = clock();
            if (connection == null)
            {
                if (now >= nextMs) Open(now);
                return;
            }
            bool ended = connection.Ended; // before the inbox: what came last is in it
            byte[] message;
            while (connection != null && connection.TryReceive(out message))
            {
                heardMs = now;
                if (Packet != null) Packet(PacketReader.Read(message, true, State));
                Take(message, now);
                if (Status == MatchStatus.Closed) return;
            }
            if (connection == null) return;
            if (ended) Lost(connection.Error, now);
            else if (now - (welcomed ? heardMs : openedMs) > (welcomed ? SilenceMs : WelcomeMs)) Drop("the server is silent", now);
            else if (welcomed) Flush(now);
        }

        /// <summary>
        /// Gives an order, to be sent in the next <see cref="Update"/>, or when the connection is back. Never throws: what
        /// this client refuses has its answer already.
        /// </summary>
        public Sent Send(Order order)
        {
            return Enqueue(seq =>
            {
                order.Seq = seq;
                return order;
            });
        }

        /// <summary>Says a line to the team, or to everybody.</summary>
        public Sent Say(string text, bool all = false)
        {
            if (Encoding.UTF8.GetByteCount(text) > Limits.LineBytes) return Refused(Reply.TooLong);
            return Enqueue(seq => new Say { Seq = seq, Text = text, All = all });
        }

        /// <summary>Pings a place, in world units, for the own team.</summary>
        public Sent Ping(PingKind kind, int x, int y)
        {
            return Enqueue(seq => new MapPing { Seq = seq, Kind = kind, At = new Point { X = x, Y = y } });
        }

        /// <summary>Where the player looks, in tiles. When bytes are short, the server sends that part first.</summary>
        public void SetCamera(int x, int y, int radius)
        {
            Func<int, int, uint> within = (n, least) => (uint)Math.Min(Limits.CameraTiles, Math.Max(least, n));
            var c = new Camera { X = within(x, 0), Y = within(y, 0), Radius = within(radius, 1) };
            cameraDue = cameraDue || camera == null || c.X != camera.X || c.Y != camera.Y || c.Radius != camera.Radius;
            camera = c;
        }

        /// <summary>Asks for less: bytes and frames a second; 0: as much as the server allows.</summary>
        public void SetPace(uint bytesPerS, uint framesPerS)
        {
            pace.BytesPerS = bytesPerS;
            pace.FramesPerS = framesPerS;
            paceDue = true;
        }

        /// <summary>Asks for a speed of the match in percent (50, 100, 150, 200, 300), or for a pause.</summary>
        public void SetSpeed(uint percent, bool paused) { speedWish = new SetSpeed { Percent = percent, Paused = paused }; }

        /// <summary>Votes on a question; a vote for one that is not open opens it. `slot` is the player of a kick. State.Votes has the open questions.</summary>
        public void Vote(VoteKind kind, bool yes, uint slot = 0) { vote = new Vote { Kind = kind, Slot = slot, Yes = yes }; }

        /// <summary>Asks for a fresh snapshot.</summary>
        public void Resync()
        {
            resyncMs = double.NegativeInfinity;
            resyncWanted = true;
        }

        /// <summary>Drops the connection as a lost network would, and resumes. For tests of a game.</summary>
        public void Cut()
        {
            if (connection != null) Drop("cut", clock());
        }

        /// <summary>Leaves the match's connection. The seat is kept for a while; leave the lobby to give it up.</summary>
        public void Dispose()
        {
            if (Status == MatchStatus.Closed) return;
            if (connection != null) connection.Leave();
            connection = null;
            Close(new FogkeepException("left", "the client left"));
        }

        /// <summary>The entities of a class that are the player's own. None before the first welcome.</summary>
        public IEnumerable<Entity> Own(TypeClass c)
        {
            if (State.Replica == null) yield break;
            foreach (var e in State.Replica.Entities.Values)
                if (e.Owner == State.Slot && TypeOf(e.Type).Class == c) yield return e;
        }

        /// <summary>What the welcome says of a type, by its number: of an entity, or in a list of another type.</summary>
        public TypeInfo TypeOf(uint number) { return State.Welcome.Types[(int)number]; }

        /// <summary>The name of an answer's code, such as TARGET_LOST.</summary>
        public string NameOf(uint code)
        {
            return code < State.Welcome.Codes.Count ? State.Welcome.Codes[(int)code] : code.ToString();
        }

        /// <summary>Asks for another part of a replay; false when there is no connection.</summary>
        internal bool Control(ReplayControl control)
        {
            if (connection == null || !welcomed) return false;
            var f = State.Ack();
            f.Replay = control;
            return Post(f);
        }

        private bool Post(ClientFrame f)
        {
            byte[] message = WireWriter.Write(f);
            if (!connection.Send(message)) return false;
            if (Packet != null) Packet(PacketReader.Read(message, false, State));
            return true;
        }

        /// <summary>Ends the connection for good: it is not what was asked for.</summary>
        internal void Refuse(FogkeepException why)
        {
            connection.Leave();
            connection = null;
            Close(why);
        }

        private Sent Enqueue(Func<uint, IMessage> make)
        {
            if (Status == MatchStatus.Closed) return Refused(Reply.Lost);
            if (!backlog.Takes(State.LastSeq + 1)) return Refused(Reply.BacklogFull);
            var sent = new Sent(State.NextSeq());
            var m = make(sent.Seq);
            if (m is Order) sent.GivenMs = clock();
            if (!backlog.Add(sent, m as Order, m as Say, m as MapPing)) sent.Settle(new Reply(Reply.TooLong));
            else if (m is Order && Clock != null && Clock.Ready) Show((Order)m);
            return sent;
        }

        /// <summary>Shows an order at once, and numbers what it starts if any of that is shown ahead.</summary>
        private void Show(Order order)
        {
            double tick = Clock.ServerTick(clock());
            State.Prediction.Give(order, tick);
            if (State.Shots.Give(order, shotNumber, tick, connection != null && welcomed) == 0) return;
            order.Request = shotNumber;
            shotNumber += (uint)order.Units.Count;
        }

        private static Sent Refused(string code)
        {
            var sent = new Sent(0);
            sent.Settle(new Reply(code));
            return sent;
        }

        // --- the connection ---------------------------------------------------------------

        private void Open(double now)
        {
            openedMs = now;
            welcomed = false;
            closing = null;
            var socket = options.Socket != null ? options.Socket() : new WebSocketClient();
            connection = new Connection(socket, new Uri(route.Address), WireWriter.Write(State.Hello(options.Ticket, options.Beside == null ? null : options.Beside())), Prepare, (int)route.PatienceMs);
        }

        /// <summary>Fetches the map that the welcome names, before anybody gets the welcome. Runs beside the game.</summary>
        private async Task Prepare(byte[] first, CancellationToken cancel)
        {
            var w = WireReader.Read<ServerFrame>(first).Welcome;
            if (w == null || MapOf(w.MapHash) != null) return;
            byte[] bytes = null;
            for (int tries = 1; bytes == null; tries++)
            {
                try
                {
                    if (options.FetchMap != null) bytes = await options.FetchMap(w.MapHash, cancel).ConfigureAwait(false);
                    else using (var lobby = new LobbyClient(options.Server)) bytes = await lobby.MapAsync(w.MapHash, cancel).ConfigureAwait(false);
                }
                catch (FogkeepException err)
                {
                    // The ticket is used up, and the token is in this welcome: another connection would not help.
                    if (!err.Retry || tries == MapTries) throw new FogkeepException(err.Code, err.Message, false, err, err.Status);
                }
                if (bytes == null) await Task.Delay(MapWaitMs * tries, cancel).ConfigureAwait(false);
            }
            var read = GameMap.Read(bytes);
            if (read.Hash != w.MapHash) throw new FogkeepException(ErrorCodes.BadWelcome, "the match is on map " + w.MapHash + ", this is map " + read.Hash);
            lock (mapLock) map = read;
        }

        private GameMap MapOf(string hash)
        {
            lock (mapLock) return map != null && map.Hash == hash ? map : null;
        }

        private void Drop(string why, double now)
        {
            connection.Abort();
            Lost(new FogkeepException(ErrorCodes.Unreachable, why, true), now);
        }

        private void Lost(FogkeepException why, double now)
        {
            connection.Abort();
            connection = null;
            welcomed = false;
            why = closing ?? why ?? new FogkeepException(ErrorCodes.Unreachable, "the server closed the connection", true);
            if (!why.Retry)
            {
                Close(why);
                return;
            }
            if (faults.Contains(why.Code) && TooManyFaults(now))
            {
                Close(why);
                return;
            }
            if (!lost) lostMs = now;
            lost = true;
            if (now - lostMs > (State.Welcome == null ? JoinMs : GiveUpMs))
            {
                Close(State.Welcome == null ? why : new FogkeepException(ErrorCodes.Gone, "the server has not answered for several minutes", true, why));
                return;
            }
            nextMs = now + (movedTo == null ? route.Lost() : route.Moved(movedTo, now));
            movedTo = null;
            if (State.Welcome != null) SetStatus(MatchStatus.Resuming);
        }

        private bool TooManyFaults(double now)
        {
            if (now - lastFaultMs > FaultMs) faultCount = 0;
            lastFaultMs = now;
            return ++faultCount >= FaultsMax;
        }

        private void Close(FogkeepException why)
        {
            Error = why;
            foreach (var sent in backlog.Drain())
            {
                if (State.Replica != null) State.Answered(sent.Seq, false, new uint[0]);
                sent.Settle(new Reply(Reply.Lost));
            }
            SetStatus(MatchStatus.Closed);
        }

        private void SetStatus(MatchStatus s)
        {
            if (Status == s) return;
            Status = s;
            if (StatusChanged != null) StatusChanged(s);
        }

        // --- messages ---------------------------------------------------------------------

        private void Take(byte[] message, double now)
        {
            bool broken = State.Broken;
            Frame f;
            try
            {
                f = State.Receive(message);
            }
            catch (FogkeepException err)
            {
                if (err.Code == ErrorCodes.BadWelcome || !broken && TooManyFaults(now))
                {
                    connection.Abort();
                    connection = null;
                    Close(err);
                }
                wrong = true; // Flush asks for a snapshot
                return;
            }
            network.Alive(now);
            wrong = (wrong || State.MaskDiffers) && !f.Snapshot;
            if (f.Closing != null && f.Closing.Code == "moved")
            {
                movedTo = f.Closing.Url;
                Drop("the match moved to another server", now);
                return;
            }
            if (f.Closing != null)
            {
                closing = new FogkeepException(f.Closing.Code, f.Closing.Text, f.Closing.Retry);
                return;
            }
            if (f.Welcome != null)
            {
                Welcome(f.Welcome);
                return;
            }
            if (f.IsFrame)
            {
                ackDue = true;
                if (f.Snapshot) resyncMs = double.NegativeInfinity;
                if (f.Snapshot && State.Welcome.Replay != null) Clock.Jump(State.Tick, now);
                backlog.Ticks(f.Span);
            }
            var speed = State.Speed;
            if (speed != null && speed.Paused) Clock.Hold(State.Tick);
            else if (f.IsFrame || Clock.Ready)
            {
                double held = speed == null || speed.Held == 0 ? 100 : speed.Held; // the server is too busy for more
                Clock.SetSpeed(speed == null || speed.Percent == 0 ? 100 : speed.Percent * held / 100, State.Tick, now);
                if (f.IsFrame) Clock.Frame(State.Tick, now);
                if (f.IsFrame) network.Frame(Clock.LateMs);
            }
            var answered = f.IsFrame ? Settle(f.Answers, now) : null;
            if (f.IsFrame && FrameApplied != null) FrameApplied(f);
            if (Said != null) foreach (var s in f.Said) Said(s);
            if ((f.Replay != null || f.Timeline != null) && Watcher != null && !Watcher(f))
            {
                connection.Abort();
                Lost(new FogkeepException(ErrorCodes.BadFrame, "the server sent a part of a timeline that does not fit", true), now);
            }
            if (!f.IsFrame) return;
            if (Pinged != null) foreach (var p in f.Pinged) Pinged(p);
            if (Answered != null) foreach (var s in answered) Answered(s);
            if (f.Ended != null && Ended != null) Ended(f.Ended);
        }

        private void Welcome(Welcome w)
        {
            welcomed = true;
            if (Status == MatchStatus.Resuming) Resumes++;
            lost = false;
            route.Welcomed(w.Servers);
            if (Clock == null) Clock = new MatchClock(w.TickRate);
            else Clock.Reset();
            backlog.Pace(w);
            backlog.Again();
            resyncMs = double.NegativeInfinity;
            cameraDue = camera != null;
            paceDue = pace.BytesPerS + pace.FramesPerS > 0; // the server knows only what this connection asked for
            SetStatus(MatchStatus.Live);
        }

        private List<Sent> Settle(List<Answer> answers, double now)
        {
            var all = new List<Sent>();
            foreach (var a in answers)
            {
                var sent = backlog.Answered(a.Seq);
                if (sent == null) continue;
                if (sent.GivenMs > 0) network.Answered(now - sent.GivenMs);
                sent.Settle(new Reply(NameOf(a.Code), a.LeftOut.Select((unit, i) =>
                    new KeyValuePair<uint, string>(unit, NameOf(i < a.LeftOutCode.Count ? a.LeftOutCode[i] : 0))).ToList()));
                all.Add(sent);
            }
            return all;
        }

        private void Flush(double now)
        {
            var f = State.Ack();
            f.Resync = (wrong || resyncWanted) && now - resyncMs > ResyncMs;
            bool due = f.Resync || ackDue || speedWish != null || vote != null || paceDue;
            if (cameraDue && now - cameraMs > CameraMs)
            {
                f.Camera = camera;
                due = true;
            }
            f.SetSpeed = speedWish;
            f.Vote = vote;
            f.Pace = paceDue ? pace : null;
            if (!State.Welcome.Spectator && State.Welcome.Replay == null) f.Network = network.Take(now);
            due |= f.Network != null;
            due |= !State.Broken && State.Tick > 0 && backlog.Fill(f, now);
            if (!due) return;
            if (!Post(f))
            {
                backlog.Again(); // the network takes nothing: later
                return;
            }
            if (f.Resync)
            {
                resyncMs = now;
                resyncWanted = false;
                if (wrong) Resyncs++;
            }
            if (f.Camera != null)
            {
                cameraMs = now;
                cameraDue = false;
            }
            ackDue = false;
            speedWish = null;
            vote = null;
            paceDue = false;
        }
    }
}
