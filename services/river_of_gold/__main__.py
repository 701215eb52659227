"""`python -m services.river_of_gold` serves the rules over gRPC."""

from services.engine.server import main

if __name__ == "__main__":
    main("river_of_gold")
