// Made by internal/tools/csharp from proto/fogkeep/v1: the messages of the protocol.
// docs/reference/protocol.md says how they work together.
using System.Collections.Generic;

namespace Fogkeep.Wire
{
    /// <summary>OrderKind is made from orders.Forms, by go test ./orders -update.</summary>
    public enum OrderKind
    {
        Unspecified = 0,
        /// <summary>goes to a place</summary>
        Move = 1,
        /// <summary>goes to a place, and fights foes on the way</summary>
        AttackMove = 2,
        /// <summary>fights a target until it is gone</summary>
        Attack = 3,
        /// <summary>fires at a place until its next order</summary>
        AttackGround = 4,
        /// <summary>drops everything</summary>
        Stop = 5,
        /// <summary>stands and fights from the spot</summary>
        Hold = 6,
        /// <summary>goes back and forth between here and a place, and fights</summary>
        Patrol = 7,
        /// <summary>stays with a unit or structure</summary>
        Follow = 8,
        /// <summary>gathers a resource, and brings it home</summary>
        Harvest = 9,
        /// <summary>builds a structure with its middle nearest to a place, or goes on with one</summary>
        Build = 10,
        /// <summary>adds a unit to a structure's production queue</summary>
        Train = 11,
        /// <summary>sends trained units to a place or a target</summary>
        Rally = 12,
        /// <summary>starts an ability; one with an aim needs a place or a target</summary>
        Ability = 13,
        /// <summary>takes a place out of a queue; a structure under construction is given up</summary>
        Cancel = 14,
        /// <summary>gives up the match</summary>
        Surrender = 15,
        /// <summary>stops an ability that lasts</summary>
        StopAbility = 16,
        /// <summary>chooses when the weapons of a unit fire, and which, and how far the unit goes for foes</summary>
        Fire = 17,
        /// <summary>restores the health of a unit or structure, for a part of its cost</summary>
        Repair = 18,
        /// <summary>gets into a transport</summary>
        Board = 19,
        /// <summary>goes to a place, and lets passengers out</summary>
        Unload = 20,
    }

    public enum PingKind
    {
        /// <summary>never sent</summary>
        Unspecified = 0,
        /// <summary>have a look there</summary>
        Look = 1,
        /// <summary>keep away, or be ready</summary>
        Danger = 2,
        /// <summary>come and help</summary>
        Help = 3,
    }

    public enum VoteKind
    {
        /// <summary>never sent</summary>
        Unspecified = 0,
        /// <summary>the match ends without a winner, early in the match</summary>
        Remake = 1,
        /// <summary>the team gives up</summary>
        Surrender = 2,
        /// <summary>a player of the team is removed</summary>
        Kick = 3,
    }

