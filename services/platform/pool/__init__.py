"""What sessions and bot workers agree on: queues, tasks, priorities, levels, and how many turns wait."""
