"""Print a formula as LaTeX: declarations, its definition, and those of the parts that have names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from namedtensor.formula.signature import Space
from namedtensor.formula.written import DerivedFrom, Written, titled
from namedtensor.latex.printing.dialects import KATEX_MACROS as KATEX_MACROS
from namedtensor.latex.printing.dialects import REALS, Dialect, dialect_of
from namedtensor.latex.printing.elements import element_of, gathered
from namedtensor.latex.printing.forms import Forms
from namedtensor.latex.printing.names import letters
from namedtensor.latex.printing.naming import axes_in, every_part, names_of, without_repeats
from namedtensor.latex.printing.pieces import Piece, inside, raised
from namedtensor.latex.printing.special import recurrence
from namedtensor.latex.printing.stacks import Ladder
from namedtensor.operations.recurrence import recurs
from namedtensor.primitives import Node
from namedtensor.primitives.notation import RELATION, SUM
from namedtensor.tensor.resize import opened

#: About so many characters fit on a line.
WIDTH = 96

_BASES = {"R": REALS, "Z": r"\mathbb{Z}", "B": r"\mathbb{B}"}
_KINDS = {"int": "Z", "bool": "B"}
_COMMAND = re.compile(r"\\[A-Za-z]+\*?|[{}&^_]|\\.")


def latex_of(written: Written, dialect: str = "macros", taken: Iterable[str] = ()) -> str:
    """Print a formula as a block of equations; `taken` are Python names that no part may have."""
    forms = Forms(written, names_of(written, taken), dialect_of(dialect))
    forms.dialect.tell_apart(axes_in(written))
    rows = [*_declarations(written, forms), *_of_others(written, forms)]
    rows += _signature(written, forms)
    first = written.results[0]
    if forms.names.of.get(first) == written.name:
        rows += _clause(first, forms)
    else:
        for head, body in zip(_heads(written, forms), _bodies(written, forms), strict=True):
            rows += _broken(head, body)
    rows += _where(written, forms)
    lines = " \\\\\n".join(rows)
    macros = "".join([f"{line}\n" for line in forms.dialect.preamble()])
    return f"$${macros}\\begin{{aligned}}\n{lines}\n\\end{{aligned}}$$"


def with_called(written: Written, dialect: str = "macros") -> str:
    """Print a formula after all formulas that it calls."""
    printed: dict[str, str] = {}
    print_into(printed, written, dialect)
    return "\n\n".join(printed.values())


#: The form in which a formula is called: its settings that are words, and the optional parameters that
#: are left out, None for a tensor and False for a bundle. A bundle that is given has such a dict itself.
Form = dict[str, Any]


def print_into(
    printed: dict[str, str], written: Written, dialect: str, taken: Iterable[str] = ()
) -> None:
    """Add a formula's text to `printed`, by its name, after the texts of the formulas that it calls."""
    forms: dict[str, tuple[Form, Written]] = {}
    _find_forms(written, forms)
    _print_into(printed, written, dialect, taken, forms)


def _print_into(
    printed: dict[str, str],
    written: Written,
    dialect: str,
    taken: Iterable[str],
    forms: Mapping[str, tuple[Form, Written]],
) -> None:
    for title, _, _ in _called(written):
        if title not in printed:
            _print_into(printed, forms[title][1], dialect, taken, forms)
    printed[written.title or written.name] = latex_of(written, dialect, taken)


def _find_forms(written: Written, forms: dict[str, tuple[Form, Written]]) -> None:
    """Find one form for each called formula, with every optional parameter that any call gives."""
    for title, formula, form in _called(written):
        before = forms[title][0] if title in forms else None
        known = form if before is None else _both(before, form)
        if known != before:
            forms[title] = known, formula.written(**known)
            _find_forms(forms[title][1], forms)


def _both(first: Form, second: Form) -> Form:
    """Join two forms: a parameter is left out only if both leave it out."""
    found: Form = {}
    for name in first.keys() & second.keys():
        here, there = first[name], second[name]
        if isinstance(here, dict) and isinstance(there, dict):
            found[name] = _both(here, there)
        else:
            found[name] = there if here is False else here
    return found


