"""Methods as the papers describe them: Chen and Cafarella's row features, OntoMiner's header clusters. Baselines."""
