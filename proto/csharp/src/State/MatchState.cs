using System;
using System.Collections.Generic;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>
    /// All that one client knows of its match: bytes in, state out. It lives as long as the seat: a client that
    /// reconnects goes on with the same state. It opens nothing, starts nothing and reads no clock, and belongs to one
    /// thread at a time.
    ///
    /// <para>bytes ──► Receive ──► Replica (entities, ghosts, players), Own, Visible, Explored; the returned frame has
    /// what is not state: answers, chat, events.</para>
    /// </summary>
    public sealed class MatchState
    {
        private readonly Func<string, GameMap> mapOf;
        private readonly bool derivesFog;
        private readonly Decoder decoder = new Decoder();
        private Fog fog;
        private uint seq;

        /// <summary>
        /// mapOf returns the map with the hash that the welcome names. With derivesFog the client computes the mask
        /// itself; otherwise the server sends the rows that change.
        /// </summary>
        public MatchState(Func<string, GameMap> mapOf, bool derivesFog)
        {
            this.mapOf = mapOf;
            this.derivesFog = derivesFog;
        }

        /// <summary>Null before the first welcome, like the members below.</summary>
        public GameMap Map { get; private set; }
        /// <summary>Of the newest connection.</summary>
        public Welcome Welcome { get; private set; }
        public Replica Replica { get; private set; }
        public OwnerState Own { get; private set; }
        /// <summary>Shows the player's orders before the server has acted on them.</summary>
        public Prediction Prediction { get; private set; }
        /// <summary>Shots of the player's orders that show before the server tells of them.</summary>
        public PredictedShots Shots { get; private set; }
        /// <summary>When the shots of everything in sight are drawn.</summary>
        public WeaponFire Fire { get; private set; }
        /// <summary>Where everything is drawn.</summary>
        public Drawing Drawing { get { return Replica == null ? null : Replica.Drawing; } }
        /// <summary>What the team sees now.</summary>
        public Mask Visible { get; private set; }
        /// <summary>What the team has ever seen.</summary>
        public Mask Explored { get; private set; }
        /// <summary>How fast the match runs, as was told last; null: at normal speed.</summary>
        public Speed Speed { get; private set; }

        /// <summary>The questions to the player's team and to all, as the server said last; null: no question yet.</summary>
        public Votes Votes { get; private set; }
        /// <summary>The player's team, or whose eyes a spectator looks with; <see cref="Decoder.NoSlot"/>: those of all teams. It changes in a replay alone.</summary>
        public uint Team { get; private set; }
        /// <summary>The most that the server sends a second; 0: no limit.</summary>
        public uint BytesPerS { get; private set; }
        /// <summary>The server's hash of the mask is not the client's, as of the last frame.</summary>
        public bool MaskDiffers { get; private set; }
        /// <summary>The stream broke, and no snapshot has come since.</summary>
        public bool Broken { get; private set; }

        /// <summary>The tick of the last frame, 0 before the first.</summary>
        public uint Tick { get { return Replica == null ? 0 : Replica.Tick; } }

        /// <summary>The player's slot, <see cref="Decoder.NoSlot"/> of a spectator.</summary>
        public uint Slot { get { return Welcome.Slot; } }

        /// <summary>
        /// A declared value of an entity in sight, by its name in the ruleset; null if its type has no such value, or if
        /// only its owner may know it and it is not this player's.
        /// </summary>
        public int? Value(uint handle, string name)
        {
            Entity e;
            if (Replica == null || !Replica.Entities.TryGetValue(handle, out e)) return null;
            foreach (var v in Welcome.Types[(int)e.Type].Values)
            {
                if (v.Value >= Welcome.Values.Count || Welcome.Values[(int)v.Value].Name != name) continue;
                Dictionary<uint, int> held = e.Declared;
                if (Welcome.Values[(int)v.Value].Class == "owner")
                {
                    if (e.Owner != Slot) return null;
                    Own.Declared.TryGetValue(handle, out held);
                }
                int off = 0;
                if (held != null) held.TryGetValue(v.Value, out off);
                return v.Start + off;
            }
            return null;
        }

        /// <summary>
        /// The first message of a connection. A client that was welcomed before comes back with its newest resume token
        /// and names the tick that it holds; another shows the ticket. beside is the resume token of another connection to
        /// the same replay, beside which this one is.
        /// </summary>
        public ClientFrame Hello(string ticket, string beside = null)
        {
            var f = new ClientFrame { Hello = new Hello { Protocol = Limits.Protocol, DerivesFog = derivesFog, Packed = true } };
            if (Welcome == null)
            {
                f.Hello.Ticket = ticket ?? "";
                f.Hello.Beside = beside != null;
                f.Hello.Resume = beside ?? "";
                return f;
            }
            f.Hello.Resume = Welcome.Resume;
            if (!Broken) f.Applied = Tick;
            return f;
        }

        /// <summary>
        /// A message that says which tick the client has applied, and asks for a snapshot if the client needs one.
        /// Orders may be added to it.
        /// </summary>
        public ClientFrame Ack()
        {
            return Broken ? new ClientFrame { Resync = true } : new ClientFrame { Applied = Tick, Resync = MaskDiffers };
        }

        /// <summary>The next number of an order, a line of chat or a ping.</summary>
        public uint NextSeq() { return ++seq; }

        /// <summary>The number that was given last, 0: none.</summary>
        public uint LastSeq { get { return seq; } }

        /// <summary>
        /// Reads a message and applies it. A <see cref="FogkeepException"/> of the code bad_frame or broken_stream means
        /// that a snapshot is needed, which <see cref="Ack"/> asks for; of bad_welcome, that this client cannot play.
        /// </summary>
        public Frame Receive(byte[] bytes)
        {
            try
            {
                var f = decoder.Decode(bytes);
                Apply(f);
                return f;
            }
            catch (FogkeepException err)
            {
                Broken |= err.Code == ErrorCodes.BadFrame || err.Code == ErrorCodes.BrokenStream;
                throw;
            }
        }

        private void Apply(Frame f)
        {
            if (f.Welcome != null)
            {
                TakeWelcome(f.Welcome);
                BytesPerS = f.Welcome.BytesPerS;
                Speed = null;
                Votes = null;
            }
            if (f.Replay != null) Show(f.Replay);
            else if (f.Speed != null) Speed = f.Speed;
            if (f.Votes != null) Votes = f.Votes;
            if (!f.IsFrame) return;
            if (Replica == null) throw new FogkeepException(ErrorCodes.BrokenStream, "a frame before the welcome", true);
            if (Broken && !f.Snapshot) throw new FogkeepException(ErrorCodes.BrokenStream, "the frames before are missing: this is no snapshot", true);
            Prediction.Before(f);
            Shots.Before(f);
            Fire.Before(f);
            if (fog != null) fog.Before(Replica, f);
            if (f.Snapshot && Welcome.Replay != null)
            {
                Replica.Rewind(f.Tick);
                Explored.Clear();
                if (fog != null) fog.Explored.Clear();
            }
            Replica.Apply(f);
            if (f.Snapshot) Prediction.Found();
            Fire.After(f);
            Broken = false;
            if (f.Budget != null) BytesPerS = f.Budget.BytesPerS;
            foreach (uint h in f.Entered()) Shots.Entered(h);
            foreach (var a in f.Answers) Answered(a.Seq, a.Code == 0, a.LeftOut);
            Own.Apply(f, Tick);
            Shots.After(f);
            Prediction.After();
            if (fog != null)
            {
                fog.After(Replica, f);
                Explored.Or(fog.Explored);
            }
            Explored.Or(Replica.Explored);
            MaskDiffers = f.MaskHash != null && f.MaskHash.Value != Visible.Hash();
        }

        /// <summary>An order was answered, or is known to be lost: what shows of it follows.</summary>
        internal void Answered(uint seq, bool ok, IList<uint> leftOut)
        {
            Prediction.Answered(seq, ok, leftOut);
            Shots.Answered(seq, ok, leftOut);
        }

        /// <summary>What holds in a replay from now on.</summary>
        private void Show(ReplayStatus s)
        {
            Speed = new Speed { Percent = s.Percent, Paused = s.Paused || s.State > ReplayState.Playing };
            Team = s.Eyes == 0 ? Decoder.NoSlot : s.Eyes - 1;
            if (fog != null) fog.Team = Team;
        }

        /// <summary>Begins the match, or goes on with it on a new connection.</summary>
        private void TakeWelcome(Welcome w)
        {
            if (Welcome != null)
            {
                if (w.MatchId != Welcome.MatchId || w.Slot != Welcome.Slot || w.Types.Count != Welcome.Types.Count || w.Players.Count != Welcome.Players.Count)
                    throw Bad("match " + w.MatchId + ", slot " + w.Slot + " after match " + Welcome.MatchId + ", slot " + Welcome.Slot);
                Welcome = w;
                return;
            }
            foreach (var t in w.Types)
                if (t.Sight > Vision.RadiusMax) throw Bad("type " + t.Name + " sees " + t.Sight + " half tiles: at most " + Vision.RadiusMax);
            var map = mapOf(w.MapHash);
            if (map == null || map.Hash != w.MapHash) throw Bad("the match is on map " + w.MapHash + ", this is another");
            Map = map;
            Welcome = w;
            Team = w.Team;
            Replica = new Replica(map, w);
            Own = new OwnerState(map.Width);
            Prediction = Replica.Drawing.Ahead = new Prediction(this);
            Fire = Replica.Drawing.Fire = new WeaponFire(Replica, w);
            Shots = Replica.Drawing.Shots = new PredictedShots(this);
            fog = derivesFog ? new Fog(map, w) : null;
            Visible = fog != null ? fog.Visible : Replica.Visible;
            Explored = new Mask(map.Width, map.Height);
        }

        private static FogkeepException Bad(string what) { return new FogkeepException(ErrorCodes.BadWelcome, what); }
    }
}
