using System.Collections.Generic;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>
    /// One message of a server, with its rows unpacked. A message with Welcome, Waiting, Closing, Replay or Timeline is
    /// not a frame of the match: then only Said, Speed and Votes may be there besides.
    /// </summary>
    public sealed class Frame
    {
        public Welcome Welcome;
        public Waiting Waiting;
        public Closing Closing;
        /// <summary>Where a replay stands.</summary>
        public ReplayStatus Replay;
        /// <summary>A part of what happened in the match of a replay: <see cref="Fogkeep.Timeline"/> joins them.</summary>
        public ReplayTimeline Timeline;

        /// <summary>It is a frame of the match, which the state takes in.</summary>
        public bool IsFrame { get { return Welcome == null && Waiting == null && Closing == null && Replay == null && Timeline == null; } }

        /// <summary>The client drops what it has and starts here, at <see cref="Tick"/>.</summary>
        public bool Snapshot;
        /// <summary>The tick of a snapshot; 0 of another frame.</summary>
        public uint Tick;
        /// <summary>Ticks since the last frame; 0 of a snapshot.</summary>
        public uint Span;
        /// <summary>So many of those, directly before this frame's tick, had news that was not sent.</summary>
        public uint Skipped;
        /// <summary>It has only what is the player's own: what the team saw at its tick comes with a later frame.</summary>
        public bool Partial;

        public List<uint> Leave = new List<uint>();
        public List<uint> Destroyed = new List<uint>();
        public List<FireRow> Fire = new List<FireRow>();
        public List<EventRow> Events = new List<EventRow>();
        public List<Sight> Sights;
        public List<PlayerNote> Players;
        public List<Said> Said;
        public List<Pinged> Pinged;
        /// <summary>One for each number.</summary>
        public List<Answer> Answers;
        /// <summary>Units whose orders ended early.</summary>
        public List<Cancelled> Cancelled = new List<Cancelled>();
        /// <summary>Projectiles that this client's orders started.</summary>
        public List<Started> Started = new List<Started>();
        public Ended Ended;
        public Budget Budget;
        public Speed Speed;

        /// <summary>The questions to the player's team and to all; null: as before.</summary>
        public Votes Votes;
        public uint? MaskHash;

        internal List<LastBurstsRow> LastBursts = new List<LastBurstsRow>();
        internal List<EnterRow> Enter = new List<EnterRow>();
        internal List<Row> Owners = new List<Row>();
        internal List<MotionRow> Motion = new List<MotionRow>();
        internal List<MotionRow> Exact = new List<MotionRow>();
        internal readonly List<Row>[] Values = new List<Row>[Fogkeep.Values.Count];
        internal List<ActivityRow> Actions = new List<ActivityRow>();
        internal List<ActivityRow> Effects = new List<ActivityRow>();
        internal List<DeclaredRow> Declared = new List<DeclaredRow>();
        internal List<uint> GhostsGone = new List<uint>();
        internal List<Ghost> Ghosts = new List<Ghost>();
        internal List<Contact> Contacts = new List<Contact>(); // with ticks back from the frame's
        internal List<MaskRow> Mask = new List<MaskRow>();
        internal OwnRows Own;

        /// <summary>The handles that came into sight in this frame.</summary>
        public IEnumerable<uint> Entered()
        {
            foreach (var e in Enter) yield return e.Handle;
        }
    }

    /// <summary>A declared value: how far it is from its start, in zigzag form.</summary>
    internal struct DeclaredRow { public uint Handle, Value, N; }

    /// <summary>An entity opens fire on a target.</summary>
    public struct FireRow { public uint Handle, Target; }

    /// <summary>Something that the team saw happen at a place, in world units.</summary>
    public struct EventRow
    {
        public EventKind Kind;
        public int X, Y;
        /// <summary>Weapon or type number, by kind.</summary>
        public uint What;
        /// <summary>Handles; 0: not seen, or none.</summary>
        public uint Source, Target;
    }

    /// <summary>A unit whose order ended early, and the code: an index into the welcome's codes.</summary>
    public struct Cancelled { public uint Unit, Code; }

    /// <summary>The projectile that an order with this number started.</summary>
    public struct Started { public uint Request, Handle; }

    internal struct Row { public uint Handle, Value; }
    internal struct LastBurstsRow { public uint Handle, First, Second; }
    internal struct EnterRow { public uint Handle, Type, Owner, Cell, Course; }
    internal struct MotionRow { public uint Handle, A, B; } // place and course; or ticks ago and place in the cell
    internal struct ActivityRow { public uint Handle, Number, When, Source; }
    internal struct MaskRow { public int Y; public uint[] Visible, Explored; } // null: not sent
    internal struct QueueRow { public uint Handle, Progress; public uint[] Types; }
    internal struct TaskRow { public uint Handle, Kind, Cell; public bool HasPlace; }
    internal struct PassengerRow { public uint Handle, Place, Type, Missing; }
    internal struct AbilityRow { public uint Handle, Index, A, B; }

    internal sealed class OwnRows
    {
        public List<uint> Resources, Upgrades;
        public uint? Population, PopulationMax;
        public List<QueueRow> Queues = new List<QueueRow>();
        public List<Row> Rallies = new List<Row>(); // cell + 1; 0: none
        public List<TaskRow> Tasks = new List<TaskRow>();
        public readonly List<Row>[] Values = new List<Row>[OwnValues.Count];
        public List<AbilityRow> Running = new List<AbilityRow>();
        public List<AbilityRow> Grants = new List<AbilityRow>();
        public List<PassengerRow> Passengers = new List<PassengerRow>();
        public List<AbilityRow> Ready = new List<AbilityRow>();
        public List<DeclaredRow> Declared = new List<DeclaredRow>();
    }
}
