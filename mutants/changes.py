"""Small faults, one at a time: what each kind of expression or statement may be mistaken for."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mutants import scope

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.MatMult: ast.Mult,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_OPPOSITE = {
    "min": "max",
    "minimum": "maximum",
    "argmin": "argmax",
    "any": "all",
    "floor": "ceil",
    "lstrip": "rstrip",
    "zeros": "ones",
}
_OPPOSITE |= {other: name for name, other in _OPPOSITE.items()}
#: A keyword that only guards against a mistake of ours, and so changes nothing.
_GUARDS = {"strict"}


@dataclass(frozen=True)
class Mutant:
    """One fault: where it is, what was there, and what is there now."""

    path: Path
    line: int
    #: The outermost function (or method) that it is in and where its code begins; none at the level of the module.
    function: str | None
    begins: int
    before: str
    after: str
    #: Which fault of the module it is, in the order of the source.
    number: int
    #: What it is known by as long as its line stays the same, wherever that moves.
    name: str

    def __str__(self) -> str:
        """Say in one line what was changed."""
        return f"{self.path.name}:{self.line} {self.function or 'module'}: {self.before}  =>  {self.after}"


def mutants(path: Path) -> list[Mutant]:
    """Return all faults of a module."""
    source = path.read_text(encoding="utf-8")
    lines, found, named = source.splitlines(), [], Counter[str]()
    for number, (place, node, new) in enumerate(_sites(ast.parse(source))):
        function, begins = place
        line, before, after = node.lineno, _words(node), _words(new)  # type: ignore[attr-defined]
        name = f"{scope.short(path)} {function or 'module'} | {lines[line - 1].strip()} | {before} => {after}"
        named[name] += 1
        if named[name] > 1:
            name += f" ({named[name]})"
        found.append(Mutant(path, line, function, begins, before, after, number, name))
    return found


def mutated(mutant: Mutant) -> ast.Module:
    """Return the module with the one fault in it."""
    tree = ast.parse(mutant.path.read_text(encoding="utf-8"))
    for number, (_, node, new) in enumerate(_sites(tree)):
        if number == mutant.number:
            for parent in ast.walk(tree):
                for name, value in ast.iter_fields(parent):
                    if value is node:
                        setattr(parent, name, new)
                    elif isinstance(value, list) and any(each is node for each in value):
                        value[next(i for i, each in enumerate(value) if each is node)] = new
            return ast.fix_missing_locations(tree)
    raise LookupError(str(mutant))


def broken(path: Path) -> ast.Module:
    """Return the module with a fault that no test can miss: every function raises."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body.insert(0, ast.parse("raise RuntimeError('mutated')").body[0])
    return ast.fix_missing_locations(tree)


def _words(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 100 else text[:97] + "..."


_Place = tuple[str | None, int]


def _sites(tree: ast.Module) -> Iterator[tuple[_Place, ast.AST, ast.AST]]:
    """Yield where, which node, and what it becomes, in the order of the source."""
    yield from _walk(tree, (None, 0), "")


def _walk(node: ast.AST, place: _Place, prefix: str) -> Iterator[tuple[_Place, ast.AST, ast.AST]]:
    for child in _inside(node):
        here, inner = place, prefix
        if isinstance(child, ast.ClassDef):
            inner = f"{prefix}{child.name}."
        elif isinstance(child, ast.FunctionDef) and place[0] is None:
            # A function's code begins where its first decorator does.
            begins = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            here = (f"{prefix}{child.name}", begins)
        elif isinstance(child, ast.arguments) and place[0] == f"{prefix}{getattr(node, 'name', '')}":
            # Defaults are made when the module is executed, not when the function is.
            here = (None, 0)
        for new in _changes(child):
            yield here, child, ast.copy_location(new, child)
        yield from _walk(child, here, inner)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node in which a fault would change what the program does."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_comment", "ctx"}:
            continue
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.keyword) and child.arg in _GUARDS:
                continue
            yield child


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.stmt):
        yield from _statements(node)
    elif isinstance(node, ast.expr):
        yield from _expressions(node)


def _statements(node: ast.stmt) -> Iterator[ast.AST]:
    if isinstance(node, ast.If | ast.While) and not _turned(node.test):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.AugAssign):
        yield _with(node, op=_COMPUTED[type(node.op)]())
    elif isinstance(node, ast.Return) and node.value is not None:
        if not (isinstance(node.value, ast.Constant) and not node.value.value):
            yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Continue):
        yield ast.Break()
    elif isinstance(node, ast.Break):
        yield ast.Continue()
    if _droppable(node):
        yield ast.Pass()


def _droppable(node: ast.stmt) -> bool:
    """Say whether what follows a statement runs without it: a name that was never set would be noticed by itself."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    if isinstance(node, ast.Assign):
        return not isinstance(node.targets[0], ast.Name | ast.Tuple)
    if isinstance(node, ast.Return):
        return node.value is None
    return isinstance(node, ast.AugAssign | ast.Raise)


def _expressions(node: ast.expr) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            yield _with(node, ops=[*node.ops[:i], _COMPARED[type(op)](), *node.ops[i + 1 :]])
    elif isinstance(node, ast.BinOp):
        if not isinstance(node.left, ast.Constant) or not isinstance(node.left.value, str):
            yield _with(node, op=_COMPUTED[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield copy.deepcopy(node.operand)
    elif isinstance(node, ast.IfExp) and not _turned(node.test):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Constant):
        yield from (ast.Constant(value) for value in _constants(node.value))
    elif isinstance(node, ast.Call):
        yield from _calls(node)


def _turned(test: ast.expr) -> bool:
    """Say whether a condition is negated anyway, as an expression."""
    if isinstance(test, ast.UnaryOp):
        return isinstance(test.op, ast.Not)
    exact = ast.Eq | ast.NotEq | ast.Is | ast.IsNot | ast.In | ast.NotIn
    return isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], exact)


def _constants(value: object) -> Iterator[bool | int | float]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
        if value > 0:
            yield value - 1
    elif isinstance(value, float) and value + 1 != value:
        yield value + 1


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    called = node.func
    if node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0:
        return  # an array of nothing
    if isinstance(called, ast.Name) and called.id in _OPPOSITE:
        yield _with(node, func=ast.Name(_OPPOSITE[called.id], ast.Load()))
    elif isinstance(called, ast.Attribute) and called.attr in _OPPOSITE:
        yield _with(node, func=_with(called, attr=_OPPOSITE[called.attr]))
    elif isinstance(called, ast.Name) and called.id == "range":
        last = min(len(node.args) - 1, 1)
        less = ast.BinOp(node.args[last], ast.Sub(), ast.Constant(1))
        yield _with(node, args=[*node.args[:last], less, *node.args[last + 1 :]])


def _with(node: ast.AST, **changed: object) -> ast.AST:
    new = copy.copy(node)
    for name, value in changed.items():
        setattr(new, name, value)
    return new
