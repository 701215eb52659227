"""`python -m services.games.geishas_road` serves the rules over gRPC."""

from services.rules.server import main

if __name__ == "__main__":
    main("geishas_road")
