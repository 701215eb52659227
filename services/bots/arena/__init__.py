"""Matches between bots, to measure how strong they are."""
