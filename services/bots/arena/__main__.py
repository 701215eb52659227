"""`python -m services.bots.arena GAME A B`: bots against each other."""

from services.bots.arena.matches import main

main()
