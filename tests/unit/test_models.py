"""Proposers: the given program, recorded answers, and what remains of a ground truth."""

from functools import partial

import pytest
from builders import task
from veriloop.attempts import Proposal, Request
from veriloop.models import ground_truth, none, oracle_dropout, replay
from veriloop.protocols import ProposerContext
from veriloop.seeding import generator

GIVEN = "method M()\n{\n}\n"
TRUTH = "method M()\n{\n  assert 1;\n  assert 2;\n  assert 3;\n}\n"
TASK = task(given=GIVEN, ground_truth=TRUTH)


def ask(proposer, attempt: int) -> Proposal | None:
    return proposer.propose(Request(task=TASK, attempt=attempt, prompt=""))


def context(seed: int = 0, answers: dict[str, str] | None = None) -> ProposerContext:
    return ProposerContext(rng=partial(generator, 7, "propose", seed), answers=answers or {})


def test_none_gives_the_given_program_once_as_attempt_0() -> None:
    proposer = none.make(none.Options(), context())
    assert proposer.first_attempt == 0
    assert ask(proposer, 0) == Proposal(text=GIVEN)
    assert ask(proposer, 1) is None


def test_replay_gives_the_recorded_answer_once() -> None:
    proposer = replay.make(replay.Options(answers_of="x"), context(answers={"t": "answer"}))
    assert ask(proposer, 1) == Proposal(text="answer")
    assert ask(proposer, 2) is None


def test_replay_without_an_answer_says_so() -> None:
    proposal = ask(replay.make(replay.Options(answers_of="x"), context()), 1)
    assert proposal is not None
    assert proposal.text is None
    assert "no answer was recorded" in proposal.reason


def test_the_ground_truth_is_proposed_once_and_marked_synthetic() -> None:
    proposer = ground_truth.make(ground_truth.Options(), context())
    assert proposer.synthetic
    assert ask(proposer, 1) == Proposal(text=TRUTH)
    assert ask(proposer, 2) is None


def oracle(p: float, seed: int = 0):
    return oracle_dropout.make(oracle_dropout.Options(drop_probability=p), context(seed))


def test_the_oracle_is_marked_synthetic_and_drops_all_or_nothing_at_the_ends() -> None:
    assert oracle(0).synthetic
    assert ask(oracle(0), 1) == Proposal(text=TRUTH)
    assert ask(oracle(1), 1) == Proposal(text=GIVEN)


def test_the_oracle_repeats_itself_for_a_seed_and_attempt_only() -> None:
    answers = {(seed, n): ask(oracle(0.5, seed), n) for seed in range(4) for n in range(1, 5)}
    assert answers == {(seed, n): ask(oracle(0.5, seed), n) for seed in range(4) for n in range(1, 5)}
    assert len({proposal.text for proposal in answers.values() if proposal}) > 2


@pytest.mark.parametrize("p", [0.2, 0.5, 0.8])
def test_the_oracle_drops_each_hint_with_its_probability(p: float) -> None:
    """1,500 draws: five standard errors are 0.065 at most."""
    texts = [ask(oracle(p, seed), 1) for seed in range(500)]
    dropped = sum(3 - proposal.text.count("assert") for proposal in texts if proposal and proposal.text)
    assert dropped / 1500 == pytest.approx(p, abs=0.065)
