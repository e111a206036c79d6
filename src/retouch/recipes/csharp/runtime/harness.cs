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
                    var path = (error as JsonException)?.Path;
                    var message = error.Message;
                    while (path != null && error.InnerException is JsonException inner && inner.Path != null)
                    {
                        path += inner.Path.Substring(1);  // a union reads its value apart: the path begins there
                        message = inner.Message.Replace("Path: " + inner.Path + " |", "Path: " + path + " |");
                        error = inner;
                    }
                    var place = path == null || message.Contains("Path: ") ? "" : " (at " + path + ")";
                    result["error"] = error.GetType().Name + ": " + message + place;
                }
                results.Add(result);
            }
            File.WriteAllText(arguments[1], JsonSerializer.Serialize(results));
            return 0;
        }
    }
}
