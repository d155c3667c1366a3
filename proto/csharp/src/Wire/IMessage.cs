namespace Fogkeep.Wire
{
    /// <summary>A message of the protocol.</summary>
    public interface IMessage
    {
        /// <summary>Reads fields to the end of the message.</summary>
        void MergeFrom(WireReader r);
        /// <summary>Writes the fields that are not at their default.</summary>
        void WriteTo(WireWriter w);
    }
}
