"""Reviewers: each module gives a second opinion on what verifies, and offers `make(chat, prompts)`."""
