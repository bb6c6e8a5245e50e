"use strict";
const part = (name) => document.getElementById(name);
const text = part("text");
const WAIT = 60; // milliseconds without a key at most, after which the text is checked
const REST = 250; // milliseconds without a key after findings, before pictures are drawn

const OWN = `# Attention

$$\\begin{aligned}
Q &\\in \\mathbb{R}^{\\text{seq}', \\text{key}} \\\\
K &\\in \\mathbb{R}^{\\text{seq}, \\text{key}} \\\\
V &\\in \\mathbb{R}^{\\text{seq}, \\text{val}} \\\\
\\text{att}(Q, K, V) &= V \\underset{\\text{seq}}{\\cdot} \\underset{\\text{seq}}{\\text{softmax}}
  \\left( \\frac{Q \\underset{\\text{key}}{\\cdot} K}{\\sqrt{|\\text{key}|}} \\right)
\\end{aligned}$$
`;

// ---------------------------------------------------------------------------------- asking Python

const worker = new Worker("worker.js", { type: "module" });
const waiting = new Map();
let asked = 0;
worker.onmessage = ({ data }) => {
  if (data.broken) return (part("state").textContent = `Python does not start: ${data.broken}`);
  if (data.ready) return (part("state").textContent = `Python runs in this page; nothing leaves it.`);
  const { resolve, reject } = waiting.get(data.id);
  waiting.delete(data.id);
  data.error ? reject(new Error(data.error)) : resolve(data.found);
};
const ask = (question) =>
  new Promise((resolve, reject) => {
    waiting.set(++asked, { resolve, reject });
    worker.postMessage({ id: asked, asked: question });
  });

// ------------------------------------------------------------------------------ what is typed shows

const own = { text: OWN };
let puzzle = null; // the puzzle that is shown; null where the text is the reader's own
let latest = 0;
let busy = false;
let again = false;
let wait = WAIT;

const fileName = (typed) => (/\\(documentclass|begin\{document\}|ndef|newcommand)|^\s*\\begin\{align/.test(typed) ? "typed.tex" : "typed.md");

async function check() {
  if (busy) return void (again = true);
  busy = true;
  const typed = text.value;
  const now = ++latest;
  try {
    const asked = { text: typed, name: fileName(typed) };
    const start = performance.now();
    const first = await ask({ kind: "check", meaning: false, ...asked });
    showFindings({ ...first, summary: `${first.summary} ...` }); // what the axes mean is asked next
    wait = Math.min(WAIT, performance.now() - start); // what is checked at once need not wait for more keys
    const all = again ? first : await ask({ kind: "check", ...asked });
    if (all.findings.length > first.findings.length) showFindings(all);
    part("summary").textContent = all.summary;
    if (!again) await layOut();
    if (puzzle) await grade(typed);
    await look(asked);
  } catch (error) {
    part("summary").textContent = `This text could not be checked: ${error.message}`;
  }
  document.body.dataset.checked = now;
  busy = false;
  if (again) {
    again = false;
    check();
  }
}

function element(tag, words, kind) {
  const made = document.createElement(tag);
  if (words !== undefined) made.textContent = words;
  if (kind) made.className = kind;
  return made;
}

const select = ([start, end]) => {
  text.focus();
  text.setSelectionRange(start, end);
};

function showFindings({ summary, findings }) {
  part("summary").textContent = summary;
  part("findings").replaceChildren(
    ...findings.map((finding) => {
      const [said, ...lines] = finding.printed.split("\n");
      const shown = element("div", undefined, `finding ${finding.severity}`);
      // the line with its carets scrolls; what follows it, shapes and a hint, does not
      const end = lines.findLastIndex((line) => /^[\s|]*\^+$/.test(line)) + 1;
      shown.append(element("p", said), element("pre", lines.slice(0, end).join("\n")));
      shown.append(element("p", lines.slice(end).join("\n"), "rest"));
      shown.title = "show the part";
      shown.onclick = () => select(finding.place);
      return shown;
    }),
  );
  for (const shown of part("findings").querySelectorAll("pre")) {
    const caret = shown.textContent.split("\n").find((line) => /\^/.test(line)) ?? "";
    const wide = shown.scrollWidth / Math.max(...shown.textContent.split("\n").map((line) => line.length));
    shown.scrollLeft = (caret.indexOf("^") - 8) * wide; // the carets are in view
  }
  for (const name of ["shapes", "diagrams", "python"]) part(name).classList.add("old");
}

// Formula by formula: who types on gets findings first.
async function look(asked) {
  await new Promise((go) => setTimeout(go, REST));
  const types = again ? [] : await ask({ kind: "formulas", ...asked });
  const found = [];
  for (const place of types.keys()) {
    if (again) return;
    found.push(await ask({ kind: "draw", place, ...asked }));
  }
  const written = again || !types.length ? "" : await ask({ kind: "python", ...asked });
  if (again) return;
  part("shapes").replaceChildren(...found.map(({ parts }, i) => shapeTable(types[i], parts)));
  part("diagrams").replaceChildren(
    ...found.map(({ diagram, not_drawn }, i) => {
      const shown = element("div", not_drawn && `${types[i].split("(")[0]} is not drawn.`);
      if (diagram) shown.innerHTML = diagram;
      else shown.title = not_drawn; // most often a fault, which the findings tell
      return shown;
    }),
  );
  part("python").textContent = written;
  for (const name of ["shapes", "diagrams", "python"]) part(name).classList.remove("old");
}

function shapeTable(type, parts) {
  const table = element("table");
  table.append(element("caption", type));
  const rows = document.createElement("tbody");
  for (const { text: words, shape, place } of parts) {
    const row = element("tr");
    row.append(element("td", words), element("td", shape));
    row.onmouseenter = () => document.activeElement === text || select(place);
    row.onclick = () => select(place);
    rows.append(row);
  }
  table.append(rows);
  return table;
}

// The formulas of a text, in the delimiters of Markdown and LaTeX; what is between them is prose.
const MATH = /\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\]|(\\begin\{(equation|align|gather|multline|aligned)\*?\}[\s\S]+?\\end\{\4\*?\})|\$([^$\n]+?)\$|\\\(([\s\S]+?)\\\)/g;

