"""The same game once more with other weights, to be measured in the arena against the game as it is."""

import ast
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from services import games
from services.engine.codec import Codec


@cache
def weighted(name: str, weights: str) -> Codec:
    """A copy of the game, loaded beside the one that is there.

    The weights are an object of JSON: values by the names that they have in the modules of the game. Raises ValueError.
    """
    told = json.loads(weights)
    if not isinstance(told, dict):
        raise ValueError(f'weights are {weights}; expected an object of names and values: {{"NAME": 1.5}}')
    copies = Copies(f"services.games.{name}", told)
    with apart(name):
        sys.meta_path.insert(0, copies)
        try:
            codec = Codec(import_module(f"services.games.{name}.game").GAME)
        finally:
            sys.meta_path.remove(copies)
    if unknown := told.keys() - copies.found:
        raise ValueError(f"{name} has no weight {', '.join(sorted(unknown))}; see the capitals in its evaluation.py")
    return codec


@contextmanager
def apart(name: str) -> Iterator[None]:
    """What is loaded of the game inside does not take the place of what was loaded before."""
    package = f"services.games.{name}"
    before = unload(package)
    try:
        yield
    finally:
        unload(package)
        sys.modules.update(before)
        if package in before:
            setattr(games, name, before[package])


def unload(package: str) -> dict[str, ModuleType]:
    found = {name: module for name, module in sys.modules.items() if within(package, name)}
    for name in found:
        del sys.modules[name]
    return found


def within(package: str, module: str) -> bool:
    return module == package or module.startswith(f"{package}.")


class Copies(MetaPathFinder):
    """Loads the modules of one package with other weights."""

    def __init__(self, package: str, weights: dict[str, Any]) -> None:
        self.package, self.weights = package, weights
        self.found: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if within(self.package, fullname) else None
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
        weights, targets = self.copies.weights, statement.targets if isinstance(statement, ast.Assign) else ()
        set_here = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
        for name in sorted(set_here & weights.keys()):
            self.copies.found.add(name)
            value = tuple(weights[name]) if isinstance(weights[name], list) else weights[name]
            yield ast.parse(f"{name} = {value!r}").body[0]
