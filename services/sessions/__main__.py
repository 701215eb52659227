"""`python -m services.sessions`."""

from services.platform.server import serve
from services.platform.settings import Settings
from services.sessions.service import SessionService
from services.sessions.wiring import Parts

if __name__ == "__main__":
    chosen = Settings()
    serve("sessions", chosen, lambda: SessionService(Parts(chosen)))
