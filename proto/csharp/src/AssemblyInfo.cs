using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Fogkeep.Client.Tests")]
