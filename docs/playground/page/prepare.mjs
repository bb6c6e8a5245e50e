// node prepare.mjs BUILD: get the packages of BUILD/packages ready for the page, with the Python that it runs.
//
// packages.zip has their byte code. started.bin is the memory of a Python that has imported them and checked a
// document: the page starts from it, and so neither initialises Python nor imports anything.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

const build = process.argv[2];
const { loadPyodide } = await import(pathToFileURL(join(build, "pyodide", "pyodide.mjs")));
const start = (options) => loadPyodide({ indexURL: join(build, "pyodide"), ...options });

const packages = join(build, "packages");
const files = (folder) =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });

const compiler = await start();
for (const path of files(packages)) {
  const place = join("/packages", relative(packages, path));
  compiler.FS.mkdirTree(place.slice(0, place.lastIndexOf("/")));
  compiler.FS.writeFile(place, readFileSync(path));
}
compiler.runPython(`
import compileall, py_compile, zipfile
from pathlib import Path
# beside its source, and without a look at the time of the source, which stays behind
assert compileall.compile_dir("/packages", legacy=True, quiet=1, stripdir="/packages", prependdir="/packages",
    invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
with zipfile.ZipFile("/packages.zip", "w", zipfile.ZIP_DEFLATED) as out:
    for path in sorted(Path("/packages").rglob("*")):
        if path.suffix in (".pyc", ".json", ".typed"):
            out.write(path, path.relative_to("/packages"))
`);
const zip = compiler.FS.readFile("/packages.zip");
writeFileSync(join(build, "packages.zip"), zip);

const python = await start({ _makeSnapshot: true });
python.FS.writeFile("/packages.zip", zip);
python.globals.set("warm", readFileSync(join(build, "warm.json"), "utf8"));
python.runPython(`
import gc, json, sys
sys.path.insert(0, "/packages.zip")
from docs.playground.answer import answer
for asked in json.loads(warm):
    answer(json.dumps(asked))
del warm, asked
gc.collect()
`);
writeFileSync(join(build, "started.bin"), python.makeMemorySnapshot());
