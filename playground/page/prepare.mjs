// node prepare.mjs BUILD: byte-compile the packages of BUILD/packages with the Python that the page runs.
// It writes BUILD/packages.zip, which the worker unpacks; compiling in the page would take seconds.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

const build = process.argv[2];
const { loadPyodide } = await import(pathToFileURL(join(build, "pyodide", "pyodide.mjs")));
const python = await loadPyodide({ indexURL: join(build, "pyodide") });

const packages = join(build, "packages");
const files = (folder) =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
for (const path of files(packages)) {
  const place = join("/packages", relative(packages, path));
  python.FS.mkdirTree(place.slice(0, place.lastIndexOf("/")));
  python.FS.writeFile(place, readFileSync(path));
}
python.runPython(`
import compileall, sys, zipfile
from pathlib import Path
# beside its source, and without a look at the time of the source, which stays behind
assert compileall.compile_dir("/packages", legacy=True, quiet=1,
    invalidation_mode=__import__("py_compile").PycInvalidationMode.UNCHECKED_HASH, stripdir="/packages", prependdir="/packages")
with zipfile.ZipFile("/packages.zip", "w", zipfile.ZIP_DEFLATED) as out:
    for path in sorted(Path("/packages").rglob("*")):
        if path.suffix in (".pyc", ".json", ".typed"):
            out.write(path, path.relative_to("/packages"))
`);
writeFileSync(join(build, "packages.zip"), python.FS.readFile("/packages.zip"));
