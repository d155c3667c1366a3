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

    /// <summary>The codes of packed frames (docs/reference/protocol.md).</summary>
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

    /// <summary>The parts of messages, by which a packet log counts bytes (docs/reference/protocol.md).</summary>
    internal sealed class Part
    {
        public readonly string Name;
        public readonly bool Client;
        /// <summary>Numbers of a row of a field whose rows name an entity each; 0: no such rows.</summary>
        public readonly int Row;
        /// <summary>The numbers of its fields in the message.</summary>
        public readonly int[] Fields;
        /// <summary>Packed fields inside it of which each number counts as a row.</summary>
        public readonly int[] Lists;

        private Part(string name, bool client, int row, int[] fields, int[] lists)
        {
            Name = name;
            Client = client;
            Row = row;
            Fields = fields;
            Lists = lists;
        }

        /// <summary>The first is for fields that this build does not know.</summary>
        public static readonly Part[] All =
        {
            new Part("other", false, 0, new int[] {  }, new int[] {  }),
            new Part("clock", false, 0, new int[] { 1, 2, 34, 40 }, new int[] {  }),
            new Part("packed", false, 0, new int[] { 41 }, new int[] {  }),
            new Part("packed_values", false, 0, new int[] { 43 }, new int[] {  }),
            new Part("leave", false, 1, new int[] { 3 }, new int[] {  }),
            new Part("destroyed", false, 1, new int[] { 8 }, new int[] {  }),
            new Part("enter", false, 3, new int[] { 4 }, new int[] {  }),
            new Part("owner", false, 2, new int[] { 28 }, new int[] {  }),
            new Part("motion", false, 3, new int[] { 5 }, new int[] {  }),
            new Part("exact", false, 3, new int[] { 19 }, new int[] {  }),
            new Part("health", false, 2, new int[] { 6 }, new int[] {  }),
            new Part("health_changes", false, 2, new int[] { 23 }, new int[] {  }),
            new Part("shield", false, 2, new int[] { 24 }, new int[] {  }),
            new Part("shield_changes", false, 2, new int[] { 25 }, new int[] {  }),
            new Part("flags", false, 2, new int[] { 7 }, new int[] {  }),
            new Part("amount", false, 2, new int[] { 9 }, new int[] {  }),
            new Part("burst", false, 2, new int[] { 10 }, new int[] {  }),
            new Part("burst_second", false, 2, new int[] { 29 }, new int[] {  }),
            new Part("last_bursts", false, 3, new int[] { 36 }, new int[] {  }),
            new Part("actions", false, 3, new int[] { 26 }, new int[] {  }),
            new Part("effects", false, 4, new int[] { 27 }, new int[] {  }),
            new Part("values", false, 3, new int[] { 42 }, new int[] {  }),
            new Part("ghosts", false, 0, new int[] { 11 }, new int[] { 1, 8 }),
            new Part("mask", false, 0, new int[] { 12 }, new int[] { 1 }),
            new Part("mask_hash", false, 0, new int[] { 13 }, new int[] {  }),
            new Part("sights", false, 0, new int[] { 15 }, new int[] {  }),
            new Part("contacts", false, 0, new int[] { 44 }, new int[] { 2 }),
            new Part("fire", false, 2, new int[] { 22 }, new int[] {  }),
            new Part("events", false, 0, new int[] { 14 }, new int[] { 1 }),
            new Part("answers", false, 0, new int[] { 20 }, new int[] {  }),
            new Part("own", false, 0, new int[] { 21 }, new int[] {  }),
            new Part("said", false, 0, new int[] { 17 }, new int[] {  }),
            new Part("pinged", false, 0, new int[] { 18 }, new int[] {  }),
            new Part("players", false, 0, new int[] { 16 }, new int[] {  }),
            new Part("welcome", false, 0, new int[] { 30 }, new int[] {  }),
            new Part("ended", false, 0, new int[] { 31 }, new int[] {  }),
            new Part("closing", false, 0, new int[] { 32 }, new int[] {  }),
            new Part("waiting", false, 0, new int[] { 33 }, new int[] {  }),
            new Part("budget", false, 0, new int[] { 35 }, new int[] {  }),
            new Part("speed", false, 0, new int[] { 37 }, new int[] {  }),
            new Part("votes", false, 0, new int[] { 45 }, new int[] {  }),
            new Part("replay", false, 0, new int[] { 38 }, new int[] {  }),
            new Part("timeline", false, 0, new int[] { 39 }, new int[] {  }),
            new Part("hello", true, 0, new int[] { 1 }, new int[] {  }),
            new Part("applied", true, 0, new int[] { 2 }, new int[] {  }),
            new Part("orders", true, 0, new int[] { 3 }, new int[] {  }),
            new Part("camera", true, 0, new int[] { 4 }, new int[] {  }),
            new Part("says", true, 0, new int[] { 5 }, new int[] {  }),
            new Part("pings", true, 0, new int[] { 6 }, new int[] {  }),
            new Part("pace", true, 0, new int[] { 7 }, new int[] {  }),
            new Part("resync", true, 0, new int[] { 8 }, new int[] {  }),
            new Part("set_speed", true, 0, new int[] { 9 }, new int[] {  }),
            new Part("replay", true, 0, new int[] { 10 }, new int[] {  }),
            new Part("vote", true, 0, new int[] { 11 }, new int[] {  }),
            new Part("network", true, 0, new int[] { 12 }, new int[] {  }),
        };
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
