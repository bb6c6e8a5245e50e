r"""Definitions that only remark: mathematics in prose, of what a display defines or a declaration gives.

"In matrix notation, $y = A x$", "at the start $B = 0$", "$A_{node(i), node'(j)} = 1$ if $i$ and $j$ are
linked": what is declared stays what it is.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from namedtensor.latex.reading.asides import QUIET, Entry, fact_of
from namedtensor.latex.reading.before_first import is_last, sizes_of
from namedtensor.latex.reading.grammar.parser import INDICATORS
from namedtensor.latex.reading.hosts import Region
from namedtensor.latex.reading.left_sides import given_names
from namedtensor.latex.reading.quantities import is_told
from namedtensor.latex.reading.ranges import all_bound, ranges_in
from namedtensor.latex.reading.spoken import (
    CONSTANTS,
    Nearby,
    head_of,
    is_series,
    key_of,
    names_of,
    summands,
)
from namedtensor.latex.reading.statements import BOUNDING
from namedtensor.latex.reading.words import FUNCTIONS, MOMENTS, SMALL
from namedtensor.latex.reading.words import LETTERS as GREEK
from namedtensor.latex.syntax import (
    At,
    AxisSize,
    Big,
    Call,
    Cases,
    Constraint,
    Declaration,
    Definition,
    Dots,
    Expression,
    Indexed,
    Letter,
    Matrix,
    Number,
    Relation,
    Scripts,
    Signature,
    SizedAxis,
    Space,
    Text,
)
from namedtensor.latex.walk import all_of, letters_of, reached, texts_of, walk

#: What stands before mathematics in prose that only remarks.
REMARKS = re.compile(
    r"\b(?:in (?:matrix|vector|index|scalar) (?:notation|form|terms)|"
    r"for (?:example|instance)|e\.\s?g\.|i\.\s?e\.|say|"
    r"if|when|whenever|suppose|assume|unless)\b(?![^.;$]*,\s+(?:is|are)\s+$)[^.;$]*$",
    re.IGNORECASE,
)

#: What stands before what is believed of data that are given: "the model is $X = A S$".
MODEL = re.compile(
    r"\b(?:models?|modelled|assum\w+|believe|hypothesis|may be|might|could|would|ideally|sometimes|often|"
    r"usually|special case)\b[^.;$]*$|"
    r"\b(?:say|state|impl(?:y|ie)|require|ensure|guarantee|demand|assert|postulate|claim|tell)s?"
    r"(?: us)? that\s*$",
    re.IGNORECASE,
)

#: What begins a task or a question, which defines nothing: "Show that $Y = K X$", "How large is $x$ if ...".
TASK = re.compile(
    r"(?:\W|[a-z\d]{1,3}[.)]|\\(?:item|label|textbf|emph)\b(?:\[[^\]]*\]|\{[^}]*\})?)*(?:Show|Prove|Verify|"
    r"Check|Explain|Argue|Convince|Why|How|What|Which|Is|Are|Does|Do|Can)\b"
)

#: What begins a sentence about a case, "If $K$ is orthogonal and $q = b K$, we get ...".
SUPPOSING = re.compile(r"\W*(?:If|When|Whenever|Unless)\b[^,]*")

#: The head of a table, whose cells say for what its columns are.
HEAD = re.compile(r"\\begin\{tabular[^$]*?\}(?:(?!\\\\).)*$", re.DOTALL)
RULED = re.compile(r"[^\n]*\n[ \t]*\|?[ \t]*:?-+[-:| \t]*\n")

#: What stands before a size that an example has, or most models: "if $|seq| = 1$", "usually $|hid| = 4$", and
#: not "we assume $|seq| = n$".
EXAMPLES = re.compile(
    r"\b(?:if|when|whenever|unless|for (?:example|instance)|e\.\s?g\.|say|usually|typically|often|commonly|"
    r"mostly|rules? of thumb)\b[^.;$]*$",
    re.IGNORECASE,
)

#: What stands before numbers that others have: "typical values are $a = 1$, $b = 2$", "in the paper".
OTHERS = re.compile(
    r"\b(?:(?:typical|usual|common|popular|sensible|reasonable|recommended|published)\s+(?:\w+\s+)?"
    r"(?:numbers?|values?|choices?|settings?|(?:hyper-?)?parameters?|sizes?)|"
    r"(?:the|their|that|original)\s+(?:papers?|authors?|publication)|they\s+(?:use|take|set|choose))\b"
    r"(?:[^.;]|\.\d)*$",
    re.IGNORECASE,
)
#: What stands behind mathematics in a question.
ASKED = re.compile(r"(?:(?!\n\n|\$\$|\\\[|[.!?](?:\s|$)).)*\?(?:\s|$)", re.DOTALL)

#: What stands right before a number that serves, where a small number is wanted: "say $\epsilon = 10^{-3}$".
SERVES = re.compile(r"\b(?:say|for (?:example|instance)|e\.\s?g\.|i\.\s?e\.),?\s*$", re.IGNORECASE)

#: What stands behind a size that an example has: "$|seq| = 5$, say", "$|seq| = 5$ in our experiments".
SAY = re.compile(
    r"\s*,?\s*(?:say|for (?:example|instance)|e\.\s?g\.|in (?:our|the|all|most) experiments)\b",
    re.IGNORECASE,
)

#: What stands before a number that a letter has at first, and before that with which a series starts.
FIRST = re.compile(r"\b(?:at the start|at first|initially)\b[^.;$]*$", re.IGNORECASE)

#: What stands between a display and what says what its letters are.
WHERE = re.compile(
    r"(?:[\s$.,;]|\\\]|\\end\{[a-z*]+\})*(?:where|in which)\b(?:(?!\.\s).)*$", re.DOTALL
)

#: What stands around a number that is tried: "with $\tau = 1$ we get", "for $m = 2$ and $n = 3$ this is".
TRIED = re.compile(
    r"\b(?:with|for|at|setting|taking|choosing|putting)\s+(?:\$[^$]*\$,?\s+(?:and\s+)?)*$",
    re.IGNORECASE,
)
GIVES = re.compile(
    r"\s*,?\s*(?:we\s+(?:get|have|obtain|recover|are)|this|these|it\b|one\s+(?:gets|has)|there)",
    re.IGNORECASE,
)

#: What stands before a number that a letter has from there on.
LET = re.compile(r"\b(?:let|set|fix|take|use|choose|here|now|where)\s+$", re.IGNORECASE)

#: What a sentence says of a number that a letter might have: "$w = 0$ is no guidance at all".
BEGINS = re.compile(r"(?:^|[.!?:;(]|\b(?:that|where|and|but|while))\s*$")
#: What a number is tried for, whatever is said of it; not right behind a display, "for $w = 0.1$".
TRIED_FOR = re.compile(
    r"\b(?:for|case|such as|like|to|than|often|usually|typically|commonly|mostly)\s+$",
    re.IGNORECASE,
)
#: What stands behind a number of things, which is no case: "for $T = 2000$ steps".
THINGS = re.compile(
    r"\s*(?:[\w-]+\s+)?(?!(?:this|gives|means|recovers|corresponds|yields|reduces|amounts|turns|makes|leads|"
    r"switches|does|always|is|has|was)\b)[a-z]{3,}s\b(?!\s+(?:to|the|an?|us|that)\b)"
)
BEHIND = re.compile(r"(?:[\s$,;]|\\\]|\\end\{[a-z*]+\})*(?:for|at|with)\s+\$")
CASE = re.compile(
    r"\s*(?:gives|means|recovers|corresponds|yields|reduces|amounts|turns|makes|would|leads|switches|"
    r"(?:is|are)\s+(?:no|not|just|simply|exactly|only|equivalent|like|called|known|plain|again|as|an?|"
    r"the\s+(?:usual|standard|ordinary|special|same|case|plain|classical|original)))\b",
    re.IGNORECASE,
)

#: A sentence before a display that tries values for what is defined: "With $g = 1$, this is the return".
_TRIES = (
    r"\b(?:With|If|When|For|Under|Setting|Taking|At|In the case(?: of)?)\b[^$]*"
    r"\$(?:(?!dots\b)[^$])*(?:=|\\to\b)\s*[-+]?(?:\d|\\infty)"
)
TRIES = re.compile(rf"{_TRIES}|\bspecial case\b")
SPECIAL = re.compile(rf"^\s*(?:{_TRIES}(?:(?!dots\b)[^$])*\$.*|.*\bspecial case\b.*)$", re.DOTALL)
LEADS = re.compile(r"(?:[\s$]|\\\[|\\begin\{[a-z*]+\}|\\label\{[^}]*\})*$")
SENTENCES = re.compile(r"\n\s*\n|[.!?:]\s|\$\$|\\\]|\\(?:end|paragraph|textbf|emph|begin)\{[^}]*\}")

#: What stands before an element that is spoken of, "an entry $A_{..} = 0$", and behind it.
SPEAKS = re.compile(
    r"\b(?:(?:an?|each|every|any) (?:\w+ )?(?:entry|element|component|value|weight|cell)|"
    r"(?:note|notice|observe|recall|remember) that|we have)\s*$",
    re.IGNORECASE,
)
WHEN = re.compile(r"\s*,?\s*(?:if|iff|when|whenever|wherever|unless)\b", re.IGNORECASE)
MEANS = re.compile(
    rf"{WHEN.pattern}|\s*,?\s*(?:means?|says|indicates|denotes|marks|signals|encodes|stands for)\b",
    re.IGNORECASE,
)
FOR_SOME = re.compile(
    rf"{MEANS.pattern}|\s*,?\s*for (?!all\b|every\b|each\b|any\b)\w", re.IGNORECASE
)

#: What stands between a number and the indices for which an element is it.
FOR_ALL = re.compile(
    r"(?:\$|\\\))?\s*,?\s*(?:for\s+(?:all|every|each|any)?)?\s*(?:\$|\\\()", re.IGNORECASE
)

#: Relations that say how large a number is.
ORDERED = frozenset(("<", "<=", ">", ">="))

#: The axes of tensors by their letters, where they are given.
Given = Nearby[set[str]]


def mark_remarks(entries: Sequence[Entry], text: str, parents: Sequence[int]) -> None:
    """Mark definitions that only remark: in prose, of what is defined or declared elsewhere."""
    displayed = Nearby[Region](parents)
    known: Counter[str] = Counter()
    keys: Counter[str] = Counter()
    for entry in entries:
        statement = entry.statement
        known.update({head_of(name) for name in given_names(statement)})
        keys.update({key_of(name) for name in given_names(statement)})
        if isinstance(statement, Signature):
            known[head_of(statement.name)] += 1
        if isinstance(statement, Definition) and entry.region.display:
            names = {key_of(name) for name in given_names(statement)}
            head = head_of(statement.target)
            sub = statement.target.sub if isinstance(statement.target, Scripts) else None
            below = [part.sub for part in all_of(Scripts, statement.body)]
            below += [part.at for part in all_of(At, statement.body)]
            member = isinstance(sub, Letter) and sub.text in texts_of(tuple(below))
            if (member or is_series(statement)) and not any(
                isinstance(name, Letter) and name.text == head for name in names_of(statement.body)
            ):  # beside y_t, the letter y is all of them; beside l_a = l - a x it is another one
                names.add(head)
            for name in names:
                displayed.add(name, entry.region.section, entry.region)
    functions = {e.region.block for e in entries if isinstance(e.target, Call) and e.region.display}
    elements = _Elements(entries, text, known, parents)
    above: Region | None = None
    tried: dict[str, list[Entry]] = {}
    _mark_ways_of_computing(entries)
    for at, entry in enumerate(entries):
        if at:
            elements.take(entries[at - 1])
        statement, read = entry.statement, entry.found
        above = entry.region if entry.region.display else above
        if isinstance(statement, Constraint) and _is_tried(entry, text):
            read.part_of = QUIET["remark"]
        if isinstance(statement, Definition) and statement.op == "<-":
            display = entry.region.display
            if display and not elements.is_for_one(statement):
                continue
            if elements.declared.near(_changed(statement.target), entry.region.section):
                step = statement if display else replace(statement, op="=")
                read.statement = fact_of(step)  # a step that is told
            elif not display and _changes(statement) and not _is_given(entries, statement):
                read.part_of = "it changes something that nothing here gives"
            continue
        if not isinstance(statement, Definition) or statement.op != "=" or read.part_of:
            continue
        local = above is not None and WHERE.match(text[above.span.end : entry.region.span.start])
        if _is_prose(statement):
            read.part_of = QUIET["data"]
        elif _relates_functions(statement, entries):
            read.part_of = QUIET["functions"]
        elif _is_any_element(entry) and not elements.is_end(statement.target):
            if not local and elements.is_shown(entry):
                read.statement = fact_of(statement)
            else:
                read.part_of = elements.why_not(at)
        elif entry.region.display and _is_outline(statement, known):
            read.part_of = "it is made of words alone, and another formula defines this"
        elif entry.region.display:
            shown = displayed.near(key_of(statement.target), 0)
            sections = {one.section for one in shown if one.block < entry.region.block}
            name = key_of(given_names(statement)[0])
            if (len(sections) == 1 and _begins_bound(entries[at : at + 2])) or (
                _is_special(at, entries, text)
                and any(one.block < entry.region.block for one in displayed.near(name, 0))
            ):
                read.statement = fact_of(statement)
            continue
        elif elements.is_power(statement.target, entry.region.section):
            read.statement = fact_of(statement)
        elif read.named:
            name, section = key_of(given_names(statement)[0]), entry.region.section
            there = displayed.near(name, section)
            starts = isinstance(statement.target, Indexed) and name in elements.series
            whole = elements.is_believed(entry, name)
            shown = [at for at in there if at.block < entry.region.block]
            again = isinstance(statement.target, Call)
            outside = any(again or at.block not in functions for at in shown)
            last = is_last(statement.target, elements.sizes) and _heads(statement) <= CONSTANTS
            asked = _is_asked(entry, text, SUPPOSING)
            asked = asked if name in displayed.names or SUPPOSING.match(asked) else ""
            if not (local or starts) and (whole or outside or asked or (last and not there)):
                read.statement = fact_of(statement)
                if re.search(r"\b[Ii]f\b", asked):  # it holds where something else does
                    read.part_of = QUIET["remark"]
        elif _remarks(entry, text, above, displayed, elements):
            read.part_of = QUIET["remark"]
            body, target = _with_number(statement).body, statement.target
            if isinstance(target, Letter) and (
                _is_number(target, body)
                or elements.is_of_numbers(statement, entry.region.section)
                or (elements.is_several(statement) and target.text not in elements.sized)
            ):
                tried.setdefault(target.text, []).append(entry)
            elif isinstance(body, Number) and elements.is_label(target, entry.region.section):
                tried.setdefault(key_of(target), []).append(entry)  # \beta_1 = 0.9
    for name, told in tried.items():
        if len(told) == (known if name in known else keys)[name]:
            read, statement = told[0].found, cast("Definition", told[0].statement)
            whole = elements.is_several(statement) and name not in GREEK
            whole = whole and all(value == int(value) for value in elements.tried(statement))
            # q is a number, as q = 0.9 is tried
            space = Space(statement.span, "N" if whole else "R", ())
            where = {"block": statement.block, "section": statement.section}
            others = [n for n in (statement.body, *statement.chain) if isinstance(n, Letter)]
            told_of = (statement.target, *others)
            read.statement = Declaration(statement.span, told_of, space, **where)
            read.part_of, read.said = "", True


def _is_outline(statement: Definition, known: Counter[str]) -> bool:
    r"""Say whether words that nothing gives outline what something else defines: h = \text{Window}."""
    names, own = names_of(statement.body), head_of(statement.target)
    if not names or known[own] < 2 or not isinstance(statement.target, (Letter, Call)):
        return False  # H_{seq(0)} = false begins a recurrence
    return all(
        isinstance(name, Letter)
        and name.style == "word"
        and len(name.text) > 1
        and name.text not in known
        and name.text not in FUNCTIONS
        for name in names
    )


def _begins_bound(entries: Sequence[Entry]) -> bool:
    """Say whether an equation begins what derives a bound, l = ... >= ..., of what is defined before."""
    here, *after = entries
    said = [one.relation for one in after if one.region == here.region]
    return any(
        isinstance(relation, Relation)
        and relation.first == here.target
        and relation.rest[0][0] in BOUNDING
        for relation in said
    )


def _changes(step: Definition) -> bool:
    """Say whether a step makes what it changes of itself."""
    return _changed(step.target) in map(key_of, names_of(step.body))


def _mark_ways_of_computing(entries: Sequence[Entry]) -> None:
    r"""Mark recurrences in prose, and their starts, of what a display gives: G_t = \sum_{k \ge t} r_k."""
    closed = {
        (e.region.section, e.target)
        for e in entries
        if e.region.display and isinstance(e.statement, Definition) and _is_member(e.target)
        if head_of(e.target) not in texts_of(e.statement.body)
    }
    for at, entry in enumerate(entries) if closed else ():
        if entry.region.display or (entry.region.section, entry.target) not in closed:
            continue
        name = head_of(entry.target)
        if name not in texts_of(getattr(entry.statement, "body", ())):
            continue
        for one in entries[max(0, at - 2) : at + 3]:
            start = isinstance(one.target, Scripts) and not _is_member(one.target)
            if not one.region.display and (one is entry or (start and head_of(one.target) == name)):
                one.leave_out(QUIET["remark"])


def _is_member(target: Expression | None) -> bool:
    """Say whether an index that is a letter stands at a name: G_t, and no G_{T+1}."""
    scripts = [target.sub, target.sup] if isinstance(target, Scripts) else []
    given = [s for s in scripts if s is not None]
    return len(given) == 1 and isinstance(given[0], Letter) and given[0].text.islower()


def _is_given(entries: Sequence[Entry], step: Definition) -> bool:
    """Say whether another statement gives what a step changes."""
    own = _changed(step.target)
    others = (e.statement for e in entries if e.statement is not step)
    return any(own == _changed(name) for said in others for name in given_names(said))


def _changed(target: Expression) -> str:
    """Name what a step changes, all of it or one element."""
    return key_of(target.base if isinstance(target, Indexed) else target)


def _is_number(tried: Letter, body: Expression) -> bool:
    """Say whether a letter is a number, and no size: a fraction is tried for it, or it is Greek."""
    return isinstance(body, Number) and (tried.text in GREEK or body.value != int(body.value))


def _is_tried(entry: Entry, text: str) -> bool:
    """Say whether prose tries a size: "for $|seq| = 1$ this is", "if $|seq| = 1$"."""
    relation = entry.relation
    if entry.region.display or not isinstance(relation, Relation):
        return False
    before, after = _around(entry, text)
    tried = EXAMPLES.search(before) or OTHERS.search(before) or SAY.match(after)
    tried = tried or (TRIED.search(before) and GIVES.match(after))
    return isinstance(relation.first, AxisSize) and bool(tried or _is_asked(entry, text))


def _is_asked(entry: Entry, text: str, also: re.Pattern[str] = TASK) -> str:
    """Give the beginning of a task or a question in which mathematics stands, or of the head of a table."""
    span = entry.region.span
    before = text[max(0, span.start - 400) : span.start]
    last = SENTENCES.split(before)[-1]
    line = before[before.rfind("\n") + 1 :]
    head = HEAD.search(before) or ("|" in line and RULED.match(text, span.end))
    return last if TASK.match(last) or also.fullmatch(last) else line if head else ""


def _remarks(
    entry: Entry,
    text: str,
    above: Region | None,
    displayed: Nearby[Region],
    elements: _Elements,
) -> bool:
    """Say whether prose only remarks; the where-clauses of a display are those right behind it."""
    statement, section = entry.statement, entry.region.section
    assert isinstance(statement, Definition)
    statement = _with_number(statement)
    name = key_of(given_names(statement)[0])
    before, after = _around(entry, text)
    there = displayed.near(name, section)
    behind = "" if above is None else text[above.span.end : entry.region.span.start]
    if above is not None and WHERE.match(behind):
        there = [at for at in there if at.block == above.block]
    known = name in {*displayed.names, *elements.declared.names} or isinstance(
        statement.body, Number
    )
    if known and _is_asked(entry, text):
        return True
    at_first = isinstance(statement.target, Letter) and FIRST.search(before)
    special = name in displayed.names and WHEN.match(after)
    if there or at_first or special:
        return True
    if REMARKS.search(before):  # but a number of the document's goes before one of ours
        return not (name in SMALL and SERVES.search(before))
    if elements.is_believed(entry, name):
        return True

    def is_declared(part: Expression) -> bool:
        return bool(elements.declared.near(key_of(part), section))

    target = statement.target
    element = isinstance(target, Scripts) and letters_of(target.sub)
    others = elements.known, head_of(target)
    unknown = any(_is_unknown(name, *others) for name in names_of(statement.body))
    if element and (unknown or any(all_of(Dots, statement.body))):
        return True  # it says in another notation what m_i is
    made_of = texts_of(statement.body) - CONSTANTS - FUNCTIONS
    names = names_of(statement.body)
    members = [name for name in names if isinstance(name, Scripts) and _is_marked(name.sub)]
    given = elements.declared.names | displayed.names
    terms = summands(statement.body)
    words = [n for n in terms if getattr(getattr(n, "sub", 0), "style", 0) == "word"]
    words = words if len(terms) > 1 else []
    if not {key_of(name) for name in words} <= given and not there:
        return True  # L = L_{task} + c L_{aux}, where nothing says what the loss of the task is
    unsaid = any(key_of(n) not in given and elements.known[head_of(n)] for n in members)
    unsaid = unsaid or elements.calls_with_less(statement.body)
    if unsaid and isinstance(target, Letter) and elements.mentioned(target.text) == 1:
        return True  # E[y] = f(b_*), of a true b_* that nothing gives; u = v(x, t) of v(x, t, c)
    positive = isinstance(target, Letter) and target.text in elements.bounded
    if positive and made_of and all(elements.mentioned(text) == 1 for text in made_of):
        return True  # of tau > 0, tau = e^{-theta} says how it is kept positive
    if elements.is_of_numbers(statement, section) or elements.is_several(statement):
        return True
    number = not any(is_declared(n) or elements.is_tensor(n) for n in names_of(statement.body))
    starts = isinstance(target, Scripts) and head_of(target) in elements.members | elements.series
    if isinstance(target, Call) or not number or starts or any(all_of(Matrix, statement.body)):
        return False
    if isinstance(statement.body, Number) and (section, key_of(target)) in elements.indexed:
        return True  # where alpha_{seq(t)} is that of another section
    apart = not (behind and BEHIND.fullmatch(behind))
    whole = isinstance(statement.body, Number) and statement.body.value in (0, 1)
    if whole and displayed.near(name, 0) and not LET.search(before):
        return True  # "the extremes are alpha = 0 and alpha = 1", of what another section computes
    if whole and apart and TRIED.search(before):
        if elements.is_tensor(target):
            return True  # of a tensor of another section: "at b = 0 all gates are open"
        own = text[target.span.start : target.span.end]
        if isinstance(target, Letter) and (_is_all_said(entry, text) or is_told(own, text)):
            return True
    tried = (
        (isinstance(statement.body, Number) and name not in SMALL and _is_anothers(entry, text))
        or (TRIED.search(before) and (GIVES.match(after) or CASE.match(after)))
        or (BEGINS.search(before) and CASE.match(after))
        or (TRIED_FOR.search(before) and apart and (whole or not THINGS.match(after)))
    )
    if isinstance(target, Scripts) and element and _heads(statement) <= CONSTANTS:
        return bool(tried) or key_of(target.base) in elements.declared.names
    return bool(tried) or is_declared(given_names(statement)[0])


def _is_marked(sub: Expression | None) -> bool:
    r"""Say whether a word or a mark stands below a letter, \beta_\star, and no index."""
    return isinstance(sub, Letter) and (sub.style == "word" or len(sub.text) > 1 or sub.text == "*")


def _is_anothers(entry: Entry, text: str) -> bool:
    """Say whether a number is what others take, or is asked about."""
    end = entry.region.span.end
    before, _ = _around(entry, text)
    return bool(OTHERS.search(before) or ASKED.match(text, end))


def _with_number(statement: Definition) -> Definition:
    """Read a = b = 1 as a = 1."""
    last = statement.chain[-1:]
    return (
        replace(statement, body=last[0]) if any(isinstance(x, Number) for x in last) else statement
    )


def _is_all_said(entry: Entry, text: str) -> bool:
    r"""Say whether a sentence tries a number and shows no formula: "With $a = 0$ it is all the same."."""
    before, _ = _around(entry, text)
    end = entry.region.span.end
    said = re.match(r"[^.!?]*[a-z\d)$][.!?](?=[)\s]|$)", text[end : end + 300])
    begins = BEGINS.search(TRIED.sub("", before))
    return bool(begins and said and not re.search(r"\n\n|\$\$|\\\[|\\begin", said[0]))


def _formal(statements: Sequence[Any]) -> set[str]:
    """List the letters that are arguments of all definitions that use them."""
    formal: set[str] = set()
    free: set[str] = set()
    for statement in statements:
        target = getattr(statement, "target", None)
        arguments = (*target.arguments, *target.parameters) if isinstance(target, Call) else ()
        own = texts_of(arguments)
        formal |= own
        free |= texts_of(statement) - own
    return formal - free


def _is_unknown(name: Expression, known: Counter[str], own: str) -> bool:
    """Say whether a word, or a letter with something below it, is none that the document gives elsewhere."""
    base = name.base if isinstance(name, Scripts) and name.sub is not None else name
    marked = base is not name or (isinstance(base, Letter) and base.style == "word")
    head = head_of(base)
    given = head in FUNCTIONS or head == "delta" or known[head] > (head == own)
    return marked and not given


def _around(entry: Entry, text: str) -> tuple[str, str]:
    """Give what stands before and after mathematics in prose."""
    span = entry.region.span
    before = text[max(0, span.start - 90) : span.start].rstrip("$\\(").rsplit("\n\n", 1)[-1]
    return before, text[span.end : span.end + 40].lstrip("$\\)")


def _is_special(at: int, entries: Sequence[Entry], text: str) -> bool:
    """Say whether the sentence before a display tries values: what the display says holds for these.

    Values of what the display itself defines start it: "With $h_0 = c_0 = 0$,".
    """
    region = entries[at].region
    before = text[max(0, region.span.start - 400) : region.span.start]
    if not TRIES.search(before):
        return False
    last = SENTENCES.split(LEADS.sub("", before))[-1]
    begin = region.span.start - len(before) + before.rfind(last)
    if not SPECIAL.match(last):
        return False
    before_it = itertools.takewhile(
        lambda e: e.region.span.start >= begin, (entries[i] for i in range(at - 1, -1, -1))
    )
    behind_it = itertools.takewhile(
        lambda e: e.region == region, (entries[i] for i in range(at, len(entries)))
    )
    near = [*before_it, *behind_it]
    own = {head_of(e.target) for e in near if e.region == region and e.target}
    tried = [e.target for e in near if e.region != region]
    return not any(isinstance(t, Scripts) and head_of(t) in own for t in tried)


def _relates_functions(statement: Definition, entries: Sequence[Entry]) -> bool:
    """Say whether a derivative is given by its function, which stands alone: f' = f (1 - f)."""
    target = statement.target
    own = target.base if isinstance(target, Scripts) and target.primes else None
    if own is None or not isinstance(own, Letter):
        return False
    applied = {id(part) for c in all_of(Call, statement.body) for part in walk(c.function)}
    alone = [t for t in letters_of(statement.body) if t == own and id(t) not in applied]
    if not alone or own.text in FUNCTIONS:
        return bool(alone)
    others = [e.statement for e in entries if e.statement is not statement]
    calls = [call.function for said in others for call in all_of(Call, said)]
    targets = [getattr(said, "target", None) for said in others]
    taken = {key_of(target) for target in targets if isinstance(target, Call)}
    given = {key_of(name) for said in others for name in given_names(said)} - taken
    return own in calls and own.text not in given


