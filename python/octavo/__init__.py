"""Octavo: FP8 training on AMD Instinct GPUs, compiled."""
