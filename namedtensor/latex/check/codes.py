"""The short codes of the rules, and what each one says; `docs/checking.md` shows an example of each."""

from __future__ import annotations

#: Rules of the checker. Codes that begin with syntax- or limit- are for text that cannot be read.
CODES: dict[str, str] = {
    "axis-missing": "an operation names an axis that its operand lacks",
    "axis-returns": "an axis is contracted away on one side of a sum, and the other side brings it back",
    "axis-alone": "a sum brings in an axis that nothing else in the document names",
    "axis-clash": "a tensor would have two axes of one name",
    "axis-size": "one axis has two sizes",
    "axis-name": "a size stands among the axes of a shape",
    "axis-under-operand": "axes stand under an operand",
    "axis-under-sign": "axes stand under + or -",
    "no-axis": "a function acts along axes, and none is named",
    "reach": "a function may end before a power, or a sum before another, and reaches over it",
    "meaning": "a name or a product could be meant in two ways",
    "undefined": "a name is neither declared nor defined",
    "undeclared": "a name is declared in another section only",
    "declared-shape": "a definition, or a second declaration, disagrees with the declaration",
    "result-shape": "the body of a function disagrees with its signature",
    "series-shape": "the members of an induction or a recursion have different shapes",
    "arguments": "a function is given too few arguments, or too many",
    "parameters-missing": "a function is called without what stands after its semicolon",
    "index-type": "an index is no whole number, or an index of another axis",
    "index-range": "an index lies outside its axis",
    "near-duplicate": "two names of axes look alike",
    "repeated": "an axis, an argument or a name is listed twice",
    "constraint": "what is said of sizes cannot hold",
    "nan": "a formula has no value, or is nan for all numbers that were tried",
    "refused": "an operation refuses its operands",
}
