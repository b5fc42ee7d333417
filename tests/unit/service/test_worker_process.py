"""What is known in memory of a job that is being done."""

from antifaz.core.messages import Message, in_language
from antifaz.service.worker_process import JobProgress


def test_steps_of_one_name_add_up_and_the_present_one_is_not_done():
    progress = JobProgress()
    for step, share in (("read", None), ("count", None), ("read", 0.5)):
        progress.hear({"step": step, "share": share, "message": f"{step}ing"})
    found = progress.shown()
    assert [(one["name"], one["done"]) for one in found["steps"]] == [("read", False), ("count", True)]
    assert (found["share"], found["message"]) == (0.5, "reading")
    progress.hear({"done": True})
    assert all(one["done"] for one in progress.steps())


def test_every_reader_hears_of_a_step_in_their_language():
    progress = JobProgress()
    progress.hear({"step": "read", "share": None, "message": Message("progress.reading").as_dict()})
    shown = progress.shown()
    assert shown["message"] == "reading the data"
    spanish = in_language("es", shown)
    assert spanish["message"] == spanish["steps"][0]["message"] == Message("progress.reading").text("es")
    assert spanish["message"] != shown["message"]


def test_what_was_verified_is_known_before_the_end_and_is_no_end():
    progress = JobProgress()
    progress.hear({"step": "verify", "share": None, "message": ""})
    assert progress.shown()["verified"] is False
    progress.hear({"verified": {"evidence": {}, "first_rows": None}})
    assert (progress.shown()["verified"], progress.ended) == (True, {})
    assert progress.verified == {"evidence": {}, "first_rows": None}
