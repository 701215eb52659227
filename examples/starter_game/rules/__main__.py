"""`python -m services.games.starter_game` serves the rules over gRPC."""

from services.rules.server import main

if __name__ == "__main__":
    main("starter_game")
