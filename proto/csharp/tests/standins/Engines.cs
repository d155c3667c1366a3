// The few members of Unity's and Godot's classes that the examples use, declared here so that the examples compile
// without the engines. They do nothing.
namespace UnityEngine
{
    public class Object
    {
        public static T Instantiate<T>(T original) where T : Object { return original; }
        public static void Destroy(Object thing) { }
    }

    public class MonoBehaviour : Object { }

    public sealed class GameObject : Object
    {
        public Transform transform { get { return new Transform(); } }
    }

    public sealed class Transform
    {
        public Vector3 position { get; set; }
        public Quaternion rotation { get; set; }
    }

    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
    }

    public struct Quaternion
    {
        public static Quaternion Euler(float x, float y, float z) { return new Quaternion(); }
    }

    public static class Debug
    {
        public static void LogError(object message) { }
    }
}

namespace Godot
{
    [System.AttributeUsage(System.AttributeTargets.Field)]
    public sealed class ExportAttribute : System.Attribute { }

    public class Node
    {
        public virtual void _Ready() { }
        public virtual void _Process(double delta) { }
        public virtual void _ExitTree() { }
        public void AddChild(Node child) { }
        public void QueueFree() { }
    }

    public class Node3D : Node
    {
        public Vector3 Position { get; set; }
        public Vector3 Rotation { get; set; }
    }

    public sealed class PackedScene
    {
        public T Instantiate<T>() where T : Node, new() { return new T(); }
    }

    public struct Vector3
    {
        public float X, Y, Z;
        public Vector3(float x, float y, float z) { X = x; Y = y; Z = z; }
    }

    public static class GD
    {
        public static void PushError(string message) { }
    }
}
