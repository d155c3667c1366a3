using System;
using System.Collections.Generic;

namespace Fogkeep
{
    /// <summary>One entity in sight, as the client holds it.</summary>
    public sealed class Entity
    {
        /// <summary>The team's number for it while it is in sight.</summary>
        public uint Handle { get; internal set; }
        /// <summary>Index into the welcome's types.</summary>
        public uint Type { get; internal set; }
        /// <summary>Slot, or <see cref="Decoder.NoSlot"/> for nobody.</summary>
        public uint Owner { get; internal set; }
        /// <summary>Velocity in 1/64 world unit a tick.</summary>
        public int VX { get; internal set; }
        public int VY { get; internal set; }
        /// <summary>How it moves, in one number.</summary>
        public uint Course { get; internal set; }
        /// <summary>By <see cref="Fogkeep.Values"/>; a burst without its age.</summary>
        public uint[] Values { get; } = new uint[Fogkeep.Values.Count];
        /// <summary>Of each of two weapons.</summary>
        public Burst[] Bursts { get; } = new Burst[2];
        /// <summary>Abilities that it runs.</summary>
        public List<Activity> Actions { get; } = new List<Activity>();
        /// <summary>Effects on it.</summary>
        public List<Activity> Effects { get; } = new List<Activity>();

        /// <summary>By the index of a declared value: how far it is from the start of the type. See <see cref="MatchState.Value"/>.</summary>
        internal readonly Dictionary<uint, int> Declared = new Dictionary<uint, int>();

        internal int X, Y;                     // as of Since
        internal bool Drawn;                   // in some picture
        internal double ErrX, ErrY;            // what is left of a correction, world units
        internal uint Since, Entered;          // ticks
        internal readonly uint[] Before = new uint[2]; // shots that a snapshot brought it with
        private readonly int width, height;

        internal Entity(int width, int height)
        {
            this.width = width;
            this.height = height;
        }

        /// <summary>It does not move.</summary>
        public bool Stands { get { return Fogkeep.Course.Stands(Course); } }

        /// <summary>Where it is at a tick, in world units (1024 a tile), to the integer that the server computes.</summary>
        public void PlaceAt(uint tick, out int x, out int y)
        {
            uint t = unchecked(tick - Since);
            x = Fogkeep.Course.Reckon(X, VX, t, width);
            y = Fogkeep.Course.Reckon(Y, VY, t, height);
        }

        /// <summary>Where it is at a moment between two ticks, in world units: for drawing.</summary>
        public void PlaceAt(double tick, out double x, out double y)
        {
            double t = tick - Since;
            x = Math.Max(0, Math.Min(X + VX * t / 64, width * 1024 - 1));
            y = Math.Max(0, Math.Min(Y + VY * t / 64, height * 1024 - 1));
        }

        /// <summary>Where it looks, in radians: 0 is east, a quarter of a turn is south. What stands and fires looks at its target.</summary>
        public double Angle { get; internal set; }

        /// <summary>Where it was drawn last, in world units: see <see cref="Match.Draw"/>.</summary>
        public double DrawnX { get; internal set; }
        public double DrawnY { get; internal set; }
        /// <summary>Where it looked when it was drawn last, in radians.</summary>
        public double DrawnAngle { get; internal set; }

        internal void TakeAngle() { Angle = Stands ? Course * Math.PI / 128 : Math.Atan2(VY, VX); }

        /// <summary>Shots of both weapons by a tick since the client holds it; those that a snapshot brought were before.</summary>
        internal uint ShotsSeen(uint tick)
        {
            uint n = 0;
            for (int i = 0; i < Bursts.Length; i++) n = unchecked(n + Bursts[i].ShotsAt(tick) - Before[i]);
            return n;
        }
    }

    /// <summary>An ability that an entity runs, or an effect on it.</summary>
    public struct Activity
    {
        /// <summary>Of an ability: its index in the type's list. Of an effect: its index into the welcome's effects.</summary>
        public uint Number;
        /// <summary>The tick at which it began or was renewed; 0: before the entity came into sight.</summary>
        public uint Since;
        /// <summary>Of an effect: the handle of who did it; 0: not known.</summary>
        public uint Source;
    }

    /// <summary>A thing that the team's radar found beyond sight.</summary>
    public struct Contact
    {
        /// <summary>A side of the cells that place contacts, in tiles.</summary>
        public const uint CellTiles = 8;
        /// <summary>Index into Welcome.Signatures.</summary>
        public uint Class;
        /// <summary>Column and row of its cell.</summary>
        public uint CellX, CellY;
        /// <summary>When radar found it last.</summary>
        public uint Tick;
    }

    /// <summary>A structure that is out of sight, as last seen.</summary>
    public sealed class Ghost
    {
        public uint Handle { get; }
        public uint Type { get; }
        /// <summary>Slot, or <see cref="Decoder.NoSlot"/> for nobody.</summary>
        public uint Owner { get; }
        /// <summary>World units.</summary>
        public int X { get; }
        public int Y { get; }
        /// <summary>256 to a turn.</summary>
        public byte Facing { get; }
        /// <summary>What is missing to the type's full health.</summary>
        public uint HealthMissing { get; }
        /// <summary>Of a feature: 1 for an open gate, a raised bridge, flooded ground, a full pickup and a switch that is on.</summary>
        public uint Amount { get; }

        internal Ghost(uint handle, uint type, uint owner, int x, int y, byte facing, uint healthMissing, uint amount)
        {
            Handle = handle;
            Type = type;
            Owner = owner;
            X = x;
            Y = y;
            Facing = facing;
            HealthMissing = healthMissing;
            Amount = amount;
        }
    }
}
