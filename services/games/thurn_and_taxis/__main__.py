"""`python -m services.games.thurn_and_taxis` serves the rules over gRPC."""

from services.rules.server import main

if __name__ == "__main__":
    main("thurn_and_taxis")
