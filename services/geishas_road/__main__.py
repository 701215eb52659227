"""`python -m services.geishas_road` serves the rules over gRPC."""

from services.engine.server import main

if __name__ == "__main__":
    main("geishas_road")
