using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>How a <see cref="Replay"/> connects, and where it begins. The ticket is one of <see cref="LobbyClient.ReplayTicketAsync"/>.</summary>
    public sealed class ReplayOptions : MatchOptions
    {
        /// <summary>Where to begin; null: where the server begins.</summary>
        public uint? Tick;
        /// <summary>A team, or <see cref="Replay.AllTeams"/>; null: as the server chooses.</summary>
        public uint? Eyes;
        public bool Paused;
    }

    /// <summary>
    /// A replay: a match that is over, or a running one as late as spectators see it, shown from any tick with any eyes.
    ///
    /// <para>What is shown is the state of <see cref="Match"/>, which only the server's frames change. Controls ask the
    /// server; <see cref="Status"/> says what holds. The game calls <see cref="Update"/> once for each picture, always from the
    /// same thread. Controls may be given before the server has answered.</para>
    /// </summary>
    public sealed class Replay : IDisposable
    {
        /// <summary>The eyes of all teams together.</summary>
        public const uint AllTeams = Decoder.NoSlot;

        /// <summary>The speeds of a replay, in percent of the normal one.</summary>
        public static readonly IReadOnlyList<uint> Speeds = new uint[] { 25, 50, 100, 200, 400, 800, 1600 };

        /// <summary>Somebody waits until the state is as asked.</summary>
        private sealed class Waiter
        {
            public uint Number;
            public bool Done; // answered: the next frame is the one that it waited for
            public readonly TaskCompletionSource<bool> Source = new TaskCompletionSource<bool>();
        }

        private readonly MatchOptions options;
        private readonly List<Replay> besides = new List<Replay>();
        private readonly List<Waiter> waiters = new List<Waiter>();
        private readonly Dictionary<uint, ReplayCamera> cameras = new Dictionary<uint, ReplayCamera>();
        private ReplayControl wish = new ReplayControl(); // what was asked and is not answered, for a new connection
        private uint number;
        private bool opened;

        /// <summary>Opens a replay with the next <see cref="Update"/>.</summary>
        public Replay(ReplayOptions options)
        {
            this.options = options;
            options.Path = Address.ReplayPath;
            if (options.Tick != null) wish.Seek = options.Tick;
            if (options.Eyes != null) wish.Eyes = WireEyes(options.Eyes.Value);
            if (options.Paused) wish.Paused = true;
            Match = new Match(options);
            Match.Watcher = Told;
            Match.FrameApplied += f => Shown();
            Match.StatusChanged += Changed;
        }

        /// <summary>The connection, with the state that is shown.</summary>
        public Match Match { get; }
        /// <summary>What it is a replay of; null before the first welcome.</summary>
        public ReplayInfo Info { get; private set; }
        /// <summary>What is known of the match's course; null before the first welcome.</summary>
        public Timeline Timeline { get; private set; }
        /// <summary>Where it stands, as the server said last; null before the first welcome. For its eyes see <see cref="Eyes"/>.</summary>
        public ReplayStatus Status { get; private set; }
        /// <summary>Whose eyes are shown: a team's, or <see cref="AllTeams"/>.</summary>
        public uint Eyes { get { return Match.State.Team; } }
        /// <summary>The tick that is shown now: of the state, not of the drawing.</summary>
        public uint Tick { get { return Match.State.Tick; } }
        /// <summary>Where each player looked last, by slot; as far as it was recorded, and only once the match is over.</summary>
        public IReadOnlyDictionary<uint, ReplayCamera> Cameras { get { return cameras; } }
        /// <summary>What is being made; told once the match is over.</summary>
        public IReadOnlyList<ReplayProduction> Production { get { return Status == null ? new List<ReplayProduction>() : Status.Production; } }

        /// <summary><see cref="Status"/> is another, and with it what is made.</summary>
        public event Action<ReplayStatus> StatusChanged;
        /// <summary>The state is of other eyes now. Its snapshot follows.</summary>
        public event Action<uint> EyesChanged;
        /// <summary>More of <see cref="Timeline"/> is known.</summary>
        public event Action<Timeline> TimelineChanged;
        /// <summary>A player's camera moved.</summary>
        public event Action<ReplayCamera> CameraMoved;

        /// <summary>Takes in what has arrived, and sends what is due. It never waits.</summary>
        public void Update()
        {
            Match.Update();
            for (int i = 0; i < besides.Count; i++) besides[i].Update(); // a listener may open another
        }

        /// <summary>Goes to a tick. Ends when the state is there, or at the tick of a newer call; a <see cref="FogkeepException"/> says that the replay was closed before.</summary>
        public Task SeekAsync(uint tick, CancellationToken cancel = default(CancellationToken))
        {
            if (Info != null) tick = Math.Max(Info.First + 1, Math.Min(Status.Last, tick));
            return Asked(new ReplayControl { Seek = tick }, cancel);
        }

        /// <summary>Goes so many ticks on, or back if negative, and pauses. Ends when the state is there.</summary>
        public Task StepAsync(int ticks, CancellationToken cancel = default(CancellationToken)) { return Asked(new ReplayControl { Step = ticks }, cancel); }

        /// <summary>Plays on; at another speed if one is given. At the end it begins anew.</summary>
        public void Play(uint? percent = null)
        {
            var c = new ReplayControl { Paused = false, Percent = percent };
            if (Info != null && !Info.Live && Status.State == ReplayState.Ended && !Status.Paused) c.Seek = Info.First + 1;
            Ask(c);
        }

        public void Pause() { Ask(new ReplayControl { Paused = true }); }

        /// <summary>One of <see cref="Speeds"/>.</summary>
        public void SetSpeed(uint percent) { Ask(new ReplayControl { Percent = percent }); }

        /// <summary>Shows what a team sees, or all teams together (<see cref="AllTeams"/>). Ends when the state is of these eyes.</summary>
        public Task SetEyesAsync(uint eyes, CancellationToken cancel = default(CancellationToken))
        {
            if (Info == null || !Info.EyesFixed) return Asked(new ReplayControl { Eyes = WireEyes(eyes) }, cancel);
            return Failed(new FogkeepException(ErrorCodes.EyesFixed, "the eyes of this replay cannot be chosen"));
        }

        /// <summary>
        /// Opens a second connection with eyes of its own, which shows the same ticks: speed and place of either hold for both.
        /// The <see cref="Update"/> of this one is that of both, and it ends with this one.
        /// </summary>
        public Replay Beside(uint eyes)
        {
            var other = new Replay(new ReplayOptions
            {
                Server = options.Server, At = Match.Place, DerivesFog = options.DerivesFog, Socket = options.Socket, FetchMap = options.FetchMap, Clock = options.Clock,
                Beside = () => Match.State.Welcome == null ? "" : Match.State.Welcome.Resume, Eyes = eyes,
            });
            besides.Add(other);
            return other;
        }

        /// <summary>Ends it.</summary>
        public void Dispose()
        {
            foreach (var b in besides) b.Dispose();
            Match.Dispose();
        }

        /// <summary>Sends a control; with the next connection if there is none.</summary>
        private void Ask(ReplayControl c)
        {
            Merge(wish, c);
            c.Number = number + 1;
            if (opened && Match.Control(c)) number++;
        }

        private Task Asked(ReplayControl c, CancellationToken cancel)
        {
            if (cancel.IsCancellationRequested) return Task.FromCanceled(cancel);
            if (Match.Status == MatchStatus.Closed) return Failed(Match.Error);
            Ask(c);
            var w = new Waiter { Number = number };
            waiters.Add(w);
            cancel.Register(() => w.Source.TrySetCanceled());
            return w.Source.Task;
        }

        private static Task Failed(FogkeepException why)
        {
            var source = new TaskCompletionSource<bool>();
            source.SetException(why);
            return source.Task;
        }

        private static void Merge(ReplayControl into, ReplayControl c)
        {
            if (c.Seek != null) into.Step = null;
            into.Seek = c.Seek ?? into.Seek;
            into.Step = c.Step ?? into.Step;
            into.Percent = c.Percent ?? into.Percent;
            into.Paused = c.Paused ?? into.Paused;
            into.Eyes = c.Eyes ?? into.Eyes;
        }

        private void Changed(MatchStatus s)
        {
            if (s == MatchStatus.Live) Begin();
            else if (s == MatchStatus.Resuming) opened = false;
            else if (s == MatchStatus.Closed)
                foreach (var w in Drain(w => true)) w.Source.TrySetException(Match.Error);
        }

        /// <summary>On a new connection the replay is brought to where it was, or was to go.</summary>
        private void Begin()
        {
            var w = Match.State.Welcome;
            if (w.Replay == null)
            {
                Match.Refuse(new FogkeepException(ErrorCodes.NoReplay, "the server did not open a replay"));
                return;
            }
            number = 0;
            opened = true;
            var control = new ReplayControl();
            if (Info == null)
            {
                Info = w.Replay;
                Status = new ReplayStatus { Tick = Info.Tick, Last = Info.Last, Percent = 100, Eyes = WireEyes(w.Team), State = ReplayState.Playing, Goal = Info.Tick };
                Timeline = new Timeline(Info.First, w.Players.Count, w.Resources.Count, 1000.0 / Math.Max(1, w.TickRate));
            }
            else
            {
                Timeline.Clear();
                control = new ReplayControl { Seek = Status.State == ReplayState.Seeking ? Status.Goal : Tick, Percent = Status.Percent, Paused = Status.Paused, Eyes = Status.Eyes };
                wish.Step = null; // it may have been done
            }
            Merge(control, wish);
            if (Info.EyesFixed) control.Eyes = null;
            if (control.Seek == null && control.Step == null && control.Percent == null && control.Paused == null && control.Eyes == null) return;
            Ask(control);
            foreach (var x in waiters) x.Number = number;
        }

        private bool Told(Frame f)
        {
            if (f.Timeline != null)
            {
                if (!Timeline.Add(f.Timeline)) return false;
                if (TimelineChanged != null) TimelineChanged(Timeline);
            }
            if (f.Replay == null) return true;
            bool other = f.Replay.Eyes != Status.Eyes;
            Status = f.Replay;
            if (Status.Percent == 0) Status.Percent = 100;
            if (Status.State != ReplayState.Seeking) Status.Goal = Status.Tick;
            if (Status.Done >= number) wish = new ReplayControl();
            foreach (var w in waiters) w.Done |= w.Number <= Status.Done;
            foreach (var c in Status.Cameras) cameras[c.Slot] = c;
            if (other && EyesChanged != null) EyesChanged(Eyes);
            if (CameraMoved != null) foreach (var c in Status.Cameras) CameraMoved(c);
            if (StatusChanged != null) StatusChanged(Status);
            return true;
        }

        /// <summary>A frame was applied: the state is as those asked whose control was answered.</summary>
        private void Shown()
        {
            foreach (var w in Drain(w => w.Done)) w.Source.TrySetResult(true);
        }

        private List<Waiter> Drain(Predicate<Waiter> which)
        {
            var gone = waiters.FindAll(which);
            waiters.RemoveAll(which);
            return gone;
        }

        private static uint WireEyes(uint eyes) { return eyes == AllTeams ? 0 : eyes + 1; }
    }
}
