"""pass@k: the chance that at least one of k independent samples is right."""

from __future__ import annotations

from scipy.special import comb


def pass_at_k(samples: int, right: int, k: int) -> float:
    """The unbiased estimate from more samples than k (Chen et al. 2021, section 2.1): 1 - C(n-c, k) / C(n, k).

    Args:
        samples: n, how many were drawn; at least k.
        right: c, how many of them are right; from 0 to n.
        k: at least 1.

    Returns:
        A number from 0 to 1.
    """
    if not 0 <= right <= samples or not 1 <= k <= samples:
        raise ValueError(f"there is no pass@{k} of {right} right samples among {samples}")
    return 1.0 - comb(samples - right, k, exact=True) / comb(samples, k, exact=True)
