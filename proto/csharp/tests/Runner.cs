using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;

namespace Fogkeep.Tests
{
    /// <summary>
    /// Runs every public static method without parameters of the classes whose names end with "Tests", or those whose
    /// name contains an argument, and prints TAP.
    /// </summary>
    public static class Runner
    {
        /// <summary>The repository's root.</summary>
        public static string Root { get; private set; }

        public static int Main(string[] args)
        {
            Root = args.Length > 0 ? args[0] : ".";
            var wanted = args.Skip(1).ToArray();
            var tests = from t in typeof(Runner).Assembly.GetTypes()
                        where t.Name.EndsWith("Tests")
                        from m in t.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly)
                        where m.GetParameters().Length == 0 && m.ReturnType == typeof(void)
                        let name = t.Name.Substring(0, t.Name.Length - 5) + "." + m.Name
                        where wanted.Length == 0 || wanted.Any(w => name.Contains(w))
                        orderby name
                        select new KeyValuePair<string, MethodInfo>(name, m);
            int n = 0, failed = 0;
            Console.WriteLine("TAP version 13");
            foreach (var test in tests)
            {
                n++;
                var watch = Stopwatch.StartNew();
                string error = null;
                try
                {
                    test.Value.Invoke(null, null);
                }
                catch (TargetInvocationException err)
                {
                    error = err.InnerException.ToString();
                }
                if (error != null) failed++;
                Console.WriteLine("{0}ok {1} - {2}", error == null ? "" : "not ", n, test.Key);
                if (error != null) foreach (string line in error.Split('\n')) Console.WriteLine("  " + line.TrimEnd());
                Console.WriteLine("  # {0} ms", watch.ElapsedMilliseconds);
            }
            Console.WriteLine("1..{0}", n);
            Console.WriteLine("# pass {0}", n - failed);
            Console.WriteLine("# fail {0}", failed);
            return failed == 0 && n > 0 ? 0 : 1;
        }

        /// <summary>The text of a file of the repository.</summary>
        public static string Text(string path) { return File.ReadAllText(Path.Combine(Root, path)); }
    }

    /// <summary>A check that failed.</summary>
    public sealed class FailedCheck : Exception
    {
        public FailedCheck(string what) : base(what) { }
    }

    public static class Check
    {
        public static void That(bool holds, string what, params object[] args)
        {
            if (!holds) throw new FailedCheck(args.Length > 0 ? string.Format(what, args) : what);
        }

        public static void Equal<T>(T got, T want, string what)
        {
            if (!EqualityComparer<T>.Default.Equals(got, want)) throw new FailedCheck(what + ": " + got + ", not " + want);
        }

        /// <summary>Runs something that has to throw an error of the library with this code.</summary>
        public static FogkeepException Throws(string code, Action what)
        {
            try
            {
                what();
            }
            catch (FogkeepException err)
            {
                Equal(err.Code, code, "the code of \"" + err.Message + "\"");
                return err;
            }
            throw new FailedCheck("no error, not " + code);
        }
    }
}
