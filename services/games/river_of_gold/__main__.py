"""`python -m services.games.river_of_gold` serves the rules over gRPC."""

from services.rules.server import main

if __name__ == "__main__":
    main("river_of_gold")
