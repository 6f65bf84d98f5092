"""Chance is passed in: every generator is seeded from a root seed, a stage, and a key."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(root_seed: int, stage: str, *key: str | int) -> np.random.Generator:
    """A numpy Generator that depends on the arguments alone, not on order, machine or process.

    Args:
        root_seed: the experiment's.
        stage: what the draws are for.
        key: what they belong to, such as seed, task and attempt.
    """
    words = "\0".join(str(part) for part in (root_seed, stage, *key))
    return np.random.default_rng(int.from_bytes(hashlib.sha256(words.encode()).digest()[:16], "big"))
