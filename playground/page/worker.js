// Python in a thread of its own: the page asks, and never waits.
const start = performance.now();
const ready = (async () => {
  const packages = fetch("packages.zip").then((found) => found.arrayBuffer());
  const { loadPyodide } = await import("./pyodide/pyodide.mjs");
  const python = await loadPyodide({ indexURL: new URL("pyodide/", self.location).href });
  python.FS.writeFile("/packages.zip", new Uint8Array(await packages));
  python.runPython("import sys; sys.path.insert(0, '/packages.zip')");
  const answer = python.runPython("from playground.answer import answer; answer");
  postMessage({ ready: Math.round(performance.now() - start) });
  return answer;
})();

ready.catch((error) => postMessage({ broken: String(error) }));

onmessage = async ({ data: { id, asked } }) => {
  const answer = await ready;
  const before = performance.now();
  try {
    const found = JSON.parse(answer(JSON.stringify(asked)));
    postMessage({ id, found, took: performance.now() - before });
  } catch (error) {
    postMessage({ id, error: String(error), took: performance.now() - before });
  }
};
