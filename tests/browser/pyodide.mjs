// Run a Python program in Pyodide, in node: node pyodide.mjs CORE PROGRAM WHEEL...
// It prints what the program prints, and exits with 1 if it raises.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [core, program, ...wheels] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(core, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: core + path.sep });
try {
  for (const wheel of wheels) python.unpackArchive(new Uint8Array(fs.readFileSync(wheel)), "wheel");
  python.runPython(fs.readFileSync(program, "utf8"));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
