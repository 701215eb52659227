"""Thurn and Taxis (Cesarski Kurier) by Karen and Andreas Seyfarth, for 2 to 4 players."""
