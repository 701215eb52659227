"""The same game once more with other weights, to be measured in the arena against the game as it is."""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

import services
from services.engine.codec import Codec

# A number, or a tuple of numbers, by the name that it has in a module of the game.
Weights = Mapping[str, Any]


@cache
def weighted(name: str, weights: tuple[tuple[str, Any], ...]) -> Codec:
    """A copy of the game, loaded beside the one that is there; raises ValueError for a weight that it does not have."""
    with apart(name):
        copies = Copies(f"services.{name}", dict(weights))
        sys.meta_path.insert(0, copies)
        try:
            codec = Codec(import_module(f"services.{name}.game").GAME)
        finally:
            sys.meta_path.remove(copies)
    if unknown := copies.weights.keys() - copies.found:
        raise ValueError(f"{name} has no weight {', '.join(sorted(unknown))}; they are in capitals in its players.py")
    return codec


@contextmanager
def apart(name: str) -> Iterator[None]:
    """What is loaded of the game inside does not take the place of what was loaded before."""
    package, before = f"services.{name}", sys.modules.copy()
    for module in before:
        if module == package or module.startswith(f"{package}."):
            del sys.modules[module]
    try:
        yield
    finally:
        sys.modules.clear()
        sys.modules.update(before)
        if package in before:
            setattr(services, name, before[package])


class Copies(MetaPathFinder):
    """Loads the modules of one package with other weights."""

    def __init__(self, package: str, weights: Weights) -> None:
        self.package, self.weights = package, weights
        self.found: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname.startswith(self.package) else None
        if spec and spec.origin:
            spec.loader = Copy(fullname, spec.origin, self)
        return spec


class Copy(SourceFileLoader):
    """One of them. Each weight gets its other value where the module sets it, before anything is made of it."""

    def __init__(self, fullname: str, path: str, copies: Copies) -> None:
        super().__init__(fullname, path)
        self.copies = copies

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(self.get_data(self.path))
        tree.body = [each for statement in tree.body for each in (statement, *self._instead(statement))]
        return compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)

    def _instead(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        set_here = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
        for name in sorted(set_here & self.copies.weights.keys()):
            self.copies.found.add(name)
            yield ast.parse(f"{name} = {self.copies.weights[name]!r}").body[0]
