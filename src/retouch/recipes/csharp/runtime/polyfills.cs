// What newer C# needs of the base library and mono does not have. Payloads of types with DateOnly or TimeOnly are not run.
namespace System.Runtime.CompilerServices
{
    internal static class IsExternalInit { }
    [AttributeUsage(AttributeTargets.All, Inherited = false)]
    internal sealed class RequiredMemberAttribute : Attribute { }
    [AttributeUsage(AttributeTargets.All, AllowMultiple = true, Inherited = false)]
    internal sealed class CompilerFeatureRequiredAttribute : Attribute { public CompilerFeatureRequiredAttribute(string featureName) { } }
}
namespace System
{
    public struct DateOnly { }
    public struct TimeOnly { }
}