def _called(written: Written) -> Iterator[tuple[str, Any, Form]]:
    """List the calls in a formula: the name and formula that is called, and the form of the call."""
    calls = [n.operation.params for n in every_part(written) if n.name == "call"]
    for name, formula in written.called.items():
        for paths, settings in [(p, given) for own, p, given, _ in calls if own == name]:
            title, others = titled(formula, settings)
            words = {n: v for n, v in settings if n not in others}
            yield title, formula, words | _given_by(formula, paths)


def _given_by(formula: Any, paths: Iterable[str], prefix: str = "") -> Form:
    """Find the optional parameters that a call leaves out; `paths` are the parameters that it gives."""
    found: Form = {}
    for p in formula.signature.parameters:
        path = f"{prefix}{p.name}"
        if p.setting or p.stack or not p.after:
            continue
        if p.bundle is not None:
            there = any(given.startswith(f"{path}.") for given in paths)
            known = _given_by(p.bundle, paths, f"{path}.") if there else {}
            if p.optional or known:
                found[p.name] = known if there or not p.optional else False
        elif p.default is None and path not in paths:
            found[p.name] = None
    return found


# ------------------------------------------------------------------------------------ declarations


def _declarations(written: Written, forms: Forms) -> list[str]:
    """Declare arguments and parameters; consecutive ones of the same space share a row."""
    groups: list[tuple[list[str], str]] = []
    for path, declared in _given(written):
        space = _space(declared, forms.dialect)
        if groups and groups[-1][1] == space:
            groups[-1][0].append(path)
        else:
            groups.append(([path], space))
    return [
        f"{', '.join([forms.argument(path).text for path in paths])} &\\in {space}"
        for paths, space in groups
    ]


def _given(written: Written) -> Iterator[tuple[str, Space]]:
    """List the tensors to declare and their spaces; for a derivative, also the parameters in bundles."""
    for parameter in written.signature.parameters:
        if parameter.space is not None and parameter.name not in written.left_out:
            yield parameter.name, parameter.space
        elif parameter.bundle is not None and written.derived is not None:
            inside = f"{parameter.name}."
            yield from [(f.path, f.space) for f in written.leaves if f.path.startswith(inside)]


def _of_others(written: Written, forms: Forms) -> list[str]:
    """Declare the functions of arrays that a formula calls, each once."""
    rows: dict[str, None] = {}
    for node in every_part(written):
        if node.name == "lifted":
            lifted, place, *_ = node.operation.params
            spaces = [
                forms.dialect.space(REALS, [(a.name, a.size and str(a.size)) for a in axes])
                for axes in (*lifted.inputs, lifted.outputs[place])
            ]
            domain, name = r" \times ".join(spaces[:-1]), forms.function_of_others(node)
            rows[rf"{name} &\colon {domain} \rightarrow {spaces[-1]}"] = None
    return list(rows)


def _space(space: Any, dialect: Dialect) -> str:
    axes = [(a.name, _declared_size(space, a)) for a in space.axes]
    return dialect.space(_BASES[space.letter], axes)


def _declared_size(space: Any, axis: Any) -> str | None:
    """Give the size of an axis in a declaration, a number or a name, or None where it has none."""
    name = space.size_name(axis.name)
    if name is not None:
        return letters(name) if name.isidentifier() else name
    return None if axis.size is None else str(axis.size)


def _signature(written: Written, forms: Forms) -> list[str]:
    """Declare domain and result, f : ... -> Z^{...}, if the result does not hold real numbers."""
    results = written.signature.results
    given = [p.space for p in written.signature.parameters if p.space and not p.after]
    if results is None or all(s.letter == "R" for s in results) or len(results) != 1 or not given:
        return []
    domain = r" \times ".join([_space(s, forms.dialect) for s in given])
    name = forms.letter(written.title or written.name).text
    return [rf"{name} &\colon {domain} \rightarrow {_space(results[0], forms.dialect)}"]


# ------------------------------------------------------------------------------------ definitions


