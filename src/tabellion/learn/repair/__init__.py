"""Learning from corrections, and the simulated user who counts strokes."""
