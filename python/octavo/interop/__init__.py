"""Other people's programs on the simulated GPU."""
