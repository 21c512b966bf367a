"""The verdict on a fit as a value: what is written of it is read again, and so is what former versions wrote."""

import json
import math

from labelfree.verdict import FitVerdict, Outcome, Remedy

VERDICT = FitVerdict(
    outcome=Outcome.STUCK,
    reason="the language explains 3% of what it explains of its own text, at least 50% wanted",
    kl=0.1,
    wanted_kl=0.2,
    coverage=0.95,
    explained=0.03,
    saved=-12.0,
    chance=1.0,
    expected_error=1.0,
    remedies=(Remedy.MORE_DATA,),
)


def test_a_verdict_survives_json():
    assert FitVerdict.from_dict(json.loads(json.dumps(VERDICT.as_dict()))) == VERDICT


def test_the_five_numbers_of_former_versions_are_still_read():
    old = {name: getattr(VERDICT, name) for name in ("converged", "kl", "wanted_kl", "coverage", "message")}
    found = FitVerdict.from_dict(old)
    assert (found.outcome, found.reason, found.remedies) == ("stuck", VERDICT.message.removeprefix("stuck: "), ())
    assert math.isnan(found.explained)


def test_a_search_that_went_well_is_told_from_a_reading_that_is_believed():
    assert VERDICT.settled
    assert not VERDICT.converged
