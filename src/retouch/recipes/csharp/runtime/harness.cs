#nullable enable
// Reads and writes payloads with System.Text.Json.
//   usage: PROGRAM PAYLOADS RESULTS      both are JSON: [{"type", "json"}] in, [{"json"} or {"error"}] out
namespace Retouch.RuntimeCheck
{
    using System;
    using System.Collections.Generic;
    using System.IO;
    using System.Text.Json;

    public sealed class Payload
    {
        public string type { get; set; } = "";
        public string json { get; set; } = "";
    }

    public static class Program
    {
        public static int Main(string[] arguments)
        {
            var payloads = JsonSerializer.Deserialize<List<Payload>>(File.ReadAllText(arguments[0]))!;
            var results = new List<Dictionary<string, string>>();
            foreach (var payload in payloads)
            {
                var result = new Dictionary<string, string>();
                try
                {
                    var type = typeof(Program).Assembly.GetType(payload.type, true)!;
                    var holder = typeof(Program).Assembly.GetType(type.Namespace + ".ModelJson");
                    var options = (JsonSerializerOptions?)holder?.GetProperty("Options")?.GetValue(null);
                    result["json"] = JsonSerializer.Serialize(JsonSerializer.Deserialize(payload.json, type, options), type, options);
                }
                catch (Exception error)
                {
                    while (error is System.Reflection.TargetInvocationException && error.InnerException != null)
                        error = error.InnerException;
                    result["error"] = error.GetType().Name + ": " + error.Message;
                }
                results.Add(result);
            }
            File.WriteAllText(arguments[1], JsonSerializer.Serialize(results));
            return 0;
        }
    }
}