function render() {
  const shown = [];
  let end = 0;
  let defined = "";
  const macros = { ...told.macros };
  const typed = text.value;
  const prose = (words) => {
    const plain = words.replace(/\\(section|subsection)\*?\{([^}]*)\}/g, "$2").replace(/^#+ +/gm, "");
    if (/\\ndef/.test(words)) {
      define(words, macros);
      defined += words;
    }
    if (plain.trim() && !/^\s*(\\(ndef|newcommand|usepackage|documentclass|begin|end)\b.*\s*)+$/.test(plain))
      shown.push(element("span", plain));
  };
  for (const found of typed.matchAll(MATH)) {
    prose(typed.slice(end, found.index));
    end = found.index + found[0].length;
    const inline = found[5] ?? found[6];
    const latex = (found[1] ?? found[2] ?? found[3] ?? inline).replace(/(?<!\\)%.*$/gm, "");
    shown.push(formula(latex, inline === undefined, macros, defined));
    if (DEFINES.test(latex)) defined += latex;
  }
  prose(typed.slice(end));
  part("rendered").replaceChildren(...shown);
}

function define(words, macros) {
  for (const [, name, axis] of words.matchAll(/\\ndef\{(\\[a-zA-Z]+)\}\{([^}]*)\}/g)) macros[name] = `\\name{${axis}}`;
}

const laid = new Map(); // what formulas look like that were laid out
const DEFINES = /\\((re)?newcommand|providecommand|[gex]?def|let|ndef|DeclareMathOperator)\b/;

// `defined` is what the text has defined before: the same formula looks otherwise after another definition
function formula(latex, display, macros, defined) {
  const shown = element("span");
  if (!DEFINES.test(latex)) shown.formula = JSON.stringify([latex, display, defined]);
  if (laid.has(shown.formula)) {
    shown.innerHTML = laid.get(shown.formula);
    return shown;
  }
  try {
    katex.render(latex, shown, { displayMode: display, macros, output: "mathml", globalGroup: true, strict: "ignore" });
  } catch (error) {
    shown.className = "refused";
    shown.textContent = `${latex.trim()}\n${error.message}`;
  }
  return shown;
}

// Browsers know less MathML than KaTeX writes for readers of screens; until Python runs, they show that.
async function layOut() {
  const shown = [...part("rendered").children].filter((one) => !laid.has(one.formula) && one.querySelector("math"));
  if (!shown.length) return;
  const found = await ask({ kind: "lay out", formulas: shown.map((one) => one.querySelector("math").outerHTML) });
  if (laid.size > 2000) laid.clear();
  shown.forEach((one, i) => {
    if (one.formula) laid.set(one.formula, found[i]);
    if (one.isConnected) one.innerHTML = found[i];
  });
}

let timer;
text.oninput = () => {
  render();
  clearTimeout(timer);
  timer = setTimeout(check, wait);
};

// --------------------------------------------------------------------------------------- puzzles

const solved = new Set();

async function grade(typed) {
  const current = puzzle;
  const right = current.text.replace(current.faulty, () => current.right);
  const reasons = await ask({ kind: "grade", text: typed, name: current.name, right });
  if (current !== puzzle) return;
  const verdict = part("task").querySelector(".verdict");
  verdict.textContent = reasons.length ? `Not yet: ${reasons[0]}` : "Mended.";
  verdict.classList.toggle("good", !reasons.length);
  if (!reasons.length) solved.add(current);
  told.puzzles.forEach((p, i) => part("puzzles").children[i].classList.toggle("solved", solved.has(p)));
}

function open(chosen) {
  (puzzle ?? own).typed = text.value;
  puzzle = chosen;
  text.value = (chosen ?? own).typed ?? (chosen ?? own).text;
  part("task").hidden = !chosen;
  if (chosen) part("task").replaceChildren(element("span", chosen.task), element("span", "", "verdict"));
  part("free").setAttribute("aria-pressed", !chosen);
  told.puzzles.forEach((p, i) => part("puzzles").children[i].setAttribute("aria-pressed", p === chosen));
  render();
  check();
}

part("puzzles").append(
  ...told.puzzles.map((chosen, i) => {
    const button = element("button", `${i + 1} ${chosen.title}`);
    button.type = "button";
    button.onclick = () => open(chosen);
    return button;
  }),
);
part("free").onclick = () => open(null);
text.value = OWN;
open(null);
