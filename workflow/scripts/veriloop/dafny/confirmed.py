"""What a fast verifier accepts counts only when the trusted one accepts it too."""

from __future__ import annotations

from veriloop.outcomes import FAULTS, Outcome, VerifierResult
from veriloop.protocols import Verifier

COUNTED = frozenset({Outcome.VERIFIED, Outcome.INCONCLUSIVE})
"""What the trusted verifier may say of a program that the fast one accepts without contradicting it: that nothing
failed, be it that too few items were verified. And what of the fast one's answers it is asked about."""


class ConfirmedVerifier:
    """Asks the fast verifier, and the trusted one about all that the fast one accepts, cannot tell, or fails on.

    Whether enough was verified is for the trusted one to say. What the fast one refuses is refused: that is the side
    on which an error can cost an answer, never credit one.
    """

    def __init__(self, fast: Verifier, trusted: Verifier) -> None:
        self.fast = fast
        self.trusted = trusted

    def verify(self, program: str, minimum_verified: int = 1) -> VerifierResult:
        """Check a program.

        Args:
            program: the text.
            minimum_verified: fewer verified items than this are not a success.

        Returns:
            The fast verifier's result where it refuses the program, else the trusted one's; a tool_fault with both
            outputs where the trusted one refuses what the fast one accepts.
        """
        first = self.fast.verify(program, 0)
        if first.outcome not in FAULTS | COUNTED:
            return first
        second = self.trusted.verify(program, minimum_verified)
        if first.outcome is not Outcome.VERIFIED or second.outcome in FAULTS | COUNTED:
            return second
        return second.model_copy(
            update={
                "outcome": Outcome.TOOL_FAULT,
                "contradicted": second.outcome,
                "explanation": f"the {first.path} path accepts what the {second.path} path refuses ({second.outcome})",
                "output": f"{first.path}:\n{first.output}\n{second.path}:\n{second.output}",
            }
        )
