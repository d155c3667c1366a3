using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Fogkeep
{
    /// <summary>
    /// A small reader and writer of JSON (RFC 8259): Unity, Godot and .NET share no other without a package. A value is
    /// null, a bool, a double, a string, a <see cref="List{T}"/> of values, or a <see cref="Dictionary{K,V}"/> of values
    /// by name. Text that is no JSON, or nests deeper than 64, is a <see cref="FogkeepException"/> of the code
    /// <see cref="ErrorCodes.BadJson"/>.
    /// </summary>
    public static class Json
    {
        private const int DepthMax = 64;

        public static object Read(string text)
        {
            int at = 0;
            object v = Value(text, ref at, 0);
            Space(text, ref at);
            if (at < text.Length) throw Bad(at, "more than one value");
            return v;
        }

        public static string Write(object value)
        {
            var b = new StringBuilder();
            Write(b, value, 0);
            return b.ToString();
        }

        private static object Value(string s, ref int at, int depth)
        {
            if (depth > DepthMax) throw Bad(at, "nested deeper than " + DepthMax);
            Space(s, ref at);
            switch (Peek(s, at))
            {
                case '{': return Object(s, ref at, depth);
                case '[': return Array(s, ref at, depth);
                case '"': return String(s, ref at);
                case 't': return Word(s, ref at, "true", true);
                case 'f': return Word(s, ref at, "false", false);
                case 'n': return Word(s, ref at, "null", null);
                default: return Number(s, ref at);
            }
        }

        private static object Object(string s, ref int at, int depth)
        {
            var all = new Dictionary<string, object>();
            at++;
            Space(s, ref at);
            if (Peek(s, at) == '}') { at++; return all; }
            for (; ; )
            {
                Space(s, ref at);
                if (Peek(s, at) != '"') throw Bad(at, "a name was expected");
                string name = String(s, ref at);
                Space(s, ref at);
                if (Peek(s, at) != ':') throw Bad(at, "':' was expected");
                at++;
                all[name] = Value(s, ref at, depth + 1);
                Space(s, ref at);
                char c = Peek(s, at);
                if (c != ',' && c != '}') throw Bad(at, "',' or '}' was expected");
                at++;
                if (c == '}') return all;
            }
        }

        private static object Array(string s, ref int at, int depth)
        {
            var all = new List<object>();
            at++;
            Space(s, ref at);
            if (Peek(s, at) == ']') { at++; return all; }
            for (; ; )
            {
                all.Add(Value(s, ref at, depth + 1));
                Space(s, ref at);
                char c = Peek(s, at);
                if (c != ',' && c != ']') throw Bad(at, "',' or ']' was expected");
                at++;
                if (c == ']') return all;
            }
        }

        private static string String(string s, ref int at)
        {
            int plain = ++at;
            while (at < s.Length && s[at] != '"' && s[at] != '\\' && s[at] >= ' ') at++;
            if (Peek(s, at) == '"') return s.Substring(plain, at++ - plain);
            var b = new StringBuilder(s, plain, at - plain, 2 * (at - plain) + 16);
            for (; ; )
            {
                char c = Peek(s, at++);
                if (c == '"') return b.ToString();
                if (c < ' ') throw Bad(at - 1, "a text does not end");
                if (c != '\\') { b.Append(c); continue; }
                c = Peek(s, at++);
                int i = "\"\\/bfnrt".IndexOf(c);
                if (i >= 0) b.Append("\"\\/\b\f\n\r\t"[i]);
                else if (c == 'u') b.Append(Unicode(s, ref at));
                else throw Bad(at - 1, "an unknown escape");
            }
        }

        private static char Unicode(string s, ref int at)
        {
            ushort n;
            if (at + 4 > s.Length || !ushort.TryParse(s.Substring(at, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out n))
                throw Bad(at, "four hexadecimal digits were expected");
            at += 4;
            return (char)n;
        }

        private static object Number(string s, ref int at)
        {
            int from = at;
            while (at < s.Length && "+-.eE0123456789".IndexOf(s[at]) >= 0) at++;
            double n;
            if (from == at || !double.TryParse(s.Substring(from, at - from), NumberStyles.Float, CultureInfo.InvariantCulture, out n))
                throw Bad(from, "a value was expected");
            return n;
        }

        private static object Word(string s, ref int at, string word, object value)
        {
            if (string.CompareOrdinal(s, at, word, 0, word.Length) != 0) throw Bad(at, "a value was expected");
            at += word.Length;
            return value;
        }

        private static void Space(string s, ref int at)
        {
            while (at < s.Length && (s[at] == ' ' || s[at] == '\n' || s[at] == '\r' || s[at] == '\t')) at++;
        }

        private static char Peek(string s, int at) { return at < s.Length ? s[at] : '\0'; }

        private static void Write(StringBuilder b, object v, int depth)
        {
            if (depth > DepthMax) throw new FogkeepException(ErrorCodes.BadJson, "JSON: nested deeper than " + DepthMax);
            if (v == null) b.Append("null");
            else if (v is bool) b.Append((bool)v ? "true" : "false");
            else if (v is string) Quote(b, (string)v);
            else if (v is IDictionary<string, object>)
            {
                b.Append('{');
                foreach (var pair in (IDictionary<string, object>)v)
                {
                    if (b[b.Length - 1] != '{') b.Append(',');
                    Quote(b, pair.Key);
                    b.Append(':');
                    Write(b, pair.Value, depth + 1);
                }
                b.Append('}');
            }
            else if (v is System.Collections.IEnumerable)
            {
                b.Append('[');
                foreach (object x in (System.Collections.IEnumerable)v)
                {
                    if (b[b.Length - 1] != '[') b.Append(',');
                    Write(b, x, depth + 1);
                }
                b.Append(']');
            }
            else if (v is double) b.Append(((double)v).ToString("R", CultureInfo.InvariantCulture));
            else b.Append(Convert.ToString(v, CultureInfo.InvariantCulture));
        }

        private static void Quote(StringBuilder b, string s)
        {
            b.Append('"');
            foreach (char c in s)
            {
                if (c == '"' || c == '\\') b.Append('\\').Append(c);
                else if (c < ' ') b.Append("\\u").Append(((int)c).ToString("x4"));
                else b.Append(c);
            }
            b.Append('"');
        }

        private static FogkeepException Bad(int at, string what)
        {
            return new FogkeepException(ErrorCodes.BadJson, "JSON, character " + at + ": " + what);
        }
    }
}
