"""OntoMiner's own partitioner, grouping costs and alignment of pages, as published. Baselines."""
