"""The loop: propose, gate, verify, review, remember; and the journal that keeps every attempt."""
