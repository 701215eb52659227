"""`python -m services.games.tea_garden` serves the rules over gRPC."""

from services.rules.server import main

if __name__ == "__main__":
    main("tea_garden")
