"""How the levels that think choose: the same search for every game. docs/bots.md explains it."""
