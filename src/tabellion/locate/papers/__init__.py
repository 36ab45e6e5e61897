"""Methods as the papers describe them: Wang and Hu's features, VENTex's frames. Baselines, kept as published."""
