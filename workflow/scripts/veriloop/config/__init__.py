"""The configuration: composed by Hydra, validated against a closed schema, resolved once."""
