"""The verifier's cache: what was found out once about exactly these bytes under exactly these conditions."""

from veriloop.dafny.cache.entry import Conditions, Entry, conditions_of
from veriloop.dafny.cache.explainer import CachedExplainer
from veriloop.dafny.cache.store import Store, StoreError, shared_store
from veriloop.dafny.cache.verifier import CachedVerifier

__all__ = [
    "CachedExplainer",
    "CachedVerifier",
    "Conditions",
    "Entry",
    "Store",
    "StoreError",
    "conditions_of",
    "shared_store",
]
