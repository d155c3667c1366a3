// Made by internal/tools/csharp from orders/kind.go: the orders, and the kinds that replace tasks.
using System.Collections.Generic;
using System.Linq;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>Makes orders. Units and targets are handles, places are world units (1024 a tile), types and abilities are numbers of the welcome. docs/reference/protocol.md ("Orders") has the parts of each kind. Units that go together go at the speed of the slowest of them.</summary>
    public static class Give
    {
        /// <summary>Goes to a place.</summary>
        public static Order Move(IEnumerable<uint> units, int x, int y, bool queued = false, bool together = false) { return With(units, new Order { Kind = OrderKind.Move, To = new Point { X = x, Y = y }, Queued = queued, Together = together }); }
        /// <summary>Goes to a place, and fights foes on the way.</summary>
        public static Order AttackMove(IEnumerable<uint> units, int x, int y, bool queued = false, bool together = false) { return With(units, new Order { Kind = OrderKind.AttackMove, To = new Point { X = x, Y = y }, Queued = queued, Together = together }); }
        /// <summary>Fights a target until it is gone.</summary>
        public static Order Attack(IEnumerable<uint> units, uint target, bool queued = false) { return With(units, new Order { Kind = OrderKind.Attack, Target = target, Queued = queued }); }
        /// <summary>Fires at a place until its next order.</summary>
        public static Order AttackGround(IEnumerable<uint> units, int x, int y, bool queued = false) { return With(units, new Order { Kind = OrderKind.AttackGround, To = new Point { X = x, Y = y }, Queued = queued }); }
        /// <summary>Drops everything.</summary>
        public static Order Stop(IEnumerable<uint> units) { return With(units, new Order { Kind = OrderKind.Stop }); }
        /// <summary>Stands and fights from the spot.</summary>
        public static Order Hold(IEnumerable<uint> units, bool queued = false) { return With(units, new Order { Kind = OrderKind.Hold, Queued = queued }); }
        /// <summary>Goes back and forth between here and a place, and fights.</summary>
        public static Order Patrol(IEnumerable<uint> units, int x, int y, bool queued = false, bool together = false) { return With(units, new Order { Kind = OrderKind.Patrol, To = new Point { X = x, Y = y }, Queued = queued, Together = together }); }
        /// <summary>Stays with a unit or structure.</summary>
        public static Order Follow(IEnumerable<uint> units, uint target, bool queued = false) { return With(units, new Order { Kind = OrderKind.Follow, Target = target, Queued = queued }); }
        /// <summary>Gathers a resource, and brings it home.</summary>
        public static Order Harvest(IEnumerable<uint> units, uint target, bool queued = false) { return With(units, new Order { Kind = OrderKind.Harvest, Target = target, Queued = queued }); }
        /// <summary>Gathers a resource, and brings it home.</summary>
        public static Order Harvest(IEnumerable<uint> units, int x, int y, bool queued = false) { return With(units, new Order { Kind = OrderKind.Harvest, To = new Point { X = x, Y = y }, Queued = queued }); }
        /// <summary>Builds a structure with its middle nearest to a place, or goes on with one.</summary>
        public static Order Build(IEnumerable<uint> units, uint target, bool queued = false) { return With(units, new Order { Kind = OrderKind.Build, Target = target, Queued = queued }); }
        /// <summary>Builds a structure with its middle nearest to a place, or goes on with one.</summary>
        public static Order Build(IEnumerable<uint> units, uint type, int x, int y, bool queued = false) { return With(units, new Order { Kind = OrderKind.Build, What = type, To = new Point { X = x, Y = y }, Queued = queued }); }
        /// <summary>Adds a unit to a structure's production queue.</summary>
        public static Order Train(IEnumerable<uint> units, uint type) { return With(units, new Order { Kind = OrderKind.Train, What = type }); }
        /// <summary>Sends trained units to a place or a target.</summary>
        public static Order Rally(IEnumerable<uint> units, uint target) { return With(units, new Order { Kind = OrderKind.Rally, Target = target }); }
        /// <summary>Sends trained units to a place or a target.</summary>
        public static Order Rally(IEnumerable<uint> units, int x, int y) { return With(units, new Order { Kind = OrderKind.Rally, To = new Point { X = x, Y = y } }); }
        /// <summary>Starts an ability; one with an aim needs a place or a target.</summary>
        public static Order Ability(IEnumerable<uint> units, uint ability, bool queued = false) { return With(units, new Order { Kind = OrderKind.Ability, What = ability, Queued = queued }); }
        /// <summary>Stops an ability that lasts.</summary>
        public static Order StopAbility(IEnumerable<uint> units, uint ability) { return With(units, new Order { Kind = OrderKind.StopAbility, What = ability }); }
        /// <summary>Takes a place out of a queue; a structure under construction is given up.</summary>
        public static Order Cancel(IEnumerable<uint> units, uint place) { return With(units, new Order { Kind = OrderKind.Cancel, What = place }); }
        /// <summary>Gives up the match.</summary>
        public static Order Surrender() { return With(new uint[0], new Order { Kind = OrderKind.Surrender }); }
        /// <summary>Chooses when the weapons of a unit fire, and which, and how far the unit goes for foes.</summary>
        public static Order Fire(IEnumerable<uint> units, uint place) { return With(units, new Order { Kind = OrderKind.Fire, What = place }); }
        /// <summary>Restores the health of a unit or structure, for a part of its cost.</summary>
        public static Order Repair(IEnumerable<uint> units, uint target, bool queued = false) { return With(units, new Order { Kind = OrderKind.Repair, Target = target, Queued = queued }); }
        /// <summary>Gets into a transport.</summary>
        public static Order Board(IEnumerable<uint> units, uint target, bool queued = false) { return With(units, new Order { Kind = OrderKind.Board, Target = target, Queued = queued }); }
        /// <summary>Goes to a place, and lets passengers out.</summary>
        public static Order Unload(IEnumerable<uint> units, uint place, int x, int y, bool queued = false) { return With(units, new Order { Kind = OrderKind.Unload, What = place, To = new Point { X = x, Y = y }, Queued = queued }); }

        private static Order With(IEnumerable<uint> units, Order order)
        {
            order.Units.AddRange(units.Take(Limits.UnitsAnOrder)); // more would be MALFORMED
            return order;
        }
    }

    internal static class OrderKinds
    {
        /// <summary>Kinds that replace a unit's tasks.</summary>
        public static readonly HashSet<OrderKind> Tasks = new HashSet<OrderKind> { OrderKind.Move, OrderKind.AttackMove, OrderKind.Attack, OrderKind.AttackGround, OrderKind.Stop, OrderKind.Hold, OrderKind.Patrol, OrderKind.Follow, OrderKind.Harvest, OrderKind.Build, OrderKind.Repair, OrderKind.Board, OrderKind.Unload };
        /// <summary>Kinds that give each unit a place of its own around the point.</summary>
        public static readonly HashSet<OrderKind> Groups = new HashSet<OrderKind> { OrderKind.Move, OrderKind.AttackMove, OrderKind.Patrol };
    }
}
