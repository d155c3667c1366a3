using System;
using System.Collections.Generic;
using Fogkeep.Wire;

namespace Fogkeep
{
    /// <summary>Attributes of entities: values of the type or of its weapon, as the effects on the entity change them. The numbers are those of <see cref="AttributeChange.Attribute"/>.</summary>
    public static class Attributes
    {
        public const uint Health = 0, Shield = 1, Energy = 2, Armour = 3, Damage = 4, Cooldown = 5, Range = 6, Speed = 7, Sight = 8, Regen = 9, Reflect = 10;

        private const long PercentMax = 1000, SpeedPercentMax = 400, ValueMax = 1000000000;

        /// <summary>The value of an attribute of an entity, by the server's rule (match/rules/attribute.go). <paramref name="effects"/> are the welcome's.</summary>
        public static long Of(IReadOnlyList<EffectInfo> effects, Entity e, uint attribute, long value)
        {
            long add = 0, percent = 100, capPercent = 0, cap = 0;
            foreach (var on in e.Effects)
            {
                if (on.Number >= effects.Count) continue;
                foreach (var c in effects[(int)on.Number].Changes)
                {
                    if (c.Attribute != attribute) continue;
                    add += c.Add;
                    percent += c.Percent;
                    if (c.CapPercent != 0 && (capPercent == 0 || c.CapPercent < capPercent)) capPercent = c.CapPercent;
                    if (c.Cap != 0 && (cap == 0 || c.Cap < cap)) cap = c.Cap;
                }
            }
            value = Math.Max(0, value + add) * Math.Min(Math.Max(0, percent), attribute == Speed ? SpeedPercentMax : PercentMax) / 100;
            if (capPercent != 0) value = value * capPercent / 100;
            if (cap != 0) value = Math.Min(value, cap - 1);
            return Math.Min(value, ValueMax);
        }
    }
}
