using System.Collections.Generic;
using System.Linq;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>
    /// Makes orders. Units and targets are handles, places are world units (1024 a tile), types and abilities are
    /// numbers of the welcome. docs/protocol.md ("Orders") says what each kind needs. Units that go together go at the speed of
    /// the slowest of them.
    /// </summary>
    public static class Give
    {
        public static Order Move(IEnumerable<uint> units, int x, int y, bool queued = false, bool together = false) { return Group(OrderKind.Move, units, x, y, queued, together); }
        public static Order AttackMove(IEnumerable<uint> units, int x, int y, bool queued = false, bool together = false) { return Group(OrderKind.AttackMove, units, x, y, queued, together); }
        public static Order AttackGround(IEnumerable<uint> units, int x, int y, bool queued = false) { return At(OrderKind.AttackGround, units, x, y, queued); }
        public static Order Patrol(IEnumerable<uint> units, int x, int y, bool queued = false, bool together = false) { return Group(OrderKind.Patrol, units, x, y, queued, together); }
        public static Order Attack(IEnumerable<uint> units, uint target, bool queued = false) { return On(OrderKind.Attack, units, target, queued); }
        public static Order Follow(IEnumerable<uint> units, uint target, bool queued = false) { return On(OrderKind.Follow, units, target, queued); }
        public static Order Harvest(IEnumerable<uint> units, uint target, bool queued = false) { return On(OrderKind.Harvest, units, target, queued); }
        public static Order Stop(IEnumerable<uint> units) { return Of(OrderKind.Stop, units, false); }
        public static Order Hold(IEnumerable<uint> units) { return Of(OrderKind.Hold, units, false); }
        public static Order Surrender() { return Of(OrderKind.Surrender, new uint[0], false); }

        /// <summary>Builds a structure with its middle nearest to x, y.</summary>
        public static Order Build(IEnumerable<uint> units, uint type, int x, int y, bool queued = false)
        {
            var o = At(OrderKind.Build, units, x, y, queued);
            o.What = type;
            return o;
        }

        public static Order Train(IEnumerable<uint> structures, uint type)
        {
            var o = Of(OrderKind.Train, structures, false);
            o.What = type;
            return o;
        }

        /// <summary>Sends what is trained to a place.</summary>
        public static Order Rally(IEnumerable<uint> structures, int x, int y) { return At(OrderKind.Rally, structures, x, y, false); }

        /// <summary>Cancels a place of a production queue, or of a unit's queue of orders; 0 is the one in work.</summary>
        public static Order Cancel(IEnumerable<uint> units, uint place)
        {
            var o = Of(OrderKind.Cancel, units, false);
            o.What = place;
            return o;
        }

        /// <summary>Uses an ability that needs no target. Set Target or To of the order for one that does.</summary>
        public static Order Ability(IEnumerable<uint> units, uint ability, bool queued = false)
        {
            var o = Of(OrderKind.Ability, units, queued);
            o.What = ability;
            return o;
        }

        public static Order StopAbility(IEnumerable<uint> units, uint ability)
        {
            var o = Of(OrderKind.StopAbility, units, false);
            o.What = ability;
            return o;
        }

        private static Order Group(OrderKind kind, IEnumerable<uint> units, int x, int y, bool queued, bool together)
        {
            var o = At(kind, units, x, y, queued);
            o.Together = together;
            return o;
        }

        private static Order At(OrderKind kind, IEnumerable<uint> units, int x, int y, bool queued)
        {
            var o = Of(kind, units, queued);
            o.To = new Point { X = x, Y = y };
            return o;
        }

        private static Order On(OrderKind kind, IEnumerable<uint> units, uint target, bool queued)
        {
            var o = Of(kind, units, queued);
            o.Target = target;
            return o;
        }

        private static Order Of(OrderKind kind, IEnumerable<uint> units, bool queued)
        {
            var o = new Order { Kind = kind, Queued = queued };
            o.Units.AddRange(units.Take(Limits.UnitsAnOrder)); // more would be MALFORMED
            return o;
        }
    }
}