def _heads(written: Written, forms: Forms) -> list[str]:
    """Write the left sides: f(X; W) of a formula, or each partial derivative of a derivative."""
    before = [
        p.name
        for p in written.signature.parameters
        if not p.after and not p.setting and p.name not in written.changes
    ]
    after = [
        p.name
        for p in written.signature.parameters
        if p.after and not p.setting and p.name not in written.left_out
    ]
    if written.derived is not None:
        own = {p.name for p in written.signature.after}
        after = [path for path, _ in _given(written) if path.partition(".")[0] in own]
    groups = [", ".join([forms.argument(n).text for n in group]) for group in (before, after)]
    listed = "; ".join([g for g in groups if g])
    derived = written.derived
    while derived is not None and derived.of is not None:
        derived = derived.of
    name = forms.letter((written.title or written.name) if derived is None else derived.name).text
    head = f"{name}({listed})" if listed else name
    return _derivatives(head, written.derived, forms)


def _derivatives(head: str, derived: DerivedFrom | None, forms: Forms) -> list[str]:
    """Write derivatives of a left side; that of a second derivative is itself a derivative."""
    if derived is None:
        return [head]
    (inner,) = _derivatives(head, derived.of, forms)
    if derived.changes:
        return [rf"\partial {inner}"]
    top = rf"\partial {inner}" if derived.of is None else r"\partial"
    rest = "" if derived.of is None else f" {inner}"
    return [rf"\frac{{{top}}}{{\partial {forms.argument(path).text}}}{rest}" for path in derived.by]


def _bodies(written: Written, forms: Forms) -> list[Piece]:
    pieces = [forms.write(node) for node in written.results]
    if written.signature.several and written.derived is None:
        return [Piece(f"({', '.join([inside(p, SUM) for p in pieces])})")]
    return [_value(piece) for piece in pieces]


def _value(piece: Piece) -> Piece:
    """Write the right side of an equation: a comparison gets parentheses there."""
    return piece if piece.level > RELATION else Piece(inside(piece, SUM))


def _where(written: Written, forms: Forms) -> list[str]:
    """Define the names that the equations before use, in the order in which they appear."""
    rows: list[str] = []
    done = {written.name}
    queue = _named_parts(written.results, forms)
    for node in queue:
        name = forms.names.of[node]
        if name not in done:
            done.add(name)
            rows += _clause(node, forms)
            inner = forms.names.inside(node)
            queue += [n for n in _named_parts(inner, forms) if n not in queue]
    return rows


def _named_parts(roots: tuple[Node, ...], forms: Forms) -> list[Node]:
    """Find the parts that appear in the text by their names, in the order of the text."""
    found: dict[Node, None] = {}
    seen: set[Node] = set()
    pending = list(reversed(roots))
    while pending:
        node = pending.pop()
        if node in forms.names.of:
            found[node] = None
        elif node not in seen:
            seen.add(node)
            pending += reversed(forms.names.inside(node))
    return list(found)


def _clause(node: Node, forms: Forms) -> list[str]:
    """Define one name: by its value, by its elements, by a recurrence, or in the step of a stack."""
    for ladder in forms.names.ladders:
        if node in ladder.inside:
            return _rung(node, ladder, forms)
    if recurs(node):
        rows = [
            row for head, body in recurrence(node, forms) for row in _broken(head, _value(body))
        ]
        return [*_step_parameters(node, forms), *_length(node, forms), *rows]
    name = forms.letter(forms.names.of[node]).text
    picked = gathered(node, forms.names.elements)
    if picked is not None:
        indices = _indices(tuple(picked.sizes), forms)
        head = _element(name, list(indices.items()), forms)
        sizes = [(axis, picked.sizes.get(axis)) for axis in node.type.names]
        return [
            _declared(name, node.type.kind, sizes, forms),
            *_broken(head, forms.picked(picked, indices)),
        ]
    spread = forms.names.spread(node)
    if spread:
        return _repeated(node, spread, name, forms)
    if not forms.names.elements(node):
        return _broken(name, _value(forms.definition(node)))
    rows = []
    if node in forms.names.sized:
        rows.append(_declared(name, node.type.kind, list(node.type.axes), forms))
    element = element_of(opened(node))
    indices = _indices(element.axes, forms)
    head = _element(name, [(axis, indices[axis]) for axis in element.axes], forms)
    return [*rows, *_broken(head, _value(forms.elements(element.rule, indices)))]