def _is_prose(statement: Definition) -> bool:
    """Say whether a definition by elements has a condition in words: what holds is data."""
    if not isinstance(statement.target, Indexed):
        return False
    return any(
        isinstance(row.condition, Text) and " " in row.condition.text
        for cases in all_of(Cases, statement.body)
        for row in cases.rows
    )


# --------------------------------------------------------------------------------- elements


def declared_in(entries: Sequence[Entry], parents: Sequence[int]) -> Given:
    """Find what is declared, where, and over which axes."""
    found = Given(parents)
    for entry in entries:
        statement = getattr(entry.read, "statement", None)
        if isinstance(statement, Declaration):
            axes = {*statement.space.names}
            for name in statement.names:
                found.add(key_of(name), entry.region.section, axes)
    return found


def gives_elements(entry: Entry, given: Given) -> bool:
    """Say whether prose gives the elements, at any index, of a tensor that is given in reach."""
    target = entry.target
    if not isinstance(target, Indexed) or not _is_any_element(entry):
        return False
    given_axes = given.around(key_of(target.base), entry.region.section)
    return any(_axes_of(target) <= axes for axes in given_axes)


def _is_any_element(entry: Entry) -> bool:
    """Say whether prose defines elements at indices that are letters: not the first, nor the next one."""
    target = entry.target
    if entry.region.display or not isinstance(target, Indexed):
        return False
    return _is_at_letters(target)


