"""Methods as the papers describe them: Chen and Cafarella's candidate pairs and their features. Baselines."""