    /// <summary>
    /// ClientFrame is one message of a client. Its fields are independent, and each
    /// may be absent. docs/reference/protocol.md lists the limits and what happens beyond each.
    /// </summary>
    public sealed class ClientFrame : IMessage
    {
        /// <summary>The first message of a connection has a hello, and no other message.</summary>
        public Hello Hello { get; set; }
        /// <summary>
        /// The tick of the last frame that the client has applied, 0 before the first.
        /// The orders below use the handles of that frame.
        /// </summary>
        public uint Applied { get; set; }
        public List<Order> Orders { get; } = new List<Order>();
        /// <summary>
        /// Where the player looks. Sent at most 4 times a second. When bytes are short,
        /// changes near the camera are sent first.
        /// </summary>
        public Camera Camera { get; set; }
        public List<Say> Says { get; } = new List<Say>();
        public List<MapPing> Pings { get; } = new List<MapPing>();
        public Pace Pace { get; set; }
        /// <summary>Asks for one fresh snapshot, because the client's state is wrong.</summary>
        public bool Resync { get; set; }
        /// <summary>
        /// How fast the player wants the match to run, and whether it shall stand still.
        /// docs/reference/protocol.md ("Speed and pause") says when that takes effect.
        /// </summary>
        public SetSpeed SetSpeed { get; set; }
        /// <summary>What one who watches a replay wants to see. A match ignores it.</summary>
        public ReplayControl Replay { get; set; }
        /// <summary>A vote of the player. docs/reference/protocol.md ("Votes") has the questions.</summary>
        public Vote Vote { get; set; }
        /// <summary>How the connection and the page did. Sent once per minute.</summary>
        public NetworkReport Network { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: r.Message(Hello ?? (Hello = new Hello())); break;
                    case 16: Applied = r.UInt32(); break;
                    case 26: r.Add(Orders); break;
                    case 34: r.Message(Camera ?? (Camera = new Camera())); break;
                    case 42: r.Add(Says); break;
                    case 50: r.Add(Pings); break;
                    case 58: r.Message(Pace ?? (Pace = new Pace())); break;
                    case 64: Resync = r.Bool(); break;
                    case 74: r.Message(SetSpeed ?? (SetSpeed = new SetSpeed())); break;
                    case 82: r.Message(Replay ?? (Replay = new ReplayControl())); break;
                    case 90: r.Message(Vote ?? (Vote = new Vote())); break;
                    case 98: r.Message(Network ?? (Network = new NetworkReport())); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Hello != null) w.Message(10, Hello);
            if (Applied != 0) w.UInt32(16, Applied);
            foreach (var x in Orders) w.Message(26, x);
            if (Camera != null) w.Message(34, Camera);
            foreach (var x in Says) w.Message(42, x);
            foreach (var x in Pings) w.Message(50, x);
            if (Pace != null) w.Message(58, Pace);
            if (Resync) w.UInt32(64, 1);
            if (SetSpeed != null) w.Message(74, SetSpeed);
            if (Replay != null) w.Message(82, Replay);
            if (Vote != null) w.Message(90, Vote);
            if (Network != null) w.Message(98, Network);
        }
    }

    /// <summary>Hello asks for a seat, with a ticket or with a resume token.</summary>
    public sealed class Hello : IMessage
    {
        /// <summary>The version of this protocol that the client speaks.</summary>
        public uint Protocol { get; set; }
        /// <summary>A ticket of the lobby. It can be used once.</summary>
        public string Ticket { get; set; } = "";
        /// <summary>The resume token of an earlier welcome, instead of a ticket.</summary>
        public string Resume { get; set; } = "";
        /// <summary>
        /// The client derives the visibility mask from its team's sources of sight. Rows
        /// of the mask are then sent only at join and after a mismatch.
        /// </summary>
        public bool DerivesFog { get; set; }
        /// <summary>
        /// With the resume token of a replay's welcome: a second connection beside the
        /// first, which stays open. Both show the same ticks, each with its own eyes.
        /// </summary>
        public bool Beside { get; set; }
        /// <summary>The client reads ServerFrame.packed: the server may send rows in it.</summary>
        public bool Packed { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Protocol = r.UInt32(); break;
                    case 18: Ticket = r.String(); break;
                    case 26: Resume = r.String(); break;
                    case 32: DerivesFog = r.Bool(); break;
                    case 40: Beside = r.Bool(); break;
                    case 48: Packed = r.Bool(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Protocol != 0) w.UInt32(8, Protocol);
            if (Ticket.Length > 0) w.String(18, Ticket);
            if (Resume.Length > 0) w.String(26, Resume);
            if (DerivesFog) w.UInt32(32, 1);
            if (Beside) w.UInt32(40, 1);
            if (Packed) w.UInt32(48, 1);
        }
    }

    /// <summary>
    /// Order is one order of a player to its units. docs/reference/protocol.md has a table of
    /// the fields that each kind needs.
    /// </summary>
    public sealed class Order : IMessage
    {
        /// <summary>
        /// The client's number of the order. It rises from 1 and continues across
        /// connections. An order that is sent again under its number gets the same
        /// answer again.
        /// </summary>
        public uint Seq { get; set; }
        public OrderKind Kind { get; set; }
        /// <summary>Handles of the units ordered.</summary>
        public List<uint> Units { get; } = new List<uint>();
        /// <summary>
        /// Queue the order behind the units' present orders (shift). Otherwise it
        /// replaces them.
        /// </summary>
        public bool Queued { get; set; }
        /// <summary>
        /// Target point in world units (1024 a tile), for kinds that take one. For BUILD
        /// it is the middle of the structure.
        /// </summary>
        public Point To { get; set; }
        /// <summary>Handle of the target, for kinds that take one; 0: none.</summary>
        public uint Target { get; set; }
        /// <summary>
        /// What to build or train (type number), which ability to use or stop (ability
        /// number), or which place of the queue to cancel.
        /// </summary>
        public uint What { get; set; }
        /// <summary>
        /// The client's own number for what the first of `units` starts, such as a shot
        /// that it shows at once. units[i] has the number request + i; there is none
        /// beyond 2^32 - 1. 0: no numbers. A number names the first projectile of its unit
        /// under this order. It is sent back to this client only (Own.started).
        /// </summary>
        public uint Request { get; set; }
        /// <summary>
        /// The units go at the speed of the slowest of them, so that they arrive together.
        /// For MOVE, ATTACK_MOVE and PATROL.
        /// </summary>
        public bool Together { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Seq = r.UInt32(); break;
                    case 16: Kind = (OrderKind)r.Int32(); break;
                    case 26: r.AddPacked(Units); break;
                    case 24: r.AddOne(Units); break;
                    case 32: Queued = r.Bool(); break;
                    case 42: r.Message(To ?? (To = new Point())); break;
                    case 48: Target = r.UInt32(); break;
                    case 56: What = r.UInt32(); break;
                    case 72: Request = r.UInt32(); break;
                    case 80: Together = r.Bool(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Seq != 0) w.UInt32(8, Seq);
            if (Kind != 0) w.UInt32(16, (uint)Kind);
            w.Packed(26, Units);
            if (Queued) w.UInt32(32, 1);
            if (To != null) w.Message(42, To);
            if (Target != 0) w.UInt32(48, Target);
            if (What != 0) w.UInt32(56, What);
            if (Request != 0) w.UInt32(72, Request);
            if (Together) w.UInt32(80, 1);
        }
    }

    /// <summary>Point is a position on the map in world units, 1024 a tile.</summary>
    public sealed class Point : IMessage
    {
        public int X { get; set; }
        public int Y { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: X = r.SInt32(); break;
                    case 16: Y = r.SInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (X != 0) w.SInt32(8, X);
            if (Y != 0) w.SInt32(16, Y);
        }
    }

    /// <summary>Camera is what the player looks at, in tiles.</summary>
    public sealed class Camera : IMessage
    {
        public uint X { get; set; }
        public uint Y { get; set; }
        public uint Radius { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: X = r.UInt32(); break;
                    case 16: Y = r.UInt32(); break;
                    case 24: Radius = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (X != 0) w.UInt32(8, X);
            if (Y != 0) w.UInt32(16, Y);
            if (Radius != 0) w.UInt32(24, Radius);
        }
    }

    /// <summary>Say is one line of chat.</summary>
    public sealed class Say : IMessage
    {
        /// <summary>to everybody; otherwise to the team</summary>
        public bool All { get; set; }
        /// <summary>not empty, at most 256 bytes of UTF-8</summary>
        public string Text { get; set; } = "";
        /// <summary>from the same sequence as orders; answered like an order</summary>
        public uint Seq { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: All = r.Bool(); break;
                    case 18: Text = r.String(); break;
                    case 24: Seq = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (All) w.UInt32(8, 1);
            if (Text.Length > 0) w.String(18, Text);
            if (Seq != 0) w.UInt32(24, Seq);
        }
    }

    /// <summary>MapPing points at a place of the map. The own team gets it.</summary>
    public sealed class MapPing : IMessage
    {
        /// <summary>Why. A kind that is not in the list is answered MALFORMED.</summary>
        public PingKind Kind { get; set; }
        public Point At { get; set; }
        /// <summary>from the same sequence as orders; answered like an order</summary>
        public uint Seq { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Kind = (PingKind)r.Int32(); break;
                    case 18: r.Message(At ?? (At = new Point())); break;
                    case 24: Seq = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Kind != 0) w.UInt32(8, (uint)Kind);
            if (At != null) w.Message(18, At);
            if (Seq != 0) w.UInt32(24, Seq);
        }
    }

    /// <summary>Pace asks the server to send less.</summary>
    public sealed class Pace : IMessage
    {
        /// <summary>0: as much as the server allows</summary>
        public uint BytesPerS { get; set; }
        /// <summary>0: a frame for every tick with news</summary>
        public uint FramesPerS { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: BytesPerS = r.UInt32(); break;
                    case 16: FramesPerS = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (BytesPerS != 0) w.UInt32(8, BytesPerS);
            if (FramesPerS != 0) w.UInt32(16, FramesPerS);
        }
    }

    /// <summary>
    /// SetSpeed is what a player wants the match's speed to be. A wish that equals what
    /// holds takes the player's own wish back.
    /// </summary>
    public sealed class SetSpeed : IMessage
    {
        /// <summary>of the normal speed: 50, 100, 150, 200 or 300</summary>
        public uint Percent { get; set; }
        public bool Paused { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Percent = r.UInt32(); break;
                    case 16: Paused = r.Bool(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Percent != 0) w.UInt32(8, Percent);
            if (Paused) w.UInt32(16, 1);
        }
    }

    /// <summary>Vote is a player's vote on a question. A vote for a question that is not open opens it.</summary>
    public sealed class Vote : IMessage
    {
        public VoteKind Kind { get; set; }
        /// <summary>KICK: the player</summary>
        public uint Slot { get; set; }
        public bool Yes { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Kind = (VoteKind)r.Int32(); break;
                    case 16: Slot = r.UInt32(); break;
                    case 24: Yes = r.Bool(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Kind != 0) w.UInt32(8, (uint)Kind);
            if (Slot != 0) w.UInt32(16, Slot);
            if (Yes) w.UInt32(24, 1);
        }
    }

    /// <summary>
    /// NetworkReport is a client's account of the time since its last report. The server shows it to admins, and adds it
    /// to its metrics. It reads one report in 30 seconds of a match, and no report of a spectator.
    /// </summary>
    public sealed class NetworkReport : IMessage
    {
        /// <summary>the time of the report</summary>
        public uint Seconds { get; set; }
        /// <summary>frames that the client received</summary>
        public uint Frames { get; set; }
        /// <summary>frames that came more than 100 ms later than the earliest frames of ten seconds</summary>
        public uint Late { get; set; }
        /// <summary>times without a frame for more than 1.5 seconds</summary>
        public uint Gaps { get; set; }
        /// <summary>the longest time without a frame</summary>
        public uint LongestMs { get; set; }
        /// <summary>from an order to its answer, the median; 0: no order was answered</summary>
        public uint TripMs { get; set; }
        /// <summary>units whose drawn place was more than a tile wrong</summary>
        public uint Corrections { get; set; }
        /// <summary>pictures that the page drew</summary>
        public uint Drawn { get; set; }
        /// <summary>pictures that took more than 50 ms</summary>
        public uint Slow { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Seconds = r.UInt32(); break;
                    case 16: Frames = r.UInt32(); break;
                    case 24: Late = r.UInt32(); break;
                    case 32: Gaps = r.UInt32(); break;
                    case 40: LongestMs = r.UInt32(); break;
                    case 48: TripMs = r.UInt32(); break;
                    case 56: Corrections = r.UInt32(); break;
                    case 64: Drawn = r.UInt32(); break;
                    case 72: Slow = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Seconds != 0) w.UInt32(8, Seconds);
            if (Frames != 0) w.UInt32(16, Frames);
            if (Late != 0) w.UInt32(24, Late);
            if (Gaps != 0) w.UInt32(32, Gaps);
            if (LongestMs != 0) w.UInt32(40, LongestMs);
            if (TripMs != 0) w.UInt32(48, TripMs);
            if (Corrections != 0) w.UInt32(56, Corrections);
            if (Drawn != 0) w.UInt32(64, Drawn);
            if (Slow != 0) w.UInt32(72, Slow);
        }
    }

    /// <summary>
    /// ReplayControl is what one who watches a replay wants to see. Its fields are
    /// independent, and take effect in their order. What is out of range is taken as the
    /// nearest that is in range.
    /// </summary>
    public sealed class ReplayControl : IMessage
    {
        /// <summary>the tick to go to</summary>
        public uint? Seek { get; set; }
        /// <summary>so many ticks on, or back if it is negative; the replay pauses</summary>
        public int? Step { get; set; }
        /// <summary>of the normal speed: 25, 50, 100, 200, 400, 800 or 1600</summary>
        public uint? Percent { get; set; }
        public bool? Paused { get; set; }
        /// <summary>of this connection. 0: all teams' eyes; otherwise team + 1</summary>
        public uint? Eyes { get; set; }
        /// <summary>
        /// The client's number of this control, rising from 1 on each connection. A control that
        /// seeks replaces an earlier one that is not done. ReplayStatus.done answers it.
        /// </summary>
        public uint Number { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Seek = r.UInt32(); break;
                    case 16: Step = r.SInt32(); break;
                    case 24: Percent = r.UInt32(); break;
                    case 32: Paused = r.Bool(); break;
                    case 40: Eyes = r.UInt32(); break;
                    case 48: Number = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Seek != null) w.UInt32(8, Seek.Value);
            if (Step != null) w.SInt32(16, Step.Value);
            if (Percent != null) w.UInt32(24, Percent.Value);
            if (Paused != null) w.UInt32(32, Paused.Value ? 1u : 0u);
            if (Eyes != null) w.UInt32(40, Eyes.Value);
            if (Number != 0) w.UInt32(48, Number);
        }
    }

    /// <summary>EntityFlag has the bits of ServerFrame.flags.</summary>
    public enum EntityFlag
    {
        Unspecified = 0,
        Cloaked = 1,
        /// <summary>its weapons use their alternate fire (WeaponInfo.alternate)</summary>
        Alternate = 2,
        /// <summary>never sent: rows of actions show it</summary>
        Deployed = 4,
        /// <summary>never sent: rows of actions show it</summary>
        Sprinting = 8,
        /// <summary>never sent: rows of actions show it</summary>
        Burning = 16,
        Carrying = 32,
        /// <summary>under construction</summary>
        Building = 64,
        /// <summary>never sent: rows of actions show it</summary>
        Raging = 128,
        /// <summary>it restores another's health now</summary>
        Repairing = 256,
    }

    public enum EventKind
    {
        Unspecified = 0,
        /// <summary>at the ground: where it goes. burst counts it</summary>
        Shot = 1,
        /// <summary>never sent: rows of health show it</summary>
        Hit = 2,
        /// <summary>never sent: rows of destroyed show it</summary>
        Death = 3,
        /// <summary>a projectile that was not in sight before landed; otherwise its row in destroyed shows it</summary>
        Blast = 4,
        /// <summary>told to who sees a tile of it; its place, the middle, may be on one that is not visible</summary>
        Built = 5,
        /// <summary>never sent: rows of enter show it</summary>
        Trained = 6,
        /// <summary>a unit of the own team was hit; the shooter may be unseen</summary>
        Attacked = 7,
        /// <summary>an ability that ends as it begins was used, or one that works on the ground began</summary>
        Ability = 8,
        /// <summary>
        /// A sound of something that the team does not see: what is its class, the place is
        /// the middle of its cell of 8 x 8 tiles. At most one of a class and cell each second.
        /// </summary>
        Heard = 9,
    }

    public enum PlayerState
    {
        Unspecified = 0,
        Playing = 1,
        /// <summary>the connection is lost, the seat is kept</summary>
        Away = 2,
        Defeated = 3,
        Left = 4,
        /// <summary>the player is gone, and a bot plays on until the player is back</summary>
        StandIn = 5,
    }

    /// <summary>Handed is what became of the units of a player who was away for long.</summary>
    public enum Handed
    {
        Unspecified = 0,
        /// <summary>a team-mate has them, until the player is back</summary>
        Over = 1,
        /// <summary>what is left of them is the player's again</summary>
        Back = 2,
    }

    /// <summary>AbilityGrant says whether a unit may use one of its abilities, and why.</summary>
    public enum AbilityGrant
    {
        /// <summary>it may: its type has the ability, which needs nothing</summary>
        Unspecified = 0,
        /// <summary>it may: the player has what the ability needs</summary>
        Needs = 1,
        /// <summary>it may: the ability was granted to this unit alone</summary>
        Unit = 2,
        /// <summary>it may not: the player lacks what the ability needs</summary>
        LacksNeeds = 3,
        /// <summary>it may not: the ability was denied to this unit alone</summary>
        Denied = 4,
        /// <summary>it may not: the structure is under construction</summary>
        Unfinished = 5,
    }

    public enum TypeClass
    {
        Unspecified = 0,
        Unit = 1,
        Structure = 2,
        Projectile = 3,
        Resource = 4,
        /// <summary>a structure makes it, once for the whole team; no entity has the type</summary>
        Upgrade = 5,
    }

    public enum PollResult
    {
        /// <summary>it is open</summary>
        Unspecified = 0,
        Passed = 1,
        Failed = 2,
    }

    /// <summary>ReplayState says what a replay does.</summary>
    public enum ReplayState
    {
        Unspecified = 0,
        /// <summary>or it is paused, as `paused` says</summary>
        Playing = 1,
        /// <summary>it goes to a tick; ReplayStatus.tick says where it is</summary>
        Seeking = 2,
        /// <summary>live matches need the server's processor; it goes on by itself</summary>
        WaitingForServer = 3,
        /// <summary>it stands at the last tick</summary>
        Ended = 4,
    }

    /// <summary>ReplayEventKind is what happened.</summary>
    public enum ReplayEventKind
    {
        Unspecified = 0,
        /// <summary>`team` saw something of `other` for the first time</summary>
        Contact = 1,
        /// <summary>from `tick` to `until`, with `losses`</summary>
        Fight = 2,
        /// <summary>`slot` lost one of `type`, by `by`</summary>
        StructureLost = 3,
        /// <summary>`slot` finished a centre or drop-off away from its start</summary>
        Expansion = 4,
        /// <summary>`slot` has it now, `by` had it</summary>
        Captured = 5,
        Surrendered = 6,
        /// <summary>the connection was lost</summary>
        Away = 7,
        /// <summary>and came back</summary>
        Back = 8,
        /// <summary>for good</summary>
        Left = 9,
        /// <summary>a person took the seat over from a bot</summary>
        TakenOver = 10,
        /// <summary>`slot` is out</summary>
        Out = 11,
        /// <summary>the match; `team` won</summary>
        Ended = 12,
    }

    /// <summary>
    /// ServerFrame is what one client is sent for one tick. The team's part has the
    /// same bytes for every client of the team that has the same base. The player's
    /// own part follows it. Encoded protobuf messages can be concatenated, so neither
    /// part is encoded twice.
    ///
    /// A message with `welcome`, `waiting`, `closing`, `replay` or `timeline` is not a
    /// frame and does not advance the tick. Every other message is a frame, even an empty one (one tick
    /// passed without news).
    ///
    /// ROWS. Frequent fields are packed numbers in rows of fixed length, one row for
    /// each entity, sorted by handle. The first number of a row is the difference
    /// between its handle and the handle of the row before (first row: the handle).
    ///
    /// ORDER. Set the clock (tick, span). Then apply the fields in this order,
    /// whatever their field numbers are: last_bursts, leave, destroyed, enter, owner, motion,
    /// exact, health, health_changes, shield, shield_changes, the other values of entities
    /// (flags, amount, burst), actions, effects, values, ghosts (gone, then the others), mask,
    /// sights, contacts, mask_hash, fire, events, players, said, pinged, answers, own, ended.
    ///
    /// CELL. A place is sent as a cell of 64 x 64 world units (a tile side has 16
    /// cells): cell = (y &gt;&gt; 6) * (16 * map width) + (x &gt;&gt; 6). The place is the middle
    /// of the cell, cx * 64 + 32, and the same for y.
    ///
    /// COURSE. How an entity moves, in one number:
    ///   below 256        it stands and faces this way
    ///   from 256         full speed, direction = course - 256, K = 2016
    ///   from 16384       full speed, direction = course - 16384, K = 131072
    ///   from 1064960     c = course - 1064960, direction = c % 16128, K = 2016,
    ///                    speed = full speed * (c / 16128 + 1) / 64, rounded down
    /// direction = face * 2K + (u + K), with u from -K to K-1, is a point (px, py) on
    /// the edge of a square: face 0: (K, u); 1: (-u, K); 2: (-K, -u); 3: (u, -K). The
    /// velocity in 1/64 world units a tick is (integer division truncates towards 0):
    ///   n = floor(sqrt(256 * (K*K + u*u)))    vx = 16 * px * speed / n    (vy alike)
    ///
    /// DEAD RECKONING. t ticks after the tick at which course and place were sent, the
    /// entity is at x + ((vx * t) &gt;&gt; 6), y + ((vy * t) &gt;&gt; 6) (arithmetic shift), each
    /// clamped to the map (0 to 1024 * tiles - 1).
    /// </summary>
    public sealed class ServerFrame : IMessage
    {
        /// <summary>
        /// The tick of a snapshot. Clear the state, except what is explored, and start
        /// from this frame. Absent: this frame is a difference from the last one.
        /// </summary>
        public uint Tick { get; set; }
        /// <summary>Ticks since the last frame; absent: 1.</summary>
        public uint Span { get; set; }
        /// <summary>
        /// The number of ticks directly before this frame's tick for which the mask that
        /// the client computes may be wrong: their news was not sent, because they lay
        /// between two beats, or because the connection or the client was too slow. For
        /// the other ticks of the span it is right. Absent: 0.
        /// </summary>
        public uint Skipped { get; set; }
        /// <summary>
        /// The frame has only answers, chat, pings and settings. What the team saw at its
        /// tick comes with a later frame, which counts the tick as skipped. Do not compute
        /// the mask for it.
        /// </summary>
        public bool Partial { get; set; }
        /// <summary>
        /// As bits, to a client whose hello has `packed`: the rows of all fields of this
        /// message whose rows begin with a handle, and sights. These fields are then absent.
        /// docs/reference/protocol.md ("Packed rows") has the coding.
        /// </summary>
        public byte[] Packed { get; set; }
        /// <summary>Left sight: rows of [handle].</summary>
        public List<uint> Leave { get; } = new List<uint>();
        /// <summary>
        /// Came into sight: rows of [handle distance * kinds + kind, cell, course],
        /// kinds = (number of players + 1) * number of types,
        /// kind = owner * number of types + type, owner = slot + 1 or 0 for nobody.
        /// Health and shield are full and all other values are 0, unless a field below says more.
        /// </summary>
        public List<uint> Enter { get; } = new List<uint>();
        /// <summary>
        /// Another player has it now: rows of [handle, slot + 1], 0: nobody. All that was
        /// sent for the handle in Own is cleared; what the new owner may know follows in
        /// its own part.
        /// </summary>
        public List<uint> Owner { get; } = new List<uint>();
        /// <summary>
        /// New course and place: rows of [handle, place, course]. P is the place at this
        /// tick by the old course. The new place is:
        ///   place &lt; 121:     P + 64 * (p / 11 - 5, p % 11 - 5),    p = place
        ///   place &lt; 16250:   P + (p / 127 - 63, p % 127 - 63),     p = place - 121
        ///   place &lt; 277371:  P + (p / 511 - 255, p % 511 - 255),   p = place - 16250
        ///   else             cell = place - 277371
        /// </summary>
        public List<uint> Motion { get; } = new List<uint>();
        /// <summary>
        /// Refines a place that enter or motion gave as a cell: rows of [handle, ago,
        /// fine]. The place is the cell's corner + (fine / 64, fine % 64), and is that of
        /// `ago` ticks before this frame's tick.
        /// </summary>
        public List<uint> Exact { get; } = new List<uint>();
        /// <summary>Health: rows of [handle, full health - health].</summary>
        public List<uint> Health { get; } = new List<uint>();
        /// <summary>
        /// The number of ticks in which health changed since the enter, modulo 128: rows
        /// of [handle, changes]. A client counts by itself: 0 at the enter, then 1 more
        /// for each row of health in a frame after the enter. A row is sent only where
        /// this count would be wrong, because health changed more than once between two
        /// frames.
        /// </summary>
        public List<uint> HealthChanges { get; } = new List<uint>();
        /// <summary>
        /// Shield, which takes damage before health does: rows of [handle, full shield -
        /// shield].
        /// </summary>
        public List<uint> Shield { get; } = new List<uint>();
        /// <summary>The number of ticks in which shield changed since the enter, as health_changes.</summary>
        public List<uint> ShieldChanges { get; } = new List<uint>();
        /// <summary>Flags (EntityFlag bits): rows of [handle, flags].</summary>
        public List<uint> Flags { get; } = new List<uint>();
        /// <summary>Seen destroyed: rows of [handle].</summary>
        public List<uint> Destroyed { get; } = new List<uint>();
        /// <summary>
        /// What a resource place holds, or the progress in 1/255 of a structure under
        /// construction or, if it is finished, of its capture: rows of [handle, amount].
        /// </summary>
        public List<uint> Amount { get; } = new List<uint>();
        /// <summary>
        /// How often the first weapon has fired since the enter: rows of [handle, burst].
        /// Bit 0: the large form. Bit 1: it fires. Then the shots, from 0 at each enter:
        /// 6 bits, modulo 64; in the large form 14 bits, modulo 16384. The bits above, if
        /// it fires: how many ticks before this frame's tick that was so. It fires once
        /// more each WeaponInfo.cooldown_ticks from then on, until a row says otherwise.
        /// docs/reference/protocol.md says how a client counts.
        /// </summary>
        public List<uint> Burst { get; } = new List<uint>();
        /// <summary>The same of the second weapon.</summary>
        public List<uint> BurstSecond { get; } = new List<uint>();
        /// <summary>
        /// The shots of what left sight or was destroyed, until then, where the client
        /// may have counted otherwise: rows of [handle, burst, burst of the second
        /// weapon]. To be applied before leave and destroyed.
        /// </summary>
        public List<uint> LastBursts { get; } = new List<uint>();
        /// <summary>
        /// Abilities that run: rows of [handle, ability, when]. ability = 0: the entity
        /// runs none any more; otherwise 1 + the index in its type's list. when = 0: it
        /// began before the entity came into sight; otherwise it began when - 1 ticks
        /// before this frame's tick. One that began in the very tick in which the entity came
        /// into sight counts as begun before. A frame with rows of an entity has all that it runs,
        /// one row each, with the same handle. An ability with another tick of beginning
        /// than before was started anew. An entity that enters runs none until rows say so.
        /// What begins and ends in one tick is no row but an event (ABILITY).
        /// </summary>
        public List<uint> Actions { get; } = new List<uint>();
        /// <summary>
        /// Effects that weapons and abilities left on units: rows of [handle, effect, when,
        /// source]. effect = 0: the unit has none any more; otherwise 1 + the effect's
        /// number. when: as in actions; an effect that is renewed begins again. It ends
        /// EffectInfo.duration_ticks later, unless it is renewed; that it has ended, a row
        /// says. source: the handle of the entity that did it, if the team saw it when the
        /// effect began and sees it still; otherwise 0. A frame with rows of a unit has all
        /// its effects.
        /// </summary>
        public List<uint> Effects { get; } = new List<uint>();
        /// <summary>
        /// Values that the ruleset declares, of Welcome.values with the class `seeing` or `all`:
        /// rows of [handle, index into Welcome.values, difference]. The value is the start of
        /// the entity's type (TypeInfo.values) plus the difference, which is a sint32 of
        /// protobuf (zigzag). The values of an entity that enters are at the start of its type
        /// unless rows say otherwise. Several values of an entity are several rows.
        /// </summary>
        public List<uint> Values { get; } = new List<uint>();
        /// <summary>
        /// As bits, to a client whose hello has `packed`: how many rows `values` has, and the
        /// rows. `values` is then absent.
        /// </summary>
        public byte[] PackedValues { get; set; }
        /// <summary>
        /// At what an entity fires from now on: rows of [handle, target's handle], for all
        /// its weapons. How often it fires is in burst alone. Where shots at the ground go
        /// is in events. When bytes are short, fire and events are dropped first.
        /// </summary>
        public List<uint> Fire { get; } = new List<uint>();
        public Ghosts Ghosts { get; set; }
        /// <summary>
        /// Rows of the visibility mask: for clients that do not derive it, at join, and
        /// after a mismatch.
        /// </summary>
        public MaskRows Mask { get; set; }
        /// <summary>
        /// Hash of the visible tiles at this tick, about once a second. docs/reference/protocol.md
        /// defines it; visibility.Mask.Hash and web/sdk/src/vision compute it.
        /// </summary>
        public uint? MaskHash { get; set; }
        public Events Events { get; set; }
        /// <summary>Sources of sight that are not entities of this stream.</summary>
        public List<Sight> Sights { get; } = new List<Sight>();
        public Contacts Contacts { get; set; }
        public List<PlayerNote> Players { get; } = new List<PlayerNote>();
        public List<Said> Said { get; } = new List<Said>();
        public List<Pinged> Pinged { get; } = new List<Pinged>();
        /// <summary>The player's own part.</summary>
        public List<Answer> Answers { get; } = new List<Answer>();
        public Own Own { get; set; }
        /// <summary>Once for each connection, or once for each match.</summary>
        public Welcome Welcome { get; set; }
        public Ended Ended { get; set; }
        public Closing Closing { get; set; }
        /// <summary>
        /// A spectator's stream has not started yet, or the match stands still. Sent once a
        /// second until it goes on. Such a message may have `speed`, `votes` and `said` besides.
        /// </summary>
        public Waiting Waiting { get; set; }
        /// <summary>The connection's budget has changed: in a frame, with the player's own part.</summary>
        public Budget Budget { get; set; }
        /// <summary>
        /// The match's speed, or what is asked of it, has changed: in a frame, with the
        /// player's own part, or in a message with `waiting`.
        /// </summary>
        public Speed Speed { get; set; }
        /// <summary>
        /// The open votes that this player may know, whenever they change: in a frame, with the
        /// player's own part, or in a message with `waiting`.
        /// </summary>
        public Votes Votes { get; set; }
        /// <summary>
        /// Of a replay: where it stands. In a message of its own, once a second and after each
        /// control. A snapshot that a control leads to comes after the status that answers it.
        /// </summary>
        public ReplayStatus Replay { get; set; }
        /// <summary>Of a replay: a part of what happened in the match, in a message of its own.</summary>
        public ReplayTimeline Timeline { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Tick = r.UInt32(); break;
                    case 16: Span = r.UInt32(); break;
                    case 272: Skipped = r.UInt32(); break;
                    case 320: Partial = r.Bool(); break;
                    case 330: Packed = r.Bytes(); break;
                    case 26: r.AddPacked(Leave); break;
                    case 24: r.AddOne(Leave); break;
                    case 34: r.AddPacked(Enter); break;
                    case 32: r.AddOne(Enter); break;
                    case 226: r.AddPacked(Owner); break;
                    case 224: r.AddOne(Owner); break;
                    case 42: r.AddPacked(Motion); break;
                    case 40: r.AddOne(Motion); break;
                    case 154: r.AddPacked(Exact); break;
                    case 152: r.AddOne(Exact); break;
                    case 50: r.AddPacked(Health); break;
                    case 48: r.AddOne(Health); break;
                    case 186: r.AddPacked(HealthChanges); break;
                    case 184: r.AddOne(HealthChanges); break;
                    case 194: r.AddPacked(Shield); break;
                    case 192: r.AddOne(Shield); break;
                    case 202: r.AddPacked(ShieldChanges); break;
                    case 200: r.AddOne(ShieldChanges); break;
                    case 58: r.AddPacked(Flags); break;
                    case 56: r.AddOne(Flags); break;
                    case 66: r.AddPacked(Destroyed); break;
                    case 64: r.AddOne(Destroyed); break;
                    case 74: r.AddPacked(Amount); break;
                    case 72: r.AddOne(Amount); break;
                    case 82: r.AddPacked(Burst); break;
                    case 80: r.AddOne(Burst); break;
                    case 234: r.AddPacked(BurstSecond); break;
                    case 232: r.AddOne(BurstSecond); break;
                    case 290: r.AddPacked(LastBursts); break;
                    case 288: r.AddOne(LastBursts); break;
                    case 210: r.AddPacked(Actions); break;
                    case 208: r.AddOne(Actions); break;
                    case 218: r.AddPacked(Effects); break;
                    case 216: r.AddOne(Effects); break;
                    case 338: r.AddPacked(Values); break;
                    case 336: r.AddOne(Values); break;
                    case 346: PackedValues = r.Bytes(); break;
                    case 178: r.AddPacked(Fire); break;
                    case 176: r.AddOne(Fire); break;
                    case 90: r.Message(Ghosts ?? (Ghosts = new Ghosts())); break;
                    case 98: r.Message(Mask ?? (Mask = new MaskRows())); break;
                    case 109: MaskHash = r.Fixed32(); break;
                    case 114: r.Message(Events ?? (Events = new Events())); break;
                    case 122: r.Add(Sights); break;
                    case 354: r.Message(Contacts ?? (Contacts = new Contacts())); break;
                    case 130: r.Add(Players); break;
                    case 138: r.Add(Said); break;
                    case 146: r.Add(Pinged); break;
                    case 162: r.Add(Answers); break;
                    case 170: r.Message(Own ?? (Own = new Own())); break;
                    case 242: r.Message(Welcome ?? (Welcome = new Welcome())); break;
                    case 250: r.Message(Ended ?? (Ended = new Ended())); break;
                    case 258: r.Message(Closing ?? (Closing = new Closing())); break;
                    case 266: r.Message(Waiting ?? (Waiting = new Waiting())); break;
                    case 282: r.Message(Budget ?? (Budget = new Budget())); break;
                    case 298: r.Message(Speed ?? (Speed = new Speed())); break;
                    case 362: r.Message(Votes ?? (Votes = new Votes())); break;
                    case 306: r.Message(Replay ?? (Replay = new ReplayStatus())); break;
                    case 314: r.Message(Timeline ?? (Timeline = new ReplayTimeline())); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Tick != 0) w.UInt32(8, Tick);
            if (Span != 0) w.UInt32(16, Span);
            if (Skipped != 0) w.UInt32(272, Skipped);
            if (Partial) w.UInt32(320, 1);
            if (Packed != null) w.Bytes(330, Packed);
            w.Packed(26, Leave);
            w.Packed(34, Enter);
            w.Packed(226, Owner);
            w.Packed(42, Motion);
            w.Packed(154, Exact);
            w.Packed(50, Health);
            w.Packed(186, HealthChanges);
            w.Packed(194, Shield);
            w.Packed(202, ShieldChanges);
            w.Packed(58, Flags);
            w.Packed(66, Destroyed);
            w.Packed(74, Amount);
            w.Packed(82, Burst);
            w.Packed(234, BurstSecond);
            w.Packed(290, LastBursts);
            w.Packed(210, Actions);
            w.Packed(218, Effects);
            w.Packed(338, Values);
            if (PackedValues != null) w.Bytes(346, PackedValues);
            w.Packed(178, Fire);
            if (Ghosts != null) w.Message(90, Ghosts);
            if (Mask != null) w.Message(98, Mask);
            if (MaskHash != null) w.Fixed32(109, MaskHash.Value);
            if (Events != null) w.Message(114, Events);
            foreach (var x in Sights) w.Message(122, x);
            if (Contacts != null) w.Message(354, Contacts);
            foreach (var x in Players) w.Message(130, x);
            foreach (var x in Said) w.Message(138, x);
            foreach (var x in Pinged) w.Message(146, x);
            foreach (var x in Answers) w.Message(162, x);
            if (Own != null) w.Message(170, Own);
            if (Welcome != null) w.Message(242, Welcome);
            if (Ended != null) w.Message(250, Ended);
            if (Closing != null) w.Message(258, Closing);
            if (Waiting != null) w.Message(266, Waiting);
            if (Budget != null) w.Message(282, Budget);
            if (Speed != null) w.Message(298, Speed);
            if (Votes != null) w.Message(362, Votes);
            if (Replay != null) w.Message(306, Replay);
            if (Timeline != null) w.Message(314, Timeline);
        }
    }

    /// <summary>
    /// Sight is a source of sight of the team that is not an entity: a scan, or a
    /// revealed shooter. In a snapshot and after skipped ticks it is also the sight of
    /// destroyed units and structures, which clients otherwise derive
    /// (docs/reference/protocol.md).
    /// </summary>
    public sealed class Sight : IMessage
    {
        /// <summary>tile</summary>
        public uint X { get; set; }
        public uint Y { get; set; }
        /// <summary>half tiles</summary>
        public uint Radius { get; set; }
        /// <summary>it sees every level</summary>
        public bool Flyer { get; set; }
        public uint LevelBonus { get; set; }
        /// <summary>it ends this number of ticks after this frame's tick</summary>
        public uint Ticks { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: X = r.UInt32(); break;
                    case 16: Y = r.UInt32(); break;
                    case 24: Radius = r.UInt32(); break;
                    case 32: Flyer = r.Bool(); break;
                    case 40: LevelBonus = r.UInt32(); break;
                    case 48: Ticks = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (X != 0) w.UInt32(8, X);
            if (Y != 0) w.UInt32(16, Y);
            if (Radius != 0) w.UInt32(24, Radius);
            if (Flyer) w.UInt32(32, 1);
            if (LevelBonus != 0) w.UInt32(40, LevelBonus);
            if (Ticks != 0) w.UInt32(48, Ticks);
        }
    }

    /// <summary>
    /// Contacts are things that the team's radar found beyond sight in the ticks of the frame; in
    /// a snapshot, all that have not ended. The server sends no entity with them. A contact ends
    /// Welcome.contact_ticks after it was found; one of the same class and cell replaces it.
    /// </summary>
    public sealed class Contacts : IMessage
    {
        /// <summary>index into Welcome.signatures; absent: all 0</summary>
        public List<uint> Class { get; } = new List<uint>();
        /// <summary>column of its cell of 8 x 8 tiles</summary>
        public List<uint> X { get; } = new List<uint>();
        /// <summary>row</summary>
        public List<uint> Y { get; } = new List<uint>();
        /// <summary>found so many ticks before this frame's tick; absent: all 0</summary>
        public List<uint> Ago { get; } = new List<uint>();

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: r.AddPacked(Class); break;
                    case 8: r.AddOne(Class); break;
                    case 18: r.AddPacked(X); break;
                    case 16: r.AddOne(X); break;
                    case 26: r.AddPacked(Y); break;
                    case 24: r.AddOne(Y); break;
                    case 34: r.AddPacked(Ago); break;
                    case 32: r.AddOne(Ago); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            w.Packed(10, Class);
            w.Packed(18, X);
            w.Packed(26, Y);
            w.Packed(34, Ago);
        }
    }

    /// <summary>
    /// Ghosts are structures that are out of sight, as last seen. Their handles are
    /// from the same numbers as those of entities. A ghost can be the target of an
    /// order to attack, harvest or rally, which then uses its remembered place. It
    /// cannot be followed or built.
    /// </summary>
    public sealed class Ghosts : IMessage
    {
        /// <summary>new or changed ghosts: the first handle, then differences</summary>
        public List<uint> Handle { get; } = new List<uint>();
        public List<uint> Type { get; } = new List<uint>();
        /// <summary>slot + 1; 0: nobody</summary>
        public List<uint> Owner { get; } = new List<uint>();
        /// <summary>world units</summary>
        public List<uint> X { get; } = new List<uint>();
        public List<uint> Y { get; } = new List<uint>();
        public List<uint> Facing { get; } = new List<uint>();
        public List<uint> HpMissing { get; } = new List<uint>();
        /// <summary>of a feature</summary>
        public List<uint> Amount { get; } = new List<uint>();
        /// <summary>ghosts to remove before new ones are added: the first handle, then differences</summary>
        public List<uint> Gone { get; } = new List<uint>();

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: r.AddPacked(Handle); break;
                    case 8: r.AddOne(Handle); break;
                    case 18: r.AddPacked(Type); break;
                    case 16: r.AddOne(Type); break;
                    case 26: r.AddPacked(Owner); break;
                    case 24: r.AddOne(Owner); break;
                    case 34: r.AddPacked(X); break;
                    case 32: r.AddOne(X); break;
                    case 42: r.AddPacked(Y); break;
                    case 40: r.AddOne(Y); break;
                    case 50: r.AddPacked(Facing); break;
                    case 48: r.AddOne(Facing); break;
                    case 58: r.AddPacked(HpMissing); break;
                    case 56: r.AddOne(HpMissing); break;
                    case 74: r.AddPacked(Amount); break;
                    case 72: r.AddOne(Amount); break;
                    case 66: r.AddPacked(Gone); break;
                    case 64: r.AddOne(Gone); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            w.Packed(10, Handle);
            w.Packed(18, Type);
            w.Packed(26, Owner);
            w.Packed(34, X);
            w.Packed(42, Y);
            w.Packed(50, Facing);
            w.Packed(58, HpMissing);
            w.Packed(74, Amount);
            w.Packed(66, Gone);
        }
    }

    /// <summary>
    /// MaskRows has the present rows of the team's mask, as runs of tiles: dark,
    /// visible, dark, and so on from x = 0. The tiles after the last run are dark.
    /// Visible tiles are explored from then on; this is not sent separately.
    /// </summary>
    public sealed class MaskRows : IMessage
    {
        /// <summary>y of the first row, then differences</summary>
        public List<uint> Row { get; } = new List<uint>();
        /// <summary>how many runs each row has; 0: this row's visible tiles are not sent</summary>
        public List<uint> VisibleRuns { get; } = new List<uint>();
        /// <summary>the runs of all rows, one after another</summary>
        public List<uint> Visible { get; } = new List<uint>();
        /// <summary>the same for explored tiles</summary>
        public List<uint> ExploredRuns { get; } = new List<uint>();
        public List<uint> Explored { get; } = new List<uint>();

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: r.AddPacked(Row); break;
                    case 8: r.AddOne(Row); break;
                    case 18: r.AddPacked(VisibleRuns); break;
                    case 16: r.AddOne(VisibleRuns); break;
                    case 26: r.AddPacked(Visible); break;
                    case 24: r.AddOne(Visible); break;
                    case 34: r.AddPacked(ExploredRuns); break;
                    case 32: r.AddOne(ExploredRuns); break;
                    case 42: r.AddPacked(Explored); break;
                    case 40: r.AddOne(Explored); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            w.Packed(10, Row);
            w.Packed(18, VisibleRuns);
            w.Packed(26, Visible);
            w.Packed(34, ExploredRuns);
            w.Packed(42, Explored);
        }
    }

    /// <summary>
    /// Events are what the team saw happen at a place. When bytes are short they are
    /// dropped first.
    /// </summary>
    public sealed class Events : IMessage
    {
        public List<uint> Kind { get; } = new List<uint>();
        /// <summary>world units; the end of a shot, or where it happened</summary>
        public List<uint> X { get; } = new List<uint>();
        public List<uint> Y { get; } = new List<uint>();
        /// <summary>weapon or type number, or class of sound, by kind</summary>
        public List<uint> What { get; } = new List<uint>();
        /// <summary>handle of the entity that did it; 0: not seen</summary>
        public List<uint> Source { get; } = new List<uint>();
        /// <summary>never sent: rows of fire have shots at units, no other event has a target</summary>
        public List<uint> Target { get; } = new List<uint>();

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: r.AddPacked(Kind); break;
                    case 8: r.AddOne(Kind); break;
                    case 18: r.AddPacked(X); break;
                    case 16: r.AddOne(X); break;
                    case 26: r.AddPacked(Y); break;
                    case 24: r.AddOne(Y); break;
                    case 34: r.AddPacked(What); break;
                    case 32: r.AddOne(What); break;
                    case 42: r.AddPacked(Source); break;
                    case 40: r.AddOne(Source); break;
                    case 50: r.AddPacked(Target); break;
                    case 48: r.AddOne(Target); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            w.Packed(10, Kind);
            w.Packed(18, X);
            w.Packed(26, Y);
            w.Packed(34, What);
            w.Packed(42, Source);
            w.Packed(50, Target);
        }
    }

    /// <summary>PlayerNote is a public change of a player's state.</summary>
    public sealed class PlayerNote : IMessage
    {
        public uint Slot { get; set; }
        public PlayerState State { get; set; }
        /// <summary>
        /// Of a person who has taken the seat over from a bot in the match; empty: who
        /// plays is as in the welcome.
        /// </summary>
        public string Name { get; set; } = "";
        /// <summary>
        /// The player's score, if these eyes may know it: a team knows the scores of its own
        /// players, and all scores in a mode that shows them. Absent: not known.
        /// </summary>
        public int? Score { get; set; }
        /// <summary>
        /// The values that the mode shows of the player's team, in the order of the welcome's
        /// mode_values, as far as these eyes may know them: to other teams only open ones,
        /// until the match is over.
        /// </summary>
        public List<uint> Values { get; } = new List<uint>();

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Slot = r.UInt32(); break;
                    case 16: State = (PlayerState)r.Int32(); break;
                    case 26: Name = r.String(); break;
                    case 32: Score = r.SInt32(); break;
                    case 42: r.AddPacked(Values); break;
                    case 40: r.AddOne(Values); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Slot != 0) w.UInt32(8, Slot);
            if (State != 0) w.UInt32(16, (uint)State);
            if (Name.Length > 0) w.String(26, Name);
            if (Score != null) w.SInt32(32, Score.Value);
            w.Packed(42, Values);
        }
    }

    /// <summary>
    /// Said is a line of chat; or, if `handed` is set, nobody said anything: the team is
    /// told what became of the units of the player `slot`.
    /// </summary>
    public sealed class Said : IMessage
    {
        public uint Slot { get; set; }
        /// <summary>it was said to everybody</summary>
        public bool All { get; set; }
        public string Text { get; set; } = "";
        public Handed Handed { get; set; }
        /// <summary>with handed: so many units and structures</summary>
        public uint Units { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Slot = r.UInt32(); break;
                    case 16: All = r.Bool(); break;
                    case 26: Text = r.String(); break;
                    case 32: Handed = (Handed)r.Int32(); break;
                    case 40: Units = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Slot != 0) w.UInt32(8, Slot);
            if (All) w.UInt32(16, 1);
            if (Text.Length > 0) w.String(26, Text);
            if (Handed != 0) w.UInt32(32, (uint)Handed);
            if (Units != 0) w.UInt32(40, Units);
        }
    }

    public sealed class Pinged : IMessage
    {
        public uint Slot { get; set; }
        public PingKind Kind { get; set; }
        public Point At { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Slot = r.UInt32(); break;
                    case 16: Kind = (PingKind)r.Int32(); break;
                    case 26: r.Message(At ?? (At = new Point())); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Slot != 0) w.UInt32(8, Slot);
            if (Kind != 0) w.UInt32(16, (uint)Kind);
            if (At != null) w.Message(26, At);
        }
    }

    /// <summary>Answer is the answer to an order, a chat line or a ping.</summary>
    public sealed class Answer : IMessage
    {
        public uint Seq { get; set; }
        /// <summary>
        /// 0: accepted. Otherwise the code that all units of the order share, or that of
        /// the first unit.
        /// index into Welcome.codes
        /// </summary>
        public uint Code { get; set; }
        /// <summary>The first 32 units that were left out of an accepted order, and their codes.</summary>
        public List<uint> LeftOut { get; } = new List<uint>();
        public List<uint> LeftOutCode { get; } = new List<uint>();
        /// <summary>This many numbers after seq have the same answer.</summary>
        public uint More { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Seq = r.UInt32(); break;
                    case 16: Code = r.UInt32(); break;
                    case 26: r.AddPacked(LeftOut); break;
                    case 24: r.AddOne(LeftOut); break;
                    case 34: r.AddPacked(LeftOutCode); break;
                    case 32: r.AddOne(LeftOutCode); break;
                    case 40: More = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Seq != 0) w.UInt32(8, Seq);
            if (Code != 0) w.UInt32(16, Code);
            w.Packed(26, LeftOut);
            w.Packed(34, LeftOutCode);
            if (More != 0) w.UInt32(40, More);
        }
    }

    /// <summary>
    /// Own is what only the player itself may know. Absent fields did not change. Rows
    /// are packed as in ServerFrame. A snapshot clears all of it. When a handle leaves
    /// or has a row of owner, everything that was sent for it is cleared.
    /// </summary>
    public sealed class Own : IMessage
    {
        /// <summary>amount of each kind</summary>
        public List<uint> Resources { get; } = new List<uint>();
        /// <summary>with population_max</summary>
        public uint? Population { get; set; }
        public uint? PopulationMax { get; set; }
        /// <summary>
        /// Production queues that changed, each complete: rows of [handle difference,
        /// length n], then n type numbers (the first is in work), then, if n is not 0, the
        /// progress of the first in 1/255. The client advances it by the type's
        /// build_ticks, up to 255.
        /// </summary>
        public List<uint> Queues { get; } = new List<uint>();
        /// <summary>
        /// Rally points of structures: rows of [handle difference, place]. 0: none;
        /// otherwise the number of a CELL + 1.
        /// </summary>
        public List<uint> Rallies { get; } = new List<uint>();
        /// <summary>Units whose orders were cancelled, and the codes (TARGET_LOST and others).</summary>
        public List<uint> Cancelled { get; } = new List<uint>();
        public List<uint> CancelledCode { get; } = new List<uint>();
        /// <summary>
        /// What units do: rows of [handle difference, kind * 3 + p]. kind is an OrderKind;
        /// 0: nothing. p = 0: no place. p = 1: a third number is the CELL that the unit's
        /// group goes to. p = 2: the same cell as the last row before that had one.
        /// </summary>
        public List<uint> Tasks { get; } = new List<uint>();
        /// <summary>
        /// Projectiles that this client's orders with a `request` started: rows of
        /// [request, handle]. Each number comes once at most. A shot that the client
        /// showed at once becomes this entity, which may come into sight before this row,
        /// with it, later, or not at all if its flight was over between two frames.
        /// </summary>
        public List<uint> Started { get; } = new List<uint>();
        /// <summary>rows of [handle difference, energy]</summary>
        public List<uint> Energy { get; } = new List<uint>();
        /// <summary>
        /// How often a unit has spent energy at once, modulo 128: rows of [handle difference,
        /// times]. What an ability drains while it is on is not counted.
        /// </summary>
        public List<uint> EnergyChanges { get; } = new List<uint>();
        /// <summary>
        /// When abilities can be used: rows of [handle difference, index in the type's
        /// list, ticks from this frame's tick on]. 0 ticks: ready. All are ready at first.
        /// Passive abilities are not sent.
        /// </summary>
        public List<uint> Ready { get; } = new List<uint>();
        /// <summary>
        /// Abilities that started: rows of [handle difference, index in the type's list,
        /// ends, request]. ends = 0: not by itself; otherwise 1 + ticks from this frame's
        /// tick on. request: the number that this client's order gave it, 0: none. A client
        /// that showed the start at once finds it by this number and does not start it
        /// again. That an ability ended, ServerFrame.actions says. Passive abilities are not
        /// sent: they end AbilityInfo.duration_ticks after they began.
        /// </summary>
        public List<uint> Running { get; } = new List<uint>();
        /// <summary>
        /// Whether units may use their abilities, and why: rows of [handle difference,
        /// index in the type's list, AbilityGrant]. Those of a new unit are 0.
        /// </summary>
        public List<uint> Grants { get; } = new List<uint>();
        /// <summary>
        /// How units are to use their weapons (order FIRE): rows of [handle difference, bits].
        /// 1: fire at the targets of orders alone. 2: alternate fire. 4: the first weapon
        /// alone. 8: the second alone. 16: the stance is aggressive. 32: it holds its ground. A new
        /// unit has 0.
        /// </summary>
        public List<uint> Firing { get; } = new List<uint>();
        /// <summary>
        /// Values that the ruleset declares, of Welcome.values with the class `owner`: rows as
        /// of ServerFrame.values.
        /// </summary>
        public List<uint> OwnerValues { get; } = new List<uint>();
        /// <summary>The upgrades that the player's team has, all of them: type numbers. Absent: as before.</summary>
        public List<uint> Upgrades { get; } = new List<uint>();
        /// <summary>
        /// The units in transports, all of a transport whose passengers changed: rows of [handle
        /// difference of the transport, place in it from 0, type number + 1, health missing]. A row
        /// with place 0 begins the transport's list anew; type 0 there: it is empty.
        /// </summary>
        public List<uint> Passengers { get; } = new List<uint>();

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: r.AddPacked(Resources); break;
                    case 8: r.AddOne(Resources); break;
                    case 16: Population = r.UInt32(); break;
                    case 24: PopulationMax = r.UInt32(); break;
                    case 34: r.AddPacked(Queues); break;
                    case 32: r.AddOne(Queues); break;
                    case 42: r.AddPacked(Rallies); break;
                    case 40: r.AddOne(Rallies); break;
                    case 50: r.AddPacked(Cancelled); break;
                    case 48: r.AddOne(Cancelled); break;
                    case 58: r.AddPacked(CancelledCode); break;
                    case 56: r.AddOne(CancelledCode); break;
                    case 66: r.AddPacked(Tasks); break;
                    case 64: r.AddOne(Tasks); break;
                    case 74: r.AddPacked(Started); break;
                    case 72: r.AddOne(Started); break;
                    case 82: r.AddPacked(Energy); break;
                    case 80: r.AddOne(Energy); break;
                    case 98: r.AddPacked(EnergyChanges); break;
                    case 96: r.AddOne(EnergyChanges); break;
                    case 90: r.AddPacked(Ready); break;
                    case 88: r.AddOne(Ready); break;
                    case 106: r.AddPacked(Running); break;
                    case 104: r.AddOne(Running); break;
                    case 114: r.AddPacked(Grants); break;
                    case 112: r.AddOne(Grants); break;
                    case 122: r.AddPacked(Firing); break;
                    case 120: r.AddOne(Firing); break;
                    case 130: r.AddPacked(OwnerValues); break;
                    case 128: r.AddOne(OwnerValues); break;
                    case 138: r.AddPacked(Upgrades); break;
                    case 136: r.AddOne(Upgrades); break;
                    case 146: r.AddPacked(Passengers); break;
                    case 144: r.AddOne(Passengers); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            w.Packed(10, Resources);
            if (Population != null) w.UInt32(16, Population.Value);
            if (PopulationMax != null) w.UInt32(24, PopulationMax.Value);
            w.Packed(34, Queues);
            w.Packed(42, Rallies);
            w.Packed(50, Cancelled);
            w.Packed(58, CancelledCode);
            w.Packed(66, Tasks);
            w.Packed(74, Started);
            w.Packed(82, Energy);
            w.Packed(98, EnergyChanges);
            w.Packed(90, Ready);
            w.Packed(106, Running);
            w.Packed(114, Grants);
            w.Packed(122, Firing);
            w.Packed(130, OwnerValues);
            w.Packed(138, Upgrades);
            w.Packed(146, Passengers);
        }
    }

    /// <summary>Welcome is the first message to a client.</summary>
    public sealed class Welcome : IMessage
    {
        public uint Protocol { get; set; }
        public string MatchId { get; set; } = "";
        /// <summary>GET /maps/{hash}</summary>
        public string MapHash { get; set; } = "";
        /// <summary>ticks a second</summary>
        public uint TickRate { get; set; }
        /// <summary>
        /// The player's team, or the team whose view a spectator has. 255: the spectator
        /// sees what any team sees.
        /// </summary>
        public uint Team { get; set; }
        /// <summary>255: none, a spectator</summary>
        public uint Slot { get; set; }
        /// <summary>index = slot</summary>
        public List<Player> Players { get; } = new List<Player>();
        /// <summary>
        /// The part of the rules that a client needs.
        /// index = type number
        /// </summary>
        public List<TypeInfo> Types { get; } = new List<TypeInfo>();
        /// <summary>index = answer code; 0 is "OK"</summary>
        public List<string> Codes { get; } = new List<string>();
        /// <summary>names of the kinds of resources</summary>
        public List<string> Resources { get; } = new List<string>();
        /// <summary>index = ability number</summary>
        public List<AbilityInfo> Abilities { get; } = new List<AbilityInfo>();
        /// <summary>index = weapon number</summary>
        public List<WeaponInfo> Weapons { get; } = new List<WeaponInfo>();
        public string RulesHash { get; set; } = "";
        /// <summary>The resume token: it opens this seat again after a lost connection.</summary>
        public string Resume { get; set; } = "";
        /// <summary>0 none, 1 high ground, 2 line of sight</summary>
        public uint Occlusion { get; set; }
        /// <summary>the connection's budget; 0: none</summary>
        public uint BytesPerS { get; set; }
        /// <summary>
        /// The client is a spectator. It has no units, gets only the chat to everybody,
        /// and each of its orders is answered NOT_ALIVE. If team is 255, the units and
        /// structures of all players give it sight, otherwise those of that team.
        /// </summary>
        public bool Spectator { get; set; }
        /// <summary>How many ticks a spectator's frames are behind the match; 0: not delayed.</summary>
        public uint DelayTicks { get; set; }
        /// <summary>
        /// How long destroyed units and structures still give sight to their team
        /// (docs/reference/protocol.md).
        /// </summary>
        public uint DyingSightTicks { get; set; }
        /// <summary>
        /// How many orders the match takes from this player: sustained in a second, and
        /// at once after a pause. More are answered RATE_LIMITED.
        /// </summary>
        public uint OrdersPerS { get; set; }
        public uint OrderBurst { get; set; }
        /// <summary>The most lag of a player that is compensated (docs/reference/rules.md, "Lag").</summary>
        public uint LagMaxTicks { get; set; }
        /// <summary>index = number of the effect</summary>
        public List<EffectInfo> Effects { get; } = new List<EffectInfo>();
        /// <summary>names of the kinds of armour</summary>
        public List<string> Armours { get; } = new List<string>();
        /// <summary>how the match is won (docs/reference/rules.md)</summary>
        public string Mode { get; set; } = "";
        /// <summary>0: none</summary>
        public uint TimeLimitTicks { get; set; }
        /// <summary>the score of a team that ends the match; 0: none</summary>
        public uint ScoreLimit { get; set; }
        /// <summary>
        /// Further servers of the service, four at most: each knows where the match is
        /// when this one does not answer. Addresses as in Closing.url.
        /// </summary>
        public List<string> Servers { get; } = new List<string>();
        /// <summary>
        /// What is shown is a replay: frames follow ReplayControl. A snapshot may be of an
        /// earlier tick than the frame before, and clears what is explored as well.
        /// </summary>
        public ReplayInfo Replay { get; set; }
        /// <summary>values that the mode shows, 8 at most; open ones first</summary>
        public List<ModeValue> ModeValues { get; } = new List<ModeValue>();
        /// <summary>names of the classes of sounds that teams hear</summary>
        public List<string> Sounds { get; } = new List<string>();
        /// <summary>values of entities that the ruleset declares, 32 at most</summary>
        public List<ValueInfo> Values { get; } = new List<ValueInfo>();
        /// <summary>areas of the map that the mode shows, 16 at most</summary>
        public List<ModeArea> ModeAreas { get; } = new List<ModeArea>();
        /// <summary>of the ruleset, 16 at most</summary>
        public List<FactionInfo> Factions { get; } = new List<FactionInfo>();
        /// <summary>of attributes that the ruleset shows in its own way, 35 at most</summary>
        public List<DisplayInfo> Displays { get; } = new List<DisplayInfo>();
        /// <summary>of the pack that the rules come from, in hexadecimal; GET /packs/{hash} has the index of its models, pictures, sounds and texts; "": no pack</summary>
        public string PackHash { get; set; } = "";
        /// <summary>names of the classes of signatures that radar finds</summary>
        public List<string> Signatures { get; } = new List<string>();
        /// <summary>so long after radar found it a contact ends; 0: the ruleset has no radar</summary>
        public uint ContactTicks { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Protocol = r.UInt32(); break;
                    case 18: MatchId = r.String(); break;
                    case 26: MapHash = r.String(); break;
                    case 32: TickRate = r.UInt32(); break;
                    case 40: Team = r.UInt32(); break;
                    case 48: Slot = r.UInt32(); break;
                    case 58: r.Add(Players); break;
                    case 66: r.Add(Types); break;
                    case 74: r.Add(Codes); break;
                    case 82: r.Add(Resources); break;
                    case 90: r.Add(Abilities); break;
                    case 98: r.Add(Weapons); break;
                    case 106: RulesHash = r.String(); break;
                    case 114: Resume = r.String(); break;
                    case 120: Occlusion = r.UInt32(); break;
                    case 128: BytesPerS = r.UInt32(); break;
                    case 136: Spectator = r.Bool(); break;
                    case 144: DelayTicks = r.UInt32(); break;
                    case 152: DyingSightTicks = r.UInt32(); break;
                    case 160: OrdersPerS = r.UInt32(); break;
                    case 168: OrderBurst = r.UInt32(); break;
                    case 176: LagMaxTicks = r.UInt32(); break;
                    case 186: r.Add(Effects); break;
                    case 194: r.Add(Armours); break;
                    case 202: Mode = r.String(); break;
                    case 208: TimeLimitTicks = r.UInt32(); break;
                    case 232: ScoreLimit = r.UInt32(); break;
                    case 218: r.Add(Servers); break;
                    case 226: r.Message(Replay ?? (Replay = new ReplayInfo())); break;
                    case 242: r.Add(ModeValues); break;
                    case 250: r.Add(Sounds); break;
                    case 258: r.Add(Values); break;
                    case 266: r.Add(ModeAreas); break;
                    case 274: r.Add(Factions); break;
                    case 306: r.Add(Displays); break;
                    case 282: PackHash = r.String(); break;
                    case 290: r.Add(Signatures); break;
                    case 296: ContactTicks = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Protocol != 0) w.UInt32(8, Protocol);
            if (MatchId.Length > 0) w.String(18, MatchId);
            if (MapHash.Length > 0) w.String(26, MapHash);
            if (TickRate != 0) w.UInt32(32, TickRate);
            if (Team != 0) w.UInt32(40, Team);
            if (Slot != 0) w.UInt32(48, Slot);
            foreach (var x in Players) w.Message(58, x);
            foreach (var x in Types) w.Message(66, x);
            foreach (var x in Codes) w.String(74, x);
            foreach (var x in Resources) w.String(82, x);
            foreach (var x in Abilities) w.Message(90, x);
            foreach (var x in Weapons) w.Message(98, x);
            if (RulesHash.Length > 0) w.String(106, RulesHash);
            if (Resume.Length > 0) w.String(114, Resume);
            if (Occlusion != 0) w.UInt32(120, Occlusion);
            if (BytesPerS != 0) w.UInt32(128, BytesPerS);
            if (Spectator) w.UInt32(136, 1);
            if (DelayTicks != 0) w.UInt32(144, DelayTicks);
            if (DyingSightTicks != 0) w.UInt32(152, DyingSightTicks);
            if (OrdersPerS != 0) w.UInt32(160, OrdersPerS);
            if (OrderBurst != 0) w.UInt32(168, OrderBurst);
            if (LagMaxTicks != 0) w.UInt32(176, LagMaxTicks);
            foreach (var x in Effects) w.Message(186, x);
            foreach (var x in Armours) w.String(194, x);
            if (Mode.Length > 0) w.String(202, Mode);
            if (TimeLimitTicks != 0) w.UInt32(208, TimeLimitTicks);
            if (ScoreLimit != 0) w.UInt32(232, ScoreLimit);
            foreach (var x in Servers) w.String(218, x);
            if (Replay != null) w.Message(226, Replay);
            foreach (var x in ModeValues) w.Message(242, x);
            foreach (var x in Sounds) w.String(250, x);
            foreach (var x in Values) w.Message(258, x);
            foreach (var x in ModeAreas) w.Message(266, x);
            foreach (var x in Factions) w.Message(274, x);
            foreach (var x in Displays) w.Message(306, x);
            if (PackHash.Length > 0) w.String(282, PackHash);
            foreach (var x in Signatures) w.String(290, x);
            if (ContactTicks != 0) w.UInt32(296, ContactTicks);
        }
    }

    /// <summary>FactionInfo is a side that players choose before the match.</summary>
    public sealed class FactionInfo : IMessage
    {
        public string Name { get; set; } = "";
        /// <summary>about the faction, in the ruleset's language</summary>
        public string Text { get; set; } = "";
        /// <summary>0xRRGGBB, for lists; 0: none</summary>
        public uint Color { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: Name = r.String(); break;
                    case 18: Text = r.String(); break;
                    case 24: Color = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Name.Length > 0) w.String(10, Name);
            if (Text.Length > 0) w.String(18, Text);
            if (Color != 0) w.UInt32(24, Color);
        }
    }

    /// <summary>ModeArea is a circle of the map that the mode's rules are about, such as a hill to hold.</summary>
    public sealed class ModeArea : IMessage
    {
        public string Name { get; set; } = "";
        /// <summary>tile of the middle</summary>
        public uint X { get; set; }
        public uint Y { get; set; }
        /// <summary>world units</summary>
        public uint Radius { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: Name = r.String(); break;
                    case 16: X = r.UInt32(); break;
                    case 24: Y = r.UInt32(); break;
                    case 32: Radius = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Name.Length > 0) w.String(10, Name);
            if (X != 0) w.UInt32(16, X);
            if (Y != 0) w.UInt32(24, Y);
            if (Radius != 0) w.UInt32(32, Radius);
        }
    }

    /// <summary>ValueInfo is a whole number of units and structures that the ruleset declares.</summary>
    public sealed class ValueInfo : IMessage
    {
        public string Name { get; set; } = "";
        public int Min { get; set; }
        public int Max { get; set; }
        /// <summary>
        /// owner, seeing or all: who may know it (docs/reference/rules.md). The values of the class owner
        /// are in Own, the others in ServerFrame.
        /// </summary>
        public string Class { get; set; } = "";
        /// <summary>change, initial, acting, affected or damaged: while it is sent.</summary>
        public string When { get; set; } = "";

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: Name = r.String(); break;
                    case 16: Min = r.SInt32(); break;
                    case 24: Max = r.SInt32(); break;
                    case 34: Class = r.String(); break;
                    case 42: When = r.String(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Name.Length > 0) w.String(10, Name);
            if (Min != 0) w.SInt32(16, Min);
            if (Max != 0) w.SInt32(24, Max);
            if (Class.Length > 0) w.String(34, Class);
            if (When.Length > 0) w.String(42, When);
        }
    }

    /// <summary>
    /// DisplayInfo says how to show an attribute of units and structures. Attributes without one
    /// are shown as usual: bars of health and shield, and numbers for their losses.
    /// </summary>
    public sealed class DisplayInfo : IMessage
    {
        /// <summary>health, shield, energy, or the name of a value</summary>
        public string Of { get; set; } = "";
        /// <summary>
        /// When its bar is over the entity: always; marked, over selected entities and the one under
        /// the pointer; setting, as the player has set. "": it has no bar.
        /// </summary>
        public string Bar { get; set; } = "";
        /// <summary>of its bars, 0xRRGGBB; 0: the usual one</summary>
        public uint Color { get; set; }
        /// <summary>of its row in the panel of the selected entity; "": it has no row</summary>
        public string Icon { get; set; } = "";
        /// <summary>colour of the numbers that rise as it falls; 0: there are none</summary>
        public uint Loss { get; set; }
        /// <summary>the same as it grows</summary>
        public uint Gain { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: Of = r.String(); break;
                    case 18: Bar = r.String(); break;
                    case 24: Color = r.UInt32(); break;
                    case 34: Icon = r.String(); break;
                    case 40: Loss = r.UInt32(); break;
                    case 48: Gain = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Of.Length > 0) w.String(10, Of);
            if (Bar.Length > 0) w.String(18, Bar);
            if (Color != 0) w.UInt32(24, Color);
            if (Icon.Length > 0) w.String(34, Icon);
            if (Loss != 0) w.UInt32(40, Loss);
            if (Gain != 0) w.UInt32(48, Gain);
        }
    }

    /// <summary>ModeValue is a whole number that the mode shows of each team.</summary>
    public sealed class ModeValue : IMessage
    {
        public string Name { get; set; } = "";
        /// <summary>each team is told those of all; else only its own, until the match is over</summary>
        public bool Open { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: Name = r.String(); break;
                    case 16: Open = r.Bool(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Name.Length > 0) w.String(10, Name);
            if (Open) w.UInt32(16, 1);
        }
    }

    public sealed class Player : IMessage
    {
        public string Name { get; set; } = "";
        public uint Team { get; set; }
        public uint Color { get; set; }
        public bool Bot { get; set; }
        public PlayerState State { get; set; }
        /// <summary>index into the map's starts, plus 1; 0: not sent</summary>
        public uint Start { get; set; }
        /// <summary>index into the welcome's factions, plus 1; 0: none</summary>
        public uint Faction { get; set; }
        /// <summary>
        /// The seat's handicap in percent, 10 to 400; 0: 100.
        /// of the resources at the start
        /// </summary>
        public uint HandicapStart { get; set; }
        /// <summary>of each load that workers bring</summary>
        public uint HandicapIncome { get; set; }
        /// <summary>of the damage that the player does</summary>
        public uint HandicapDamage { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: Name = r.String(); break;
                    case 16: Team = r.UInt32(); break;
                    case 24: Color = r.UInt32(); break;
                    case 32: Bot = r.Bool(); break;
                    case 40: State = (PlayerState)r.Int32(); break;
                    case 48: Start = r.UInt32(); break;
                    case 56: Faction = r.UInt32(); break;
                    case 64: HandicapStart = r.UInt32(); break;
                    case 72: HandicapIncome = r.UInt32(); break;
                    case 80: HandicapDamage = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Name.Length > 0) w.String(10, Name);
            if (Team != 0) w.UInt32(16, Team);
            if (Color != 0) w.UInt32(24, Color);
            if (Bot) w.UInt32(32, 1);
            if (State != 0) w.UInt32(40, (uint)State);
            if (Start != 0) w.UInt32(48, Start);
            if (Faction != 0) w.UInt32(56, Faction);
            if (HandicapStart != 0) w.UInt32(64, HandicapStart);
            if (HandicapIncome != 0) w.UInt32(72, HandicapIncome);
            if (HandicapDamage != 0) w.UInt32(80, HandicapDamage);
        }
    }

    public sealed class TypeInfo : IMessage
    {
        public string Name { get; set; } = "";
        public TypeClass Class { get; set; }
        public uint Health { get; set; }
        /// <summary>half tiles</summary>
        public uint Sight { get; set; }
        /// <summary>full speed, 1/64 world unit a tick</summary>
        public uint Speed { get; set; }
        /// <summary>
        /// Units: radius in world units. Structures: width of the footprint in tiles. Projectiles: 0, or the radius in world units
        /// of an area that an ability lays; its speed is 0.
        /// </summary>
        public uint Size { get; set; }
        /// <summary>structures: height of the footprint in tiles</summary>
        public uint SizeY { get; set; }
        /// <summary>type numbers of structures that the player must have</summary>
        public List<uint> Needs { get; } = new List<uint>();
        /// <summary>0 ground, 1 hover, 2 naval, 3 air</summary>
        public uint MoveKind { get; set; }
        /// <summary>of each resource</summary>
        public List<uint> Cost { get; } = new List<uint>();
        public uint BuildTicks { get; set; }
        public uint Population { get; set; }
        /// <summary>weapon numbers</summary>
        public List<uint> Weapons { get; } = new List<uint>();
        /// <summary>ability numbers</summary>
        public List<uint> Abilities { get; } = new List<uint>();
        /// <summary>type numbers</summary>
        public List<uint> Trains { get; } = new List<uint>();
        public List<uint> Builds { get; } = new List<uint>();
        public bool Worker { get; set; }
        /// <summary>it sees every level</summary>
        public bool FlyerSight { get; set; }
        public uint LevelBonus { get; set; }
        /// <summary>half tiles</summary>
        public uint Detect { get; set; }
        /// <summary>how far it turns in a tick, 256ths of a turn</summary>
        public uint Turn { get; set; }
        /// <summary>full shield; 0: it has none</summary>
        public uint Shield { get; set; }
        /// <summary>its kind of armour: index into Welcome.armours</summary>
        public uint Armour { get; set; }
        /// <summary>full energy; 0: it has none</summary>
        public uint Energy { get; set; }
        /// <summary>room for so much population</summary>
        public uint PopulationGives { get; set; }
        /// <summary>workers bring to it what they carry</summary>
        public bool DropOff { get; set; }
        /// <summary>in skirmish a team that has none of these is defeated</summary>
        public bool Centre { get; set; }
        /// <summary>the values that it has</summary>
        public List<TypeValue> Values { get; } = new List<TypeValue>();
        /// <summary>0 none, 1 obstacle, 2 bridge, 3 gate, 4 pickup, 5 switch, 6 mine, 7 flood: amount is 1 for an open gate, a raised bridge, flooded ground, a full pickup, a switch that is on and an armed mine</summary>
        public uint Feature { get; set; }
        /// <summary>its tile stands one level higher for lines of sight</summary>
        public bool BlocksSight { get; set; }
        /// <summary>it can be attacked without an owner</summary>
        public bool Breakable { get; set; }
        /// <summary>type numbers: it restores their health (order REPAIR)</summary>
        public List<uint> Repairs { get; } = new List<uint>();
        /// <summary>it stands beside water only</summary>
        public bool Shore { get; set; }
        /// <summary>of a transport: how many it has</summary>
        public uint Slots { get; set; }
        /// <summary>of a transport: type numbers of the units that it takes in</summary>
        public List<uint> Carries { get; } = new List<uint>();
        /// <summary>of a unit, where not 1: how many slots of a transport it takes</summary>
        public uint Takes { get; set; }
        /// <summary>of a resource: destroyed units or structures leave it, with `amount` for workers</summary>
        public bool Wreck { get; set; }
        /// <summary>1 + index into Welcome.signatures; 0: radar does not find it</summary>
        public uint Signature { get; set; }
        /// <summary>radius of its radar, world units; 0: it has none</summary>
        public uint Radar { get; set; }
        /// <summary>radius in which it hides its team from radar, world units; 0: it does not</summary>
        public uint Jam { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: Name = r.String(); break;
                    case 16: Class = (TypeClass)r.Int32(); break;
                    case 24: Health = r.UInt32(); break;
                    case 32: Sight = r.UInt32(); break;
                    case 40: Speed = r.UInt32(); break;
                    case 48: Size = r.UInt32(); break;
                    case 160: SizeY = r.UInt32(); break;
                    case 154: r.AddPacked(Needs); break;
                    case 152: r.AddOne(Needs); break;
                    case 56: MoveKind = r.UInt32(); break;
                    case 66: r.AddPacked(Cost); break;
                    case 64: r.AddOne(Cost); break;
                    case 72: BuildTicks = r.UInt32(); break;
                    case 80: Population = r.UInt32(); break;
                    case 90: r.AddPacked(Weapons); break;
                    case 88: r.AddOne(Weapons); break;
                    case 98: r.AddPacked(Abilities); break;
                    case 96: r.AddOne(Abilities); break;
                    case 106: r.AddPacked(Trains); break;
                    case 104: r.AddOne(Trains); break;
                    case 114: r.AddPacked(Builds); break;
                    case 112: r.AddOne(Builds); break;
                    case 120: Worker = r.Bool(); break;
                    case 128: FlyerSight = r.Bool(); break;
                    case 136: LevelBonus = r.UInt32(); break;
                    case 144: Detect = r.UInt32(); break;
                    case 176: Turn = r.UInt32(); break;
                    case 168: Shield = r.UInt32(); break;
                    case 184: Armour = r.UInt32(); break;
                    case 192: Energy = r.UInt32(); break;
                    case 200: PopulationGives = r.UInt32(); break;
                    case 208: DropOff = r.Bool(); break;
                    case 216: Centre = r.Bool(); break;
                    case 226: r.Add(Values); break;
                    case 232: Feature = r.UInt32(); break;
                    case 240: BlocksSight = r.Bool(); break;
                    case 248: Breakable = r.Bool(); break;
                    case 258: r.AddPacked(Repairs); break;
                    case 256: r.AddOne(Repairs); break;
                    case 328: Shore = r.Bool(); break;
                    case 304: Slots = r.UInt32(); break;
                    case 314: r.AddPacked(Carries); break;
                    case 312: r.AddOne(Carries); break;
                    case 320: Takes = r.UInt32(); break;
                    case 264: Wreck = r.Bool(); break;
                    case 272: Signature = r.UInt32(); break;
                    case 280: Radar = r.UInt32(); break;
                    case 288: Jam = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Name.Length > 0) w.String(10, Name);
            if (Class != 0) w.UInt32(16, (uint)Class);
            if (Health != 0) w.UInt32(24, Health);
            if (Sight != 0) w.UInt32(32, Sight);
            if (Speed != 0) w.UInt32(40, Speed);
            if (Size != 0) w.UInt32(48, Size);
            if (SizeY != 0) w.UInt32(160, SizeY);
            w.Packed(154, Needs);
            if (MoveKind != 0) w.UInt32(56, MoveKind);
            w.Packed(66, Cost);
            if (BuildTicks != 0) w.UInt32(72, BuildTicks);
            if (Population != 0) w.UInt32(80, Population);
            w.Packed(90, Weapons);
            w.Packed(98, Abilities);
            w.Packed(106, Trains);
            w.Packed(114, Builds);
            if (Worker) w.UInt32(120, 1);
            if (FlyerSight) w.UInt32(128, 1);
            if (LevelBonus != 0) w.UInt32(136, LevelBonus);
            if (Detect != 0) w.UInt32(144, Detect);
            if (Turn != 0) w.UInt32(176, Turn);
            if (Shield != 0) w.UInt32(168, Shield);
            if (Armour != 0) w.UInt32(184, Armour);
            if (Energy != 0) w.UInt32(192, Energy);
            if (PopulationGives != 0) w.UInt32(200, PopulationGives);
            if (DropOff) w.UInt32(208, 1);
            if (Centre) w.UInt32(216, 1);
            foreach (var x in Values) w.Message(226, x);
            if (Feature != 0) w.UInt32(232, Feature);
            if (BlocksSight) w.UInt32(240, 1);
            if (Breakable) w.UInt32(248, 1);
            w.Packed(258, Repairs);
            if (Shore) w.UInt32(328, 1);
            if (Slots != 0) w.UInt32(304, Slots);
            w.Packed(314, Carries);
            if (Takes != 0) w.UInt32(320, Takes);
            if (Wreck) w.UInt32(264, 1);
            if (Signature != 0) w.UInt32(272, Signature);
            if (Radar != 0) w.UInt32(280, Radar);
            if (Jam != 0) w.UInt32(288, Jam);
        }
    }

    /// <summary>TypeValue is a declared value that a type has.</summary>
    public sealed class TypeValue : IMessage
    {
        /// <summary>index into Welcome.values</summary>
        public uint Value { get; set; }
        public int Start { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Value = r.UInt32(); break;
                    case 16: Start = r.SInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Value != 0) w.UInt32(8, Value);
            if (Start != 0) w.SInt32(16, Start);
        }
    }

    public sealed class AbilityInfo : IMessage
    {
        public string Name { get; set; } = "";
        /// <summary>0 none, 1 unit, 2 ground</summary>
        public uint Target { get; set; }
        /// <summary>world units</summary>
        public uint Range { get; set; }
        public uint CooldownTicks { get; set; }
        public uint Energy { get; set; }
        /// <summary>it stays on and can be stopped</summary>
        public bool Lasting { get; set; }
        /// <summary>no order starts it</summary>
        public bool Passive { get; set; }
        /// <summary>radius that it shows, half tiles</summary>
        public uint Sight { get; set; }
        /// <summary>radius that it works on, world units</summary>
        public uint Radius { get; set; }
        /// <summary>
        /// What it does: apply, area, burn, cloak, deploy, rage, scan, sprint, or a kind that the
        /// server's program has registered. The ruleset chooses the name freely.
        /// </summary>
        public string Kind { get; set; } = "";
        /// <summary>weapon number + 1: while it is on, this is in place of the first weapon</summary>
        public uint Weapon { get; set; }
        /// <summary>it ends by itself; 0: it does not, or ends as it begins</summary>
        public uint DurationTicks { get; set; }
        /// <summary>what it puts on its target: number of the effect, plus 1; 0: nothing</summary>
        public uint Effect { get; set; }
        /// <summary>whose units it can be aimed at: 1 own and allied, 2 enemies, 3 both</summary>
        public uint Targets { get; set; }
        /// <summary>type numbers of structures that the player must have</summary>
        public List<uint> Needs { get; } = new List<uint>();
        /// <summary>index into Welcome.values, plus 1, of a value that its start takes points of; 0: none</summary>
        public uint Spends { get; set; }
        /// <summary>it starts only if the value stays at its min or above</summary>
        public uint SpendAmount { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: Name = r.String(); break;
                    case 16: Target = r.UInt32(); break;
                    case 24: Range = r.UInt32(); break;
                    case 32: CooldownTicks = r.UInt32(); break;
                    case 40: Energy = r.UInt32(); break;
                    case 48: Lasting = r.Bool(); break;
                    case 56: Passive = r.Bool(); break;
                    case 64: Sight = r.UInt32(); break;
                    case 72: Radius = r.UInt32(); break;
                    case 82: Kind = r.String(); break;
                    case 88: Weapon = r.UInt32(); break;
                    case 96: DurationTicks = r.UInt32(); break;
                    case 104: Effect = r.UInt32(); break;
                    case 112: Targets = r.UInt32(); break;
                    case 122: r.AddPacked(Needs); break;
                    case 120: r.AddOne(Needs); break;
                    case 128: Spends = r.UInt32(); break;
                    case 136: SpendAmount = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Name.Length > 0) w.String(10, Name);
            if (Target != 0) w.UInt32(16, Target);
            if (Range != 0) w.UInt32(24, Range);
            if (CooldownTicks != 0) w.UInt32(32, CooldownTicks);
            if (Energy != 0) w.UInt32(40, Energy);
            if (Lasting) w.UInt32(48, 1);
            if (Passive) w.UInt32(56, 1);
            if (Sight != 0) w.UInt32(64, Sight);
            if (Radius != 0) w.UInt32(72, Radius);
            if (Kind.Length > 0) w.String(82, Kind);
            if (Weapon != 0) w.UInt32(88, Weapon);
            if (DurationTicks != 0) w.UInt32(96, DurationTicks);
            if (Effect != 0) w.UInt32(104, Effect);
            if (Targets != 0) w.UInt32(112, Targets);
            w.Packed(122, Needs);
            if (Spends != 0) w.UInt32(128, Spends);
            if (SpendAmount != 0) w.UInt32(136, SpendAmount);
        }
    }

    /// <summary>EffectInfo is something that a weapon or an ability leaves on a unit for a time.</summary>
    public sealed class EffectInfo : IMessage
    {
        public string Name { get; set; } = "";
        /// <summary>
        /// What it does: damage, shield, slow, modify, or a kind that the server's program has
        /// registered. The strength of the last two is 0.
        /// </summary>
        public string Kind { get; set; } = "";
        /// <summary>0: it does not end by itself</summary>
        public uint DurationTicks { get; set; }
        /// <summary>
        /// damage: health it takes every every_ticks. shield: percent of damage that the
        /// unit takes. slow: percent of its speed.
        /// </summary>
        public uint Strength { get; set; }
        public uint EveryTicks { get; set; }
        /// <summary>of modify</summary>
        public List<AttributeChange> Changes { get; } = new List<AttributeChange>();

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: Name = r.String(); break;
                    case 18: Kind = r.String(); break;
                    case 24: DurationTicks = r.UInt32(); break;
                    case 32: Strength = r.UInt32(); break;
                    case 40: EveryTicks = r.UInt32(); break;
                    case 50: r.Add(Changes); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Name.Length > 0) w.String(10, Name);
            if (Kind.Length > 0) w.String(18, Kind);
            if (DurationTicks != 0) w.UInt32(24, DurationTicks);
            if (Strength != 0) w.UInt32(32, Strength);
            if (EveryTicks != 0) w.UInt32(40, EveryTicks);
            foreach (var x in Changes) w.Message(50, x);
        }
    }

    /// <summary>
    /// AttributeChange is a change to an attribute of a unit or structure while an effect is
    /// on it. Clients compute the value from the type's and from all effects on the entity:
    /// the value plus all `add`, at least 0; times (100 + all `percent`) / 100, at least 0, at
    /// most 10 times, speed 4 times; times the lowest cap_percent / 100; at most the lowest cap.
    /// Divisions round down. Full health is then at least 1, sight at most 64 half tiles.
    /// </summary>
    public sealed class AttributeChange : IMessage
    {
        /// <summary>
        /// 0 full health, 1 full shield, 2 full energy (thousandths), 3 percent of damage that it
        /// takes, 4 percent of its weapons' damage, 5 percent of their cooldown, 6 their range
        /// (world units), 7 full speed (1/64 world unit a tick), 8 sight (half tiles), 9 health
        /// that comes back per second, 10 percent of a hit that it gives back to the shooter.
        /// </summary>
        public uint Attribute { get; set; }
        public int Add { get; set; }
        /// <summary>more or less</summary>
        public int Percent { get; set; }
        /// <summary>0: no cap</summary>
        public uint CapPercent { get; set; }
        /// <summary>the cap, plus 1; 0: no cap</summary>
        public uint Cap { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Attribute = r.UInt32(); break;
                    case 16: Add = r.SInt32(); break;
                    case 24: Percent = r.SInt32(); break;
                    case 32: CapPercent = r.UInt32(); break;
                    case 40: Cap = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Attribute != 0) w.UInt32(8, Attribute);
            if (Add != 0) w.SInt32(16, Add);
            if (Percent != 0) w.SInt32(24, Percent);
            if (CapPercent != 0) w.UInt32(32, CapPercent);
            if (Cap != 0) w.UInt32(40, Cap);
        }
    }

    public sealed class WeaponInfo : IMessage
    {
        public string Name { get; set; } = "";
        /// <summary>world units</summary>
        public uint Range { get; set; }
        public uint MinRange { get; set; }
        /// <summary>from shot to shot</summary>
        public uint CooldownTicks { get; set; }
        public uint Damage { get; set; }
        /// <summary>otherwise it hits at once</summary>
        public bool Projectile { get; set; }
        /// <summary>from aiming to the first shot</summary>
        public uint WindUpTicks { get; set; }
        /// <summary>type number, if projectile is set</summary>
        public uint ProjectileType { get; set; }
        /// <summary>1/64 world unit a tick</summary>
        public uint ProjectileSpeed { get; set; }
        /// <summary>the projectile follows its target</summary>
        public bool Homing { get; set; }
        /// <summary>it can be aimed at a place</summary>
        public bool AtGround { get; set; }
        /// <summary>units on the ground, and structures</summary>
        public bool HitsGround { get; set; }
        /// <summary>flying units</summary>
        public bool HitsAir { get; set; }
        /// <summary>radius of its effect around the hit, world units</summary>
        public uint Splash { get; set; }
        /// <summary>percent of the damage by kind of armour</summary>
        public List<uint> Versus { get; } = new List<uint>();
        /// <summary>shots at a time; 0: one</summary>
        public uint Burst { get; set; }
        /// <summary>between two of them; cooldown_ticks count from the last</summary>
        public uint BurstTicks { get; set; }
        /// <summary>weapon number + 1 of its alternate fire; 0: it has none</summary>
        public uint Alternate { get; set; }
        /// <summary>how high its projectile rises at full range, world units; 0: it flies straight</summary>
        public uint Lob { get; set; }
        /// <summary>times that its projectile goes on to another foe</summary>
        public uint Bounces { get; set; }
        /// <summary>foes that its projectile hits after the first</summary>
        public uint Pierces { get; set; }
        /// <summary>projectiles into which its projectile splits</summary>
        public uint Splits { get; set; }
        /// <summary>its projectile follows the attack orders of the unit that fired it</summary>
        public bool Steered { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: Name = r.String(); break;
                    case 16: Range = r.UInt32(); break;
                    case 24: MinRange = r.UInt32(); break;
                    case 32: CooldownTicks = r.UInt32(); break;
                    case 40: Damage = r.UInt32(); break;
                    case 48: Projectile = r.Bool(); break;
                    case 56: WindUpTicks = r.UInt32(); break;
                    case 64: ProjectileType = r.UInt32(); break;
                    case 72: ProjectileSpeed = r.UInt32(); break;
                    case 80: Homing = r.Bool(); break;
                    case 88: AtGround = r.Bool(); break;
                    case 96: HitsGround = r.Bool(); break;
                    case 104: HitsAir = r.Bool(); break;
                    case 112: Splash = r.UInt32(); break;
                    case 122: r.AddPacked(Versus); break;
                    case 120: r.AddOne(Versus); break;
                    case 128: Burst = r.UInt32(); break;
                    case 136: BurstTicks = r.UInt32(); break;
                    case 144: Alternate = r.UInt32(); break;
                    case 152: Lob = r.UInt32(); break;
                    case 160: Bounces = r.UInt32(); break;
                    case 168: Pierces = r.UInt32(); break;
                    case 176: Splits = r.UInt32(); break;
                    case 184: Steered = r.Bool(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Name.Length > 0) w.String(10, Name);
            if (Range != 0) w.UInt32(16, Range);
            if (MinRange != 0) w.UInt32(24, MinRange);
            if (CooldownTicks != 0) w.UInt32(32, CooldownTicks);
            if (Damage != 0) w.UInt32(40, Damage);
            if (Projectile) w.UInt32(48, 1);
            if (WindUpTicks != 0) w.UInt32(56, WindUpTicks);
            if (ProjectileType != 0) w.UInt32(64, ProjectileType);
            if (ProjectileSpeed != 0) w.UInt32(72, ProjectileSpeed);
            if (Homing) w.UInt32(80, 1);
            if (AtGround) w.UInt32(88, 1);
            if (HitsGround) w.UInt32(96, 1);
            if (HitsAir) w.UInt32(104, 1);
            if (Splash != 0) w.UInt32(112, Splash);
            w.Packed(122, Versus);
            if (Burst != 0) w.UInt32(128, Burst);
            if (BurstTicks != 0) w.UInt32(136, BurstTicks);
            if (Alternate != 0) w.UInt32(144, Alternate);
            if (Lob != 0) w.UInt32(152, Lob);
            if (Bounces != 0) w.UInt32(160, Bounces);
            if (Pierces != 0) w.UInt32(168, Pierces);
            if (Splits != 0) w.UInt32(176, Splits);
            if (Steered) w.UInt32(184, 1);
        }
    }

    /// <summary>Ended is the result of the match.</summary>
    public sealed class Ended : IMessage
    {
        /// <summary>teams; empty: a draw</summary>
        public List<uint> Winners { get; } = new List<uint>();
        public string Reason { get; set; } = "";
        /// <summary>index = slot</summary>
        public List<Score> Scores { get; } = new List<Score>();
        /// <summary>
        /// The series of all players, also of those that the client never saw: index =
        /// slot. Point k is of tick k * series_ticks, the last point of the match's last
        /// tick. At most 512 points a player.
        /// </summary>
        public uint SeriesTicks { get; set; }
        public List<Series> Series { get; } = new List<Series>();

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: r.AddPacked(Winners); break;
                    case 8: r.AddOne(Winners); break;
                    case 18: Reason = r.String(); break;
                    case 26: r.Add(Scores); break;
                    case 32: SeriesTicks = r.UInt32(); break;
                    case 42: r.Add(Series); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            w.Packed(10, Winners);
            if (Reason.Length > 0) w.String(18, Reason);
            foreach (var x in Scores) w.Message(26, x);
            if (SeriesTicks != 0) w.UInt32(32, SeriesTicks);
            foreach (var x in Series) w.Message(42, x);
        }
    }

    /// <summary>Series are how a player's economy and army went.</summary>
    public sealed class Series : IMessage
    {
        /// <summary>all resources together, since the beginning</summary>
        public List<uint> Gathered { get; } = new List<uint>();
        /// <summary>what its living armed units cost, workers aside</summary>
        public List<uint> Army { get; } = new List<uint>();

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: r.AddPacked(Gathered); break;
                    case 8: r.AddOne(Gathered); break;
                    case 18: r.AddPacked(Army); break;
                    case 16: r.AddOne(Army); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            w.Packed(10, Gathered);
            w.Packed(18, Army);
        }
    }

    public sealed class Score : IMessage
    {
        public uint Kills { get; set; }
        public uint Losses { get; set; }
        public uint Made { get; set; }
        /// <summary>of the ruleset and of the mode</summary>
        public int Points { get; set; }
        /// <summary>kills of others with damage by this player, in rulesets with assists</summary>
        public uint Assists { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Kills = r.UInt32(); break;
                    case 16: Losses = r.UInt32(); break;
                    case 24: Made = r.UInt32(); break;
                    case 32: Points = r.SInt32(); break;
                    case 40: Assists = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Kills != 0) w.UInt32(8, Kills);
            if (Losses != 0) w.UInt32(16, Losses);
            if (Made != 0) w.UInt32(24, Made);
            if (Points != 0) w.SInt32(32, Points);
            if (Assists != 0) w.UInt32(40, Assists);
        }
    }

    /// <summary>
    /// Waiting says that there are no frames just now. To a spectator: the match is
    /// younger than the spectator's delay. To a player: the match is paused, because
    /// the server's disk is full or too slow.
    /// </summary>
    public sealed class Waiting : IMessage
    {
        /// <summary>about this many ticks until the next frame, or until this is said again</summary>
        public uint Ticks { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Ticks = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Ticks != 0) w.UInt32(8, Ticks);
        }
    }

    /// <summary>
    /// Speed is how fast the match runs, and what its players ask for. Before the first
    /// message of it the speed is normal, and nobody asks for another.
    /// </summary>
    public sealed class Speed : IMessage
    {
        /// <summary>of the normal speed</summary>
        public uint Percent { get; set; }
        /// <summary>the match stands still</summary>
        public bool Paused { get; set; }
        /// <summary>the slot of who asked for that first, plus 1; 0: nobody did</summary>
        public uint By { get; set; }
        /// <summary>after this time the pause ends by itself; 0: it does not</summary>
        public uint PauseMs { get; set; }
        /// <summary>
        /// How often this player can still ask for a pause. 255: as often as it likes, since
        /// no other person plays.
        /// </summary>
        public uint PausesLeft { get; set; }
        public List<SpeedWish> Wishes { get; } = new List<SpeedWish>();
        /// <summary>
        /// The server is too busy for that speed: all its matches run at this percentage of
        /// theirs. 0: at all of it.
        /// </summary>
        public uint Held { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Percent = r.UInt32(); break;
                    case 16: Paused = r.Bool(); break;
                    case 24: By = r.UInt32(); break;
                    case 32: PauseMs = r.UInt32(); break;
                    case 40: PausesLeft = r.UInt32(); break;
                    case 50: r.Add(Wishes); break;
                    case 56: Held = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Percent != 0) w.UInt32(8, Percent);
            if (Paused) w.UInt32(16, 1);
            if (By != 0) w.UInt32(24, By);
            if (PauseMs != 0) w.UInt32(32, PauseMs);
            if (PausesLeft != 0) w.UInt32(40, PausesLeft);
            foreach (var x in Wishes) w.Message(50, x);
            if (Held != 0) w.UInt32(56, Held);
        }
    }

    /// <summary>SpeedWish is what a player wants, and others do not want yet.</summary>
    public sealed class SpeedWish : IMessage
    {
        public uint Slot { get; set; }
        public uint Percent { get; set; }
        public bool Paused { get; set; }
        /// <summary>after this time it is forgotten</summary>
        public uint Ms { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Slot = r.UInt32(); break;
                    case 16: Percent = r.UInt32(); break;
                    case 24: Paused = r.Bool(); break;
                    case 32: Ms = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Slot != 0) w.UInt32(8, Slot);
            if (Percent != 0) w.UInt32(16, Percent);
            if (Paused) w.UInt32(24, 1);
            if (Ms != 0) w.UInt32(32, Ms);
        }
    }

    /// <summary>
    /// Votes has the questions to the players of a match: at most one to all and one to the
    /// team. A question is listed for some seconds after its end.
    /// </summary>
    public sealed class Votes : IMessage
    {
        public List<Poll> Polls { get; } = new List<Poll>();
        /// <summary>
        /// The answer to a vote of this player that had no effect: a code of
        /// docs/reference/protocol.md ("Votes"). Empty: no such vote since the last message.
        /// </summary>
        public string Refused { get; set; } = "";

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: r.Add(Polls); break;
                    case 18: Refused = r.String(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            foreach (var x in Polls) w.Message(10, x);
            if (Refused.Length > 0) w.String(18, Refused);
        }
    }

    /// <summary>Poll is a question, its voters and their votes.</summary>
    public sealed class Poll : IMessage
    {
        public VoteKind Kind { get; set; }
        /// <summary>the slot of the player who asks</summary>
        public uint By { get; set; }
        /// <summary>KICK: the player</summary>
        public uint Slot { get; set; }
        /// <summary>slots</summary>
        public List<uint> Voters { get; } = new List<uint>();
        /// <summary>slots of voters</summary>
        public List<uint> Yes { get; } = new List<uint>();
        /// <summary>slots of voters</summary>
        public List<uint> No { get; } = new List<uint>();
        /// <summary>so many votes for it</summary>
        public uint Needed { get; set; }
        /// <summary>it fails after this time; 0: it has ended</summary>
        public uint Ms { get; set; }
        public PollResult Result { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Kind = (VoteKind)r.Int32(); break;
                    case 16: By = r.UInt32(); break;
                    case 24: Slot = r.UInt32(); break;
                    case 34: r.AddPacked(Voters); break;
                    case 32: r.AddOne(Voters); break;
                    case 42: r.AddPacked(Yes); break;
                    case 40: r.AddOne(Yes); break;
                    case 50: r.AddPacked(No); break;
                    case 48: r.AddOne(No); break;
                    case 56: Needed = r.UInt32(); break;
                    case 64: Ms = r.UInt32(); break;
                    case 72: Result = (PollResult)r.Int32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Kind != 0) w.UInt32(8, (uint)Kind);
            if (By != 0) w.UInt32(16, By);
            if (Slot != 0) w.UInt32(24, Slot);
            w.Packed(34, Voters);
            w.Packed(42, Yes);
            w.Packed(50, No);
            if (Needed != 0) w.UInt32(56, Needed);
            if (Ms != 0) w.UInt32(64, Ms);
            if (Result != 0) w.UInt32(72, (uint)Result);
        }
    }

    /// <summary>
    /// Budget says how much the server sends from now on, instead of what
    /// Welcome.bytes_per_s said.
    /// </summary>
    public sealed class Budget : IMessage
    {
        /// <summary>0: no limit</summary>
        public uint BytesPerS { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: BytesPerS = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (BytesPerS != 0) w.UInt32(8, BytesPerS);
        }
    }

    /// <summary>Closing is the last message before the server closes the connection.</summary>
    public sealed class Closing : IMessage
    {
        /// <summary>one of the list in docs/reference/protocol.md</summary>
        public string Code { get; set; } = "";
        /// <summary>a sentence for people</summary>
        public string Text { get; set; } = "";
        /// <summary>
        /// True: the seat is kept. Connect again with the resume token, or with the
        /// ticket if there was no welcome. False: the same hello would be refused again.
        /// </summary>
        public bool Retry { get; set; }
        /// <summary>
        /// With the code "moved": the server that has the match now, as http:// or
        /// https://, or its socket, as ws:// or wss://. Empty: ask where the ticket came
        /// from. See docs/reference/protocol.md for which addresses a client follows.
        /// </summary>
        public string Url { get; set; } = "";

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: Code = r.String(); break;
                    case 18: Text = r.String(); break;
                    case 24: Retry = r.Bool(); break;
                    case 34: Url = r.String(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Code.Length > 0) w.String(10, Code);
            if (Text.Length > 0) w.String(18, Text);
            if (Retry) w.UInt32(24, 1);
            if (Url.Length > 0) w.String(34, Url);
        }
    }

    /// <summary>
    /// ReplayInfo says what replay a welcome is of. Welcome.players have the names that the
    /// players have today.
    /// </summary>
    public sealed class ReplayInfo : IMessage
    {
        public string MatchId { get; set; } = "";
        /// <summary>the last tick that can be shown; ReplayStatus.last says how it grows</summary>
        public uint Last { get; set; }
        /// <summary>the match is not over: `last` grows, and stays late by Welcome.delay_ticks</summary>
        public bool Live { get; set; }
        /// <summary>ReplayControl.eyes is not heeded</summary>
        public bool EyesFixed { get; set; }
        /// <summary>a new match may begin from a tick of this one</summary>
        public bool MayBranch { get; set; }
        /// <summary>where it stands</summary>
        public uint Tick { get; set; }
        /// <summary>the tick with which the match begins; the first that can be shown is one later</summary>
        public uint First { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 10: MatchId = r.String(); break;
                    case 16: Last = r.UInt32(); break;
                    case 24: Live = r.Bool(); break;
                    case 32: EyesFixed = r.Bool(); break;
                    case 40: MayBranch = r.Bool(); break;
                    case 48: Tick = r.UInt32(); break;
                    case 56: First = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (MatchId.Length > 0) w.String(10, MatchId);
            if (Last != 0) w.UInt32(16, Last);
            if (Live) w.UInt32(24, 1);
            if (EyesFixed) w.UInt32(32, 1);
            if (MayBranch) w.UInt32(40, 1);
            if (Tick != 0) w.UInt32(48, Tick);
            if (First != 0) w.UInt32(56, First);
        }
    }

    /// <summary>ReplayStatus says where a replay stands.</summary>
    public sealed class ReplayStatus : IMessage
    {
        public uint Tick { get; set; }
        /// <summary>the last tick that can be shown</summary>
        public uint Last { get; set; }
        /// <summary>of the normal speed</summary>
        public uint Percent { get; set; }
        public bool Paused { get; set; }
        /// <summary>of this connection. 0: all teams' eyes; otherwise team + 1</summary>
        public uint Eyes { get; set; }
        public ReplayState State { get; set; }
        /// <summary>up to this tick the timeline is known, and seeking is fast</summary>
        public uint Indexed { get; set; }
        /// <summary>
        /// Where players looked, as far as that was recorded. Only those that changed since the
        /// status before. Of a match that runs none.
        /// </summary>
        public List<ReplayCamera> Cameras { get; } = new List<ReplayCamera>();
        /// <summary>What is being made, complete, as of the tick. Of a match that runs nothing.</summary>
        public List<ReplayProduction> Production { get; } = new List<ReplayProduction>();
        /// <summary>
        /// The highest number of this connection's controls that is done, or was replaced by a
        /// later one.
        /// </summary>
        public uint Done { get; set; }
        /// <summary>while it seeks: the tick that it goes to</summary>
        public uint Goal { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Tick = r.UInt32(); break;
                    case 16: Last = r.UInt32(); break;
                    case 24: Percent = r.UInt32(); break;
                    case 32: Paused = r.Bool(); break;
                    case 40: Eyes = r.UInt32(); break;
                    case 48: State = (ReplayState)r.Int32(); break;
                    case 56: Indexed = r.UInt32(); break;
                    case 66: r.Add(Cameras); break;
                    case 74: r.Add(Production); break;
                    case 80: Done = r.UInt32(); break;
                    case 88: Goal = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Tick != 0) w.UInt32(8, Tick);
            if (Last != 0) w.UInt32(16, Last);
            if (Percent != 0) w.UInt32(24, Percent);
            if (Paused) w.UInt32(32, 1);
            if (Eyes != 0) w.UInt32(40, Eyes);
            if (State != 0) w.UInt32(48, (uint)State);
            if (Indexed != 0) w.UInt32(56, Indexed);
            foreach (var x in Cameras) w.Message(66, x);
            foreach (var x in Production) w.Message(74, x);
            if (Done != 0) w.UInt32(80, Done);
            if (Goal != 0) w.UInt32(88, Goal);
        }
    }

    /// <summary>ReplayCamera is where a player looked, in tiles.</summary>
    public sealed class ReplayCamera : IMessage
    {
        public uint Slot { get; set; }
        public uint X { get; set; }
        public uint Y { get; set; }
        public uint Radius { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Slot = r.UInt32(); break;
                    case 16: X = r.UInt32(); break;
                    case 24: Y = r.UInt32(); break;
                    case 32: Radius = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Slot != 0) w.UInt32(8, Slot);
            if (X != 0) w.UInt32(16, X);
            if (Y != 0) w.UInt32(24, Y);
            if (Radius != 0) w.UInt32(32, Radius);
        }
    }

    /// <summary>ReplayProduction is what a player makes.</summary>
    public sealed class ReplayProduction : IMessage
    {
        public uint Slot { get; set; }
        /// <summary>type number</summary>
        public uint Type { get; set; }
        /// <summary>so many of the type, waiting ones included</summary>
        public uint Count { get; set; }
        /// <summary>of the one that is nearest to its end, in 1/255</summary>
        public uint Progress { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Slot = r.UInt32(); break;
                    case 16: Type = r.UInt32(); break;
                    case 24: Count = r.UInt32(); break;
                    case 32: Progress = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Slot != 0) w.UInt32(8, Slot);
            if (Type != 0) w.UInt32(16, Type);
            if (Count != 0) w.UInt32(24, Count);
            if (Progress != 0) w.UInt32(32, Progress);
        }
    }

    /// <summary>
    /// ReplayTimeline is a part of what happened in the match. Parts come as the server reads
    /// the match. Of a match that runs there is only what the frames tell the same eyes, see
    /// docs/reference/protocol.md.
    /// </summary>
    public sealed class ReplayTimeline : IMessage
    {
        /// <summary>Forget the series told before: they are told anew, with points further apart.</summary>
        public bool Restart { get; set; }
        /// <summary>ticks from one point of a series to the next</summary>
        public uint PointTicks { get; set; }
        /// <summary>
        /// Number of the first point of this part. Point k is of tick
        /// ReplayInfo.first + k * point_ticks.
        /// </summary>
        public uint Point { get; set; }
        public List<ReplaySeries> Series { get; } = new List<ReplaySeries>();
        /// <summary>In the order in which they were known. They are told once, with or without restart.</summary>
        public List<ReplayEvent> Events { get; } = new List<ReplayEvent>();

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Restart = r.Bool(); break;
                    case 16: PointTicks = r.UInt32(); break;
                    case 24: Point = r.UInt32(); break;
                    case 34: r.Add(Series); break;
                    case 42: r.Add(Events); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Restart) w.UInt32(8, 1);
            if (PointTicks != 0) w.UInt32(16, PointTicks);
            if (Point != 0) w.UInt32(24, Point);
            foreach (var x in Series) w.Message(34, x);
            foreach (var x in Events) w.Message(42, x);
        }
    }

    /// <summary>
    /// ReplaySeries are how a player did. Each column has a number for each point of the part;
    /// held and gathered have one for each point and kind of resource. From gathered on the
    /// columns of what happened count from the beginning of the match. Of a match that runs
    /// there are army and workers alone.
    /// </summary>
    public sealed class ReplaySeries : IMessage
    {
        public uint Slot { get; set; }
        /// <summary>resources</summary>
        public List<uint> Held { get; } = new List<uint>();
        /// <summary>resources, since the beginning</summary>
        public List<uint> Gathered { get; } = new List<uint>();
        /// <summary>what its living armed units cost, workers aside</summary>
        public List<uint> Army { get; } = new List<uint>();
        /// <summary>what is being made costs</summary>
        public List<uint> Making { get; } = new List<uint>();
        public List<uint> Workers { get; } = new List<uint>();
        public List<uint> Population { get; } = new List<uint>();
        public List<uint> PopulationMax { get; } = new List<uint>();
        /// <summary>units and structures, since the beginning</summary>
        public List<uint> Lost { get; } = new List<uint>();
        /// <summary>what they cost</summary>
        public List<uint> LostValue { get; } = new List<uint>();
        /// <summary>of other teams, since the beginning</summary>
        public List<uint> Killed { get; } = new List<uint>();
        public List<uint> KilledValue { get; } = new List<uint>();
        /// <summary>accepted, since the beginning</summary>
        public List<uint> Orders { get; } = new List<uint>();
        /// <summary>since the beginning</summary>
        public List<uint> Refused { get; } = new List<uint>();
        /// <summary>kills of others with damage by this player, since the beginning; in rulesets with assists</summary>
        public List<uint> Assisted { get; } = new List<uint>();

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Slot = r.UInt32(); break;
                    case 18: r.AddPacked(Held); break;
                    case 16: r.AddOne(Held); break;
                    case 26: r.AddPacked(Gathered); break;
                    case 24: r.AddOne(Gathered); break;
                    case 34: r.AddPacked(Army); break;
                    case 32: r.AddOne(Army); break;
                    case 42: r.AddPacked(Making); break;
                    case 40: r.AddOne(Making); break;
                    case 50: r.AddPacked(Workers); break;
                    case 48: r.AddOne(Workers); break;
                    case 58: r.AddPacked(Population); break;
                    case 56: r.AddOne(Population); break;
                    case 66: r.AddPacked(PopulationMax); break;
                    case 64: r.AddOne(PopulationMax); break;
                    case 74: r.AddPacked(Lost); break;
                    case 72: r.AddOne(Lost); break;
                    case 82: r.AddPacked(LostValue); break;
                    case 80: r.AddOne(LostValue); break;
                    case 90: r.AddPacked(Killed); break;
                    case 88: r.AddOne(Killed); break;
                    case 98: r.AddPacked(KilledValue); break;
                    case 96: r.AddOne(KilledValue); break;
                    case 106: r.AddPacked(Orders); break;
                    case 104: r.AddOne(Orders); break;
                    case 114: r.AddPacked(Refused); break;
                    case 112: r.AddOne(Refused); break;
                    case 122: r.AddPacked(Assisted); break;
                    case 120: r.AddOne(Assisted); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Slot != 0) w.UInt32(8, Slot);
            w.Packed(18, Held);
            w.Packed(26, Gathered);
            w.Packed(34, Army);
            w.Packed(42, Making);
            w.Packed(50, Workers);
            w.Packed(58, Population);
            w.Packed(66, PopulationMax);
            w.Packed(74, Lost);
            w.Packed(82, LostValue);
            w.Packed(90, Killed);
            w.Packed(98, KilledValue);
            w.Packed(106, Orders);
            w.Packed(114, Refused);
            w.Packed(122, Assisted);
        }
    }

    public sealed class ReplayEvent : IMessage
    {
        public ReplayEventKind Kind { get; set; }
        public uint Tick { get; set; }
        /// <summary>of a fight: its last tick</summary>
        public uint Until { get; set; }
        /// <summary>slot + 1; 0: none</summary>
        public uint Slot { get; set; }
        /// <summary>slot + 1; 0: none</summary>
        public uint By { get; set; }
        /// <summary>team + 1; 0: none</summary>
        public uint Team { get; set; }
        /// <summary>team + 1; 0: none</summary>
        public uint Other { get; set; }
        /// <summary>tile</summary>
        public uint X { get; set; }
        public uint Y { get; set; }
        /// <summary>type number + 1; 0: none</summary>
        public uint Type { get; set; }
        /// <summary>what was lost or won cost</summary>
        public uint Value { get; set; }
        /// <summary>of a fight, by player</summary>
        public List<ReplayLoss> Losses { get; } = new List<ReplayLoss>();
        /// <summary>of the match's end</summary>
        public string Reason { get; set; } = "";

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Kind = (ReplayEventKind)r.Int32(); break;
                    case 16: Tick = r.UInt32(); break;
                    case 24: Until = r.UInt32(); break;
                    case 32: Slot = r.UInt32(); break;
                    case 40: By = r.UInt32(); break;
                    case 48: Team = r.UInt32(); break;
                    case 56: Other = r.UInt32(); break;
                    case 64: X = r.UInt32(); break;
                    case 72: Y = r.UInt32(); break;
                    case 80: Type = r.UInt32(); break;
                    case 88: Value = r.UInt32(); break;
                    case 98: r.Add(Losses); break;
                    case 106: Reason = r.String(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Kind != 0) w.UInt32(8, (uint)Kind);
            if (Tick != 0) w.UInt32(16, Tick);
            if (Until != 0) w.UInt32(24, Until);
            if (Slot != 0) w.UInt32(32, Slot);
            if (By != 0) w.UInt32(40, By);
            if (Team != 0) w.UInt32(48, Team);
            if (Other != 0) w.UInt32(56, Other);
            if (X != 0) w.UInt32(64, X);
            if (Y != 0) w.UInt32(72, Y);
            if (Type != 0) w.UInt32(80, Type);
            if (Value != 0) w.UInt32(88, Value);
            foreach (var x in Losses) w.Message(98, x);
            if (Reason.Length > 0) w.String(106, Reason);
        }
    }

    public sealed class ReplayLoss : IMessage
    {
        public uint Slot { get; set; }
        /// <summary>units and structures</summary>
        public uint Count { get; set; }
        /// <summary>what they cost</summary>
        public uint Value { get; set; }

        /// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>
        public void MergeFrom(WireReader r)
        {
            for (uint tag = r.Tag(); tag != 0; tag = r.Tag())
            {
                switch (tag)
                {
                    case 8: Slot = r.UInt32(); break;
                    case 16: Count = r.UInt32(); break;
                    case 24: Value = r.UInt32(); break;
                    default: r.Skip(tag); break;
                }
            }
        }

        /// <summary>Writes the fields that are not at their default.</summary>
        public void WriteTo(WireWriter w)
        {
            if (Slot != 0) w.UInt32(8, Slot);
            if (Count != 0) w.UInt32(16, Count);
            if (Value != 0) w.UInt32(24, Value);
        }
    }
}