def _is_at_letters(target: Indexed) -> bool:
    return all(letters_of(item.at) == (item.at,) for item in target.indices)


def _axes_of(target: Indexed) -> set[str]:
    return {item.axis.name for item in target.indices}


def _heads(statement: Any) -> set[str]:
    return {head_of(name) for name in names_of(statement.body)}


def _indices_of(target: Indexed) -> set[str]:
    return {letter.text for item in target.items for letter in letters_of(item)}


class _Elements:
    """What a document gives, to tell what its prose says of elements: definitions, or remarks."""

    def __init__(
        self, entries: Sequence[Entry], text: str, known: Counter[str], parents: Sequence[int]
    ) -> None:
        self._entries, self._text, self.known = entries, text, known
        self.declared = declared_in(entries, parents)
        self.sizes = sizes_of(entries)
        relations = all_of(Relation, tuple([entry.statement for entry in entries]))
        self._ranged = {head_of(one.index) for each in relations for one in ranges_in(each)}
        spaces = [getattr(entry.statement, "space", ()) for entry in entries]
        self.sized = {letter.text for space in spaces for letter in letters_of(space)}
        self._ends = {(one.axis, one.size) for one in all_of(SizedAxis, tuple(spaces))}
        self._displayed = Given(parents)
        self._made_of: dict[str, set[str]] = {}
        self.series: set[str] = set()
        #: letters of numbers of which relations say how large they are
        self.bounded = {
            e.relation.first.text
            for e in entries
            if isinstance(e.relation, Relation) and isinstance(e.relation.first, Letter)
            if e.relation.ops[0] in ORDERED
        }
        #: letters that are arguments wherever a display uses them
        self.formal = _formal([e.statement for e in entries if e.region.display])
        #: letters of which displays give members: b of b^r, which b^0 = 0 in prose starts
        self.members = {
            head_of(name)
            for e in entries
            if isinstance(e.statement, Definition) and e.region.display
            for given in given_names(e.statement)
            for name in [given.base if isinstance(given, Indexed) else given]
            if isinstance(name, Scripts) and letters_of((name.sub, name.sup))
        }
        #: letters of whose elements the displays of a section speak
        self.indexed = {
            (e.region.section, key_of(one.base))
            for e in entries
            if e.region.display
            for one in all_of(Indexed, e.statement)
        }
        #: the numbers that prose gives letters, or tries for them, by sections
        self._tried: dict[tuple[int, Expression, bool], set[float]] = {}
        for entry in entries:
            statement = entry.statement
            if not isinstance(statement, Definition):
                continue
            number = isinstance(statement.target, Letter) and isinstance(statement.body, Number)
            if number and not entry.region.display:
                only = TRIED.search(_around(entry, text)[0]) is not None
                tried = self._tried.setdefault((statement.section, statement.target, only), set())
                tried.add(statement.body.value)  # type: ignore[union-attr]
            if head_of(statement.target) not in self.declared.names:
                self._note(statement)
            if not isinstance(statement.target, Indexed):
                continue
            name = key_of(statement.target.base)
            if any(item.text == head_of(statement.target) for item in letters_of(statement.body)):
                self.series.add(name)
            if entry.region.display and _is_at_letters(statement.target):
                self._displayed.add(name, entry.region.section, _axes_of(statement.target))

    def is_of_numbers(self, statement: Definition, section: int) -> bool:
        r"""Say whether 1 / (k T) tells in letters of its own what the argument \beta of Z(\beta) means."""
        names, target = names_of(statement.body), statement.target
        own = isinstance(target, Letter) and target.text in self.formal
        tensors = any(self.declared.near(key_of(name), section) for name in names)
        return own and not tensors and any(not self.known[head_of(name)] for name in names)

    @functools.cached_property
    def _takes(self) -> dict[str, int]:
        """How many arguments each function of the document has."""
        targets = [entry.target for entry in self._entries]
        return {key_of(t.function): len(t.arguments) for t in targets if isinstance(t, Call)}

    def calls_with_less(self, body: Expression) -> bool:
        """Say whether a function is called with fewer arguments than it has."""
        calls = all_of(Call, body)
        return any(len(c.arguments) < self._takes.get(key_of(c.function), 0) for c in calls)

    def is_label(self, target: Expression, section: int) -> bool:
        r"""Say whether a name is a letter with a number or a word below it, and no element or member."""
        sub = target.sub if isinstance(target, Scripts) and target.sup is None else None
        plain = isinstance(sub, Number) or getattr(sub, "style", "") == "word"
        head = head_of(target)
        return plain and head not in self.members and not self.declared.near(head, section)

    def is_several(self, statement: Definition) -> bool:
        """Say whether prose tries different numbers for a letter in one section: none is its value."""
        return len(self.tried(statement)) > 1

    def tried(self, statement: Definition) -> set[float]:
        """Give the numbers that prose gives a letter in one section, or those that it tries for it."""
        own = statement.section, statement.target
        return max((self._tried.get((*own, only), set()) for only in (False, True)), key=len)

    def is_end(self, target: Expression) -> bool:
        """Say whether an index is the size with which its axis is declared, whatever has the axis."""
        places = target.indices if isinstance(target, Indexed) else ()
        return any((item.axis, item.at) in self._ends for item in places)

    def take(self, entry: Entry) -> None:
        """Take in what a letter is made of, if no remark says it."""
        if isinstance(entry.target, Letter) and not entry.found.part_of:
            self._note(entry.statement)  # type: ignore[arg-type]

    def _note(self, said: Definition) -> None:
        inside = texts_of(said.body)
        self._made_of.setdefault(head_of(said.target), set()).update(inside)

    def is_power(self, target: Expression, section: int) -> bool:
        """Say whether a left side is a power, A^2, of what is declared itself."""
        if not isinstance(target, Scripts) or not isinstance(target.sup, Number):
            return False
        if target.sup.value < 2:
            return False  # V^0 = 0 starts a series
        if head_of(target) in self.members or key_of(target) in self.declared.names:
            return False
        return bool(self.declared.near(key_of(target.base), section))

    def is_tensor(self, name: Expression) -> bool:
        """Say whether some section declares a name with axes."""
        return any(self.declared.near(key_of(name), 0))

    def mentioned(self, text: str) -> int:
        """Count the statements with a letter."""
        every = [letters_of(e.statement) for e in self._entries]
        return sum(any(letter.text == text for letter in letters) for letters in every)

    def is_for_one(self, step: Definition) -> bool:
        """Say whether a step is for one choice of an index that nothing else gives: P_u <- P_u + e Q_i."""
        own = _indices_of(step.target) if isinstance(step.target, Indexed) else set()
        below = [head_of(one.index) for big in all_of(Big, step.body) for one in all_bound(big)]
        given = own.union(below, self.sized, self._ranged, self.known)
        return any(texts_of(at) - given for at in all_of(At, step.body))

    def is_shown(self, entry: Entry) -> bool:
        """Say whether prose says, of elements at any index that a display defines, more than a number."""
        given = gives_elements(entry, self._displayed)
        return given and not _heads(entry.statement) <= CONSTANTS

    def is_believed(self, entry: Entry, name: str) -> bool:
        """Say whether prose tells of what is declared what it may be, or x = D X where X = D x."""
        if name not in self.declared.names:
            return False
        before, after = _around(entry, self._text)
        tried = MODEL.search(before) or (TRIED.search(before) and GIVES.match(after))
        return bool(tried) or self._is_made_of(getattr(entry.statement, "body", None), name)

    def _is_made_of(self, part: Expression | None, text: str) -> bool:
        """Say whether a part is made of a letter that it does not have, by what its letters are."""
        letters = texts_of(part)
        onward = reached(letters - {text}, lambda letter: self._made_of.get(letter, ()))
        return text not in letters and text in onward

    def why_not(self, at: int) -> str:
        """Say why what prose says of elements defines none; "" where it does.

        What can be computed of the indices and of what is given, for all indices, defines them.
        """
        entry, text = self._entries[at], self._text
        statement = entry.statement
        assert isinstance(statement, Definition)
        assert isinstance(statement.target, Indexed)
        declared = gives_elements(entry, self.declared)
        displayed = gives_elements(entry, self._displayed)
        given = declared or displayed
        heads = _heads(statement)
        others = heads - CONSTANTS - self.sized - {"delta"}
        if declared and others and not heads & {*self.known, *_indices_of(statement.target)}:
            return QUIET["remark"]
        if key_of(statement.target.base) in self.series:
            return ""
        name = text[statement.target.span.start : statement.target.span.end]
        unknown = self._unknown(statement) if declared else ""
        if unknown:
            return f"{name} is declared, and this says what it means: {unknown} is not given"
        before, behind = _around(entry, text)
        tried = TRIED.search(before) and (GIVES.match(behind) or CASE.match(behind))
        if given and (tried or REMARKS.search(before) or SPEAKS.search(before)):
            return QUIET["remark"]
        by_cases = any(all_of(Cases, statement.body))
        number = not by_cases and heads <= CONSTANTS
        mark = (FOR_SOME if given else MEANS) if number else WHEN
        if statement.condition is None and not by_cases and mark.match(behind):
            return (
                QUIET["remark"]
                if number and given
                else f"words say for which indices {name} is this"
            )
        if not number or not given or (self._is_for_all(at) and not displayed):
            return ""
        if displayed:
            return QUIET["remark"]
        return (
            f"{name} is declared, and a number in prose defines none of it (one in a display does)"
        )

    def _unknown(self, statement: Definition) -> str:
        """Name a function of p(y | x) or Pr(Y = y) that the document does not give."""
        for call in all_of(Call, (statement.body, statement.chain)):
            word = head_of(call.function)
            if word not in FUNCTIONS.union(self.known, INDICATORS) or (
                word in MOMENTS and not call.axes
            ):
                return self._text[call.function.span.start : call.function.span.end]
        return ""

    def _is_for_all(self, at: int) -> bool:
        """Say whether words behind a definition say that it holds for all indices."""
        entry, after = self._entries[at], self._entries[at + 1 : at + 2]
        if not after or getattr(entry.statement, "condition", None) is not None:
            return False
        between = self._text[entry.region.span.end : after[0].region.span.start]
        return FOR_ALL.fullmatch(between) is not None and _is_whole(after[0])


def _is_whole(after: Entry) -> bool:
    """Say whether what stands behind a definition names indices alone, or all that they run through."""
    relation = after.relation
    if isinstance(after.statement, Declaration):
        return after.statement.space.base == "[n]"
    if relation is None:
        return False
    if not isinstance(relation, Relation):
        return not any(all_of(Call, relation))
    ranges = list(ranges_in(relation))
    return bool(ranges) and all(
        r.upper is not None and isinstance(r.lower, Number) and r.lower.value == 1 for r in ranges
    )
