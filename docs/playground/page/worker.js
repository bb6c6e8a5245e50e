// Python in a thread of its own: the page asks, and never waits.
const start = performance.now();
const bytes = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());

// Memory that was kept is larger than what WebAssembly starts with: make room before it is put back.
function makeRoom(size) {
  const start = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (...given) => {
    const made = await start.apply(WebAssembly, given);
    const memory = made.instance.exports.memory;
    const more = size - (memory?.buffer.byteLength ?? size);
    if (more > 0) memory.grow(Math.ceil(more / 65536));
    return made;
  };
}

const ready = (async () => {
  const [{ loadPyodide }, started, packages] = await Promise.all([
    import("./pyodide/pyodide.mjs"),
    bytes("started.bin"),
    bytes("packages.zip"),
  ]);
  makeRoom(started.length);
  const indexURL = new URL("pyodide/", self.location).href;
  const python = await loadPyodide({ indexURL, _loadSnapshot: started });
  python.FS.writeFile("/packages.zip", packages);
  const answer = python.runPython("from docs.playground.answer import answer; answer");
  postMessage({ ready: Math.round(performance.now() - start) });
  return answer;
})();

ready.catch((error) => postMessage({ broken: String(error) }));

onmessage = async ({ data: { id, asked } }) => {
  const answer = await ready;
  try {
    postMessage({ id, found: JSON.parse(answer(JSON.stringify(asked))) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
};
