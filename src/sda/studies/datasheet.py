"""A datasheet of the study in the shape of HEDS 3.0 (Belz and Thomson, 2024).

Its five sections and the numbers of its questions are kept. What only people know is None, to be
filled in; what the study itself knows is there.
"""

from __future__ import annotations

from typing import Any

from sda import __version__
from sda.studies.outcome import Outcome
from sda.studies.study import Criterion

TO_FILL_IN = None


def datasheet(outcome: Outcome) -> dict[str, Any]:
    """Answers by section and number of the question."""
    study = outcome.study
    is_transfer = any(item.source is not None for item in study.rated)
    items = len(study.rated)
    return {
        "heds_version": "3.0",
        "made_by": f"sda {__version__}",
        "1 main reference and supplementary resources": {
            "1.1.1 link to the paper": TO_FILL_IN,
            "1.2 link to the data": TO_FILL_IN,
            "1.3 who filled this in": TO_FILL_IN,
        },
        "2 evaluated systems": {
            "2.1 type of input": "text: sentence" if is_transfer else "no input",
            "2.2 type of output": "text: sentence",
            "2.3 task": "style transfer" if is_transfer else "text generation without input",
            "2.4 languages of input": TO_FILL_IN,
            "2.5 languages of output": TO_FILL_IN,
            "systems": [{"name": name, "by people": name == study.real} for name in study.models],
        },
        "3 sample of outputs, evaluators and experimental design": {
            "3.1.1 outputs evaluated": items,
            "3.1.2 how they were selected": f"at random by seed {study.seed};"
            f" {study.rules.duplicates}",
            "3.1.3 power": "`sda judge plan` says what a design can see",
            "3.2.1 evaluators": outcome.judges,
            "3.2.2 type of evaluators": TO_FILL_IN,
            "3.2.3 how they were recruited": TO_FILL_IN,
            "3.2.4 training": "instructions on the first page",
            "instructions": study.guide,
            "3.3.1 preregistered": outcome.plan,
            "3.3.2 how responses were collected": "web page of sda judge",
            "3.3.3 quality assurance": {
                "checks": study.rules.check,
                "exclusion": study.rules.exclusion,
                "excluded": len(outcome.excluded),
                "hidden repeats": sum(s.is_repeat for block in study.blocks for s in block),
            },
            "3.3.4 what evaluators see": "one item a page, in an order of their own; which model"
            " wrote it is on no page",
            "3.3.5 ratings an item": study.ratings,
            "3.3.6 free to leave": "yes, and to go on another day",
            "3.3.7 conditions of work": TO_FILL_IN,
            "assignment": "balanced incomplete blocks: models differ by at most one for a judge and"
            " at a position",
        },
        "4 quality criteria": [_criterion(each, outcome) for each in study.criteria],
        "5 ethics": {
            "5.1 approved by": TO_FILL_IN,
            "5.2 personal data": "none beyond what a crowd platform sends, which `sda judge purge`"
            " removes; no address and no browser is kept",
            "5.3 special categories of data": TO_FILL_IN,
            "5.4 impact": TO_FILL_IN,
        },
        "results": {
            each.criterion.name: {
                "agreement": None if each.alpha is None else each.alpha.value,
                "means": {model.model: model.value for model in each.models},
            }
            for each in outcome.criteria
        },
    }


def _criterion(criterion: Criterion, outcome: Outcome) -> dict[str, Any]:
    study = outcome.study
    is_pairs = study.task == "pairs"
    return {
        "4.1.1 type of quality": TO_FILL_IN,
        "4.1.2 aspect": TO_FILL_IN,
        "4.1.3 evaluated in its own right or against something": "relative to the source"
        if any(item.source is not None for item in study.rated)
        else "in its own right",
        "4.3.1 name": criterion.name,
        "4.3.2 definition": TO_FILL_IN,
        "4.3.3 size of scale": len(study.values),
        "4.3.4 values": ["A is better", "about the same", "B is better"]
        if is_pairs
        else list(study.values),
        "4.3.5 how values are presented": "buttons",
        "4.3.7 question": criterion.question,
        "4.3.8 form of response": "choice between two" if is_pairs else "direct rating",
        "4.3.9 how responses are aggregated": "shares and strengths of Bradley and Terry with ties"
        if is_pairs
        else "mean",
        "4.3.10 statistical test": study.rules.test,
        "4.3.11 effect sizes and intervals": study.rules.interval,
        "4.3.12 agreement": "Krippendorff's alpha, ordinal; agreement with oneself on repeats",
    }