def _step_parameters(node: Node, forms: Forms) -> list[str]:
    """Declare, once each, the parts of an outer step that a recurrence inside it takes."""
    function, rows = forms.names.functions.get(node), []
    for leaf, name in function.parameters.items() if function else ():
        if name not in forms.declared:
            forms.declared.add(name)
            sizes = [(axis, None) for axis in leaf.type.names]
            rows.append(_declared(forms.letter(name).text, leaf.type.kind, sizes, forms))
    return rows


def _length(node: Node, forms: Forms) -> list[str]:
    """Declare the result of a recurrence with the size of its axis, if no sequence shows that size."""
    loop, place = forms.names.loop(node), node.operation.params[-1]
    size, result = loop.length(place), loop.step.results[place].type
    if size is None:
        return []
    name = forms.letter(loop.names[place]).text
    axes = [(loop.step.axis, size), *[(axis, None) for axis in result.names]]
    return [_declared(name, result.kind, axes, forms)]


def _repeated(node: Node, spread: dict[str, Any], name: str, forms: Forms) -> list[str]:
    """Define a tensor that is repeated along axes: its elements do not depend on their indices."""
    indices = _indices(tuple(spread), forms)
    sizes = [(a, None if forms.names.is_given(a, s) else s) for a, s in node.type.axes]
    base = without_repeats(node)
    return [
        _declared(name, node.type.kind, [(a, spread.get(a, s)) for a, s in sizes], forms),
        *_broken(_element(name, list(indices.items()), forms), _value(forms.write(base))),
    ]


def _rung(node: Node, ladder: Ladder, forms: Forms) -> list[str]:
    """Define the result of each layer, X^l from X^{l-1}, and the input of the first, X^0."""
    rows = []
    letter = forms.letter(forms.names.of[node])
    if node in ladder.ends:
        start = ladder.starts[ladder.ends.index(node)]
        if start is not None:
            rows += _broken(raised(letter, "0").text, _value(forms.write(start)))
    with forms.climbing(ladder):
        rows += _broken(raised(letter, ladder.index).text, _value(forms.definition(node)))
    rows[-1] += rf", \quad {ladder.index} = 1, \ldots, {ladder.last}"
    return rows


def _element(name: str, indices: list[tuple[str, str]], forms: Forms) -> str:
    """Write one element of a tensor, with a letter for each index."""
    name = f"{{{name}}}" if "_" in name and not name.startswith("{") else name
    return f"{name}_{{{', '.join([forms.dialect.at(*index) for index in indices])}}}"


def _declared(name: str, kind: str, sizes: list[tuple[str, Any]], forms: Forms) -> str:
    """Declare a part with its axes, and with the sizes that are not None."""
    axes = [(axis, _size(size, forms)) for axis, size in sizes]
    return f"{name} &\\in {forms.dialect.space(_BASES[_KINDS.get(kind, 'R')], axes)}"


def _size(size: Any, forms: Forms) -> str | None:
    if size is None:
        return None
    return str(size) if isinstance(size, int) else forms.write(size).text


def _indices(axes: tuple[str, ...], forms: Forms) -> dict[str, str]:
    """Choose a letter for the index of each axis."""
    free = [letter for letter in "ijklmnpqrstuvabcd" if letter not in forms.names.taken]
    free += [f"i_{n}" for n in range(1, len(axes) + 1)]
    return dict(zip(axes, free, strict=False))


# ------------------------------------------------------------------------------------------ lines


def _broken(head: str, body: Piece) -> list[str]:
    """Write head = body, on several rows if it is long."""
    if _width(head) + _width(body.text) <= WIDTH or len(body.terms) < 2:
        return [f"{head} &= {body.text}"]
    rows = [f"{head} &= {body.terms[0]}"]
    for term in body.terms[1:]:
        if _width(rows[-1]) + _width(term) <= WIDTH:
            rows[-1] += f" {term}"
        else:
            rows.append(rf"&\quad {term}")
    return rows


def _width(text: str) -> int:
    """Count roughly the characters that a reader sees of a LaTeX text."""
    return len(re.sub(r"\s+", "", _COMMAND.sub(" ", text.replace(r"\\", ""))))
