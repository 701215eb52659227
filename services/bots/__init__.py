"""The bots: a worker process that plays their turns, how they think, and the worker that delivers to webhooks."""
