// Made by internal/tools/csharp from match/view/fields.go: the values of entities.
using System.Collections.Generic;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>The values of an entity, in the order in which a frame's rows of them are applied: indices of Entity.Values.</summary>
    public static class Values
    {
        public const int Health = 0;
        public const int Flags = 1;
        public const int Amount = 2;
        public const int Burst = 3;
        public const int BurstSecond = 4;
        public const int HealthChanges = 5;
        public const int Shield = 6;
        public const int ShieldChanges = 7;
        public const int Count = 8;

        /// <summary>The names of the values, as in the protocol.</summary>
        public static readonly IReadOnlyList<string> Names = new[] { "health", "flags", "amount", "burst", "burst_second", "health_changes", "shield", "shield_changes" };

        internal static List<uint> RowsOf(ServerFrame f, int value)
        {
            switch (value)
            {
                case Health: return f.Health;
                case Flags: return f.Flags;
                case Amount: return f.Amount;
                case Burst: return f.Burst;
                case BurstSecond: return f.BurstSecond;
                case HealthChanges: return f.HealthChanges;
                case Shield: return f.Shield;
                default: return f.ShieldChanges;
            }
        }

        /// <summary>The value that counts the changes of a value, or -1.</summary>
        internal static readonly int[] CountedBy = { HealthChanges, -1, -1, -1, -1, -1, ShieldChanges, -1 };
    }

    /// <summary>The codes of packed frames (docs/protocol.md).</summary>
    internal static class Codes
    {
        /// <summary>For each number of bits from 0 to 32 the length of its prefix, a digit of base 36.</summary>
        public static readonly Dictionary<char, string> Lengths = new Dictionary<char, string>
        {
            { 'r', "13433577aaaaabbbbbbbbbbbbbbbbbbaa" },
            { 'd', "a44232345689bbbccccccbbbbbbbbbbbb" },
            { 'g', "946443332358bbccbbbbbbbbbbbbbbbbb" },
            { 'e', "bbbba94434443333568bbbbbbbbbbbbbb" },
            { 'p', "aaaaaaaaaaaaaaaaaa996413268aaaaaa" },
            { 'm', "897553228abba559976aa9347bbbccccb" },
            { 'c', "77666554367543289876539bccccbbbbb" },
            { 'h', "776532228877677bbccccbbbbbbbbbbbb" },
            { 't', "b99877643126abccccccccccccccbbbbb" },
            { 's', "312566889999999999999999999999888" },
            { 'n', "38ab766647653228accca4abccccccccc" },
        };

        /// <summary>The fields that can be packed, in their order: name, and the code of each number of a row.</summary>
        public static readonly string[][] Fields =
        {
            new[] { "leave", "g" },
            new[] { "destroyed", "g" },
            new[] { "enter", "epn" },
            new[] { "owner", "gd" },
            new[] { "motion", "dmc" },
            new[] { "exact", "dnn" },
            new[] { "health", "dh" },
            new[] { "health_changes", "gd" },
            new[] { "shield", "dh" },
            new[] { "shield_changes", "gd" },
            new[] { "flags", "gh" },
            new[] { "amount", "gn" },
            new[] { "burst", "gd" },
            new[] { "burst_second", "gd" },
            new[] { "last_bursts", "tdn" },
            new[] { "actions", "gss" },
            new[] { "effects", "gssn" },
            new[] { "fire", "gt" },
            new[] { "values", "gsn" },
        };

        /// <summary>So many of them are packed together, the others in a field of their own.</summary>
        public const int Together = 18;

        /// <summary>Of a sight: of its fields by their numbers.</summary>
        public const string Sight = "ggdrrd";

        /// <summary>The rows of a field.</summary>
        public static List<uint> RowsOf(ServerFrame f, int field)
        {
            switch (field)
            {
                case 0: return f.Leave;
                case 1: return f.Destroyed;
                case 2: return f.Enter;
                case 3: return f.Owner;
                case 4: return f.Motion;
                case 5: return f.Exact;
                case 6: return f.Health;
                case 7: return f.HealthChanges;
                case 8: return f.Shield;
                case 9: return f.ShieldChanges;
                case 10: return f.Flags;
                case 11: return f.Amount;
                case 12: return f.Burst;
                case 13: return f.BurstSecond;
                case 14: return f.LastBursts;
                case 15: return f.Actions;
                case 16: return f.Effects;
                case 17: return f.Fire;
                case 18: return f.Values;
                default: throw new System.ArgumentOutOfRangeException(nameof(field));
            }
        }
    }

    /// <summary>The values of a unit that only its owner knows: indices of OwnerState.Values.</summary>
    public static class OwnValues
    {
        public const int Energy = 0;
        public const int EnergyChanges = 1;
        public const int Firing = 2;
        public const int Count = 3;

        /// <summary>The names of the values, as in the protocol.</summary>
        public static readonly IReadOnlyList<string> Names = new[] { "energy", "energy_changes", "firing" };

        internal static List<uint> RowsOf(Own f, int value)
        {
            switch (value)
            {
                case Energy: return f.Energy;
                case EnergyChanges: return f.EnergyChanges;
                default: return f.Firing;
            }
        }
    }
}
