"""A support vector machine with a radial basis function kernel, run with numpy. Trained with scikit-learn."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray


class Kernel(msgspec.Struct, frozen=True, eq=False):
    """Support vectors of scaled rows, and Platt's sigmoid for a probability."""

    features: tuple[str, ...]
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    vectors: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    intercept: float
    gamma: float
    slope: float = 1.0
    offset: float = 0.0

    @classmethod
    def load(cls, path: Path) -> Kernel:
        with np.load(path, allow_pickle=False) as arrays:
            about = msgspec.json.decode(arrays["about"].tobytes())
            held = {name: arrays[name] for name in ("mean", "scale", "vectors", "coefficients")}
        return cls(features=tuple(about.pop("features")), **held, **about)

    def save(self, path: Path) -> None:
        about = {name: getattr(self, name) for name in ("features", "intercept", "gamma", "slope", "offset")}
        np.savez_compressed(
            path,
            about=np.frombuffer(msgspec.json.encode(about), dtype=np.uint8),
            mean=self.mean,
            scale=self.scale,
            vectors=self.vectors,
            coefficients=self.coefficients,
        )

    def scores(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """The distance of each row from the border between the classes."""
        scaled = (rows - self.mean) / self.scale
        square = (scaled**2).sum(axis=1)[:, None] + (self.vectors**2).sum(axis=1)[None] - 2 * scaled @ self.vectors.T
        return np.asarray(np.exp(-self.gamma * np.maximum(0, square)) @ self.coefficients + self.intercept)

    def probabilities(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.asarray(1.0 / (1.0 + np.exp(-(self.slope * self.scores(rows) + self.offset))))
