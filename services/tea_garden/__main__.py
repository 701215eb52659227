"""`python -m services.tea_garden` serves the rules over gRPC."""

from services.engine.server import main

if __name__ == "__main__":
    main("tea_garden")
