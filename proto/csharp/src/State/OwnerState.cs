using System;
using System.Collections.Generic;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>What only the player itself is sent. Only <see cref="MatchState"/> changes it.</summary>
    public sealed class OwnerState
    {
        private const int RowsMax = 1 << 16;

        /// <summary>Amount of each kind of resource.</summary>
        public List<uint> Resources { get; } = new List<uint>();
        /// <summary>The types of the upgrades that the team has.</summary>
        public List<uint> Upgrades { get; } = new List<uint>();
        public uint Population { get; private set; }
        public uint PopulationMax { get; private set; }
        /// <summary>Production queues that are not empty, by structure.</summary>
        public Dictionary<uint, ProductionQueue> Queues { get; } = new Dictionary<uint, ProductionQueue>();
        /// <summary>Rally points, by structure.</summary>
        public Dictionary<uint, Place> Rallies { get; } = new Dictionary<uint, Place>();
        /// <summary>What units do, by unit; a unit that is not there does nothing.</summary>
        public Dictionary<uint, UnitTask> Tasks { get; } = new Dictionary<uint, UnitTask>();
        /// <summary>By <see cref="OwnValues"/>, then by unit; what is not there is 0.</summary>
        public Dictionary<uint, uint>[] Values { get; } = new Dictionary<uint, uint>[OwnValues.Count];
        /// <summary>The tick at which abilities that are not ready will be.</summary>
        public Dictionary<UnitAbility, uint> Ready { get; } = new Dictionary<UnitAbility, uint>();
        /// <summary>What the last start of an ability said, also after it ended.</summary>
        public Dictionary<UnitAbility, AbilityStart> Running { get; } = new Dictionary<UnitAbility, AbilityStart>();
        /// <summary>Whether units may use their abilities, where it is not as their type says.</summary>
        public Dictionary<UnitAbility, AbilityGrant> Grants { get; } = new Dictionary<UnitAbility, AbilityGrant>();

        /// <summary>The units in transports, by transport, in the order in which they got in.</summary>
        public Dictionary<uint, List<Passenger>> Passengers { get; } = new Dictionary<uint, List<Passenger>>();

        /// <summary>By unit, then by the index of a declared value: how far it is from the start of the type.</summary>
        internal readonly Dictionary<uint, Dictionary<uint, int>> Declared = new Dictionary<uint, Dictionary<uint, int>>();

        private const int SlotsMax = 32; // a transport has no more slots
        private readonly int width;

        internal OwnerState(int width)
        {
            this.width = width;
            for (int i = 0; i < Values.Length; i++) Values[i] = new Dictionary<uint, uint>();
        }

        internal void Apply(Frame f, uint now)
        {
            if (f.Snapshot) Forget();
            foreach (uint h in f.Leave) Drop(h);
            foreach (uint h in f.Destroyed) Drop(h);
            foreach (var o in f.Owners) Drop(o.Handle); // it is somebody else's, or all of it is sent anew
            var own = f.Own;
            if (own == null) return;
            if (own.Resources != null)
            {
                Resources.Clear();
                Resources.AddRange(own.Resources);
            }
            if (own.Upgrades != null)
            {
                Upgrades.Clear();
                Upgrades.AddRange(own.Upgrades);
            }
            if (own.Population != null || own.PopulationMax != null)
            {
                Population = own.Population ?? 0;
                PopulationMax = own.PopulationMax ?? 0;
            }
            foreach (var q in own.Queues) Keep(Queues, q.Handle, new ProductionQueue(q.Types, q.Progress, now), q.Types.Length > 0);
            foreach (var r in own.Rallies) Keep(Rallies, r.Handle, r.Value == 0 ? default(Place) : PlaceOf(r.Value - 1), r.Value != 0);
            foreach (var t in own.Tasks)
                Keep(Tasks, t.Handle, new UnitTask { Kind = (OrderKind)t.Kind, To = t.HasPlace ? PlaceOf(t.Cell) : (Place?)null }, t.Kind != 0);
            for (int i = 0; i < Values.Length; i++)
                foreach (var row in own.Values[i]) Keep(Values[i], row.Handle, row.Value, row.Value != 0);
            foreach (var r in own.Running)
                Keep(Running, new UnitAbility(r.Handle, r.Index), new AbilityStart { Until = r.A == 0 ? 0 : unchecked(now + (r.A - 1)), Request = r.B }, true);
            foreach (var r in own.Grants) Keep(Grants, new UnitAbility(r.Handle, r.Index), (AbilityGrant)r.A, r.A != 0);
            foreach (var r in own.Passengers)
            {
                List<Passenger> list;
                if (r.Place == 0 || !Passengers.TryGetValue(r.Handle, out list)) list = new List<Passenger>();
                if (r.Type > 0 && list.Count < SlotsMax) list.Add(new Passenger { Type = r.Type - 1, Missing = r.Missing });
                Keep(Passengers, r.Handle, list, list.Count > 0);
            }
            foreach (var r in own.Declared)
            {
                Dictionary<uint, int> held;
                if (!Declared.TryGetValue(r.Handle, out held)) held = new Dictionary<uint, int>();
                Replica.Declare(held, r);
                Keep(Declared, r.Handle, held, held.Count > 0);
            }
            foreach (var r in own.Ready) Keep(Ready, new UnitAbility(r.Handle, r.Index), unchecked(now + r.A), r.A != 0);
        }

        private void Forget()
        {
            Upgrades.Clear();
            Queues.Clear();
            Rallies.Clear();
            Tasks.Clear();
            Declared.Clear();
            foreach (var v in Values) v.Clear();
            Ready.Clear();
            Running.Clear();
            Grants.Clear();
            Passengers.Clear();
        }

        private void Drop(uint h)
        {
            Queues.Remove(h);
            Rallies.Remove(h);
            Tasks.Remove(h);
            Declared.Remove(h);
            foreach (var v in Values) v.Remove(h);
            Passengers.Remove(h);
            DropAll(Ready, h);
            DropAll(Running, h);
            DropAll(Grants, h);
        }

        private static void DropAll<T>(Dictionary<UnitAbility, T> held, uint handle)
        {
            List<UnitAbility> gone = null;
            foreach (var k in held.Keys) if (k.Unit == handle) (gone ?? (gone = new List<UnitAbility>())).Add(k);
            if (gone != null) foreach (var k in gone) held.Remove(k);
        }

        /// <summary>Sets what is held under a key, or drops it where it is as before anything was sent.</summary>
        private static void Keep<K, V>(Dictionary<K, V> held, K key, V value, bool has)
        {
            if (!has) held.Remove(key);
            else if (held.Count < RowsMax || held.ContainsKey(key)) held[key] = value;
        }

        private Place PlaceOf(uint cell)
        {
            Place p;
            Course.CellMiddle(cell, width, out p.X, out p.Y);
            return p;
        }
    }

    /// <summary>A point in world units, 1024 a tile.</summary>
    public struct Place { public int X, Y; }

    /// <summary>What a structure makes.</summary>
    public sealed class ProductionQueue
    {
        /// <summary>Type numbers; the first is in work.</summary>
        public IReadOnlyList<uint> Types { get; }

        private readonly uint progress, at;

        internal ProductionQueue(uint[] types, uint progress, uint at)
        {
            Types = types;
            this.progress = progress;
            this.at = at;
        }

        /// <summary>Progress of the first at a tick, in 1/255.</summary>
        public uint ProgressAt(uint tick, Welcome rules)
        {
            uint build = Types[0] < rules.Types.Count ? Math.Max(1, rules.Types[(int)Types[0]].BuildTicks) : 1;
            return (uint)Math.Min(255, progress + (ulong)unchecked(tick - at) * 255 / build);
        }
    }

    /// <summary>What a unit does, and where its group goes.</summary>
    public struct UnitTask
    {
        public OrderKind Kind;
        public Place? To;
    }

    /// <summary>One ability of a unit: its index in the list of the unit's type.</summary>
    public struct UnitAbility : IEquatable<UnitAbility>
    {
        public readonly uint Unit, Index;

        public UnitAbility(uint unit, uint index)
        {
            Unit = unit;
            Index = index;
        }

        public bool Equals(UnitAbility other) { return Unit == other.Unit && Index == other.Index; }
        public override bool Equals(object other) { return other is UnitAbility && Equals((UnitAbility)other); }
        public override int GetHashCode() { return unchecked((int)(Unit * 31 + Index)); }
    }

    /// <summary>A unit in a transport.</summary>
    public struct Passenger
    {
        public uint Type;
        /// <summary>Health that it lacks.</summary>
        public uint Missing;
    }

    /// <summary>The start of an ability.</summary>
    public struct AbilityStart
    {
        /// <summary>The tick at which it ends by itself; 0: it does not.</summary>
        public uint Until;
        /// <summary>The number that this client's order gave it; 0: none.</summary>
        public uint Request;
    }
}
