"""Language models over one OpenAI-compatible chat interface, and what their answers hold."""
