"""What runs a compiled graph: allocation, launches, eager steps, caches, statistics."""
