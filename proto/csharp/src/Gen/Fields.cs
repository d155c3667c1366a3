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

    /// <summary>The values of a unit that only its owner knows: indices of OwnerState.Values.</summary>
    public static class OwnValues
    {
        public const int Energy = 0;
        public const int EnergyChanges = 1;
        public const int Count = 2;

        /// <summary>The names of the values, as in the protocol.</summary>
        public static readonly IReadOnlyList<string> Names = new[] { "energy", "energy_changes" };

        internal static List<uint> RowsOf(Own f, int value)
        {
            switch (value)
            {
                case Energy: return f.Energy;
                default: return f.EnergyChanges;
            }
        }
    }
}
