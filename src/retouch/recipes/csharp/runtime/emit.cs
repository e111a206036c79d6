using System;
using System.Collections.Generic;
using System.IO;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

var references = new List<MetadataReference>();
foreach (var name in "REFERENCES".Split('|'))
    references.Add(MetadataReference.CreateFromStream(new FileStream("/" + name, FileMode.Open, FileAccess.Read)));
var trees = new List<SyntaxTree>();
foreach (var name in "SOURCES".Split('|'))
    trees.Add(CSharpSyntaxTree.ParseText(SourceText.From(new FileStream("/" + name, FileMode.Open, FileAccess.Read))));
var settings = new CSharpCompilationOptions(OutputKind.ConsoleApplication);
var compilation = CSharpCompilation.Create("check", trees, references, settings);
var stream = new MemoryStream();
var emitted = compilation.Emit(stream);
foreach (var found in emitted.Diagnostics)
    if (found.Severity == DiagnosticSeverity.Error)
        Console.WriteLine("error " + found.ToString());
if (emitted.Success)
    Console.WriteLine("assembly " + Convert.ToBase64String(stream.ToArray()));
