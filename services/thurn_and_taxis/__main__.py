"""`python -m services.thurn_and_taxis` serves the rules over gRPC."""

from services.engine.server import main

if __name__ == "__main__":
    main("thurn_and_taxis")
