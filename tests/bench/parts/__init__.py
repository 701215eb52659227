"""Every part of the fast path that we made ourselves, alone, against the way of the library that it stands in for."""
