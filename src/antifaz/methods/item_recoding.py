"""Items of sets: each becomes its ancestor everywhere, or is left out of single cells, until k people share what any m
of a person's items give away (k^m-anonymity; after M. Terrovitis, N. Mamoulis and P. Kalnis, PVLDB 1(1), 2008).
"""

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.core.errors import PrivacyNotReached
from antifaz.counting.items import ItemDecision, ItemTask, Tokens

#: From so many rare sets on, several labels are raised at a time.
_MANY = 1_000


def decide_items(task: ItemTask) -> ItemDecision:
    """Raise items until what still has to be left out is allowed; sets of few items are looked at first.

    Where raising more loses less than leaving out does, more is raised.
    """
    levels = np.zeros(task.labels.shape[1], np.int64)
    tokens = Tokens(task, levels)
    for size in range(1, task.m + 1):
        while _leave_out(task, tokens, size, task.allowed) is None:
            if (raised := _raised(task, levels, tokens, size)) is None:
                lost = _leave_out(task, tokens, task.m, task.items.size)
                many = task.items.size if lost is None else int((tokens.counts - lost).sum())
                raise PrivacyNotReached("sets.not-reached", k=task.k, m=task.m, lost=many, items=task.items.size)
            levels, tokens = raised, Tokens(task, raised)
    best = _decision(task, levels, tokens)
    while (raised := _raised(task, levels, tokens, task.m)) is not None and task.lost(raised, None) < best.lost:
        levels, tokens = raised, Tokens(task, raised)
        best = min(best, _decision(task, levels, tokens), key=lambda decision: decision.lost)
    return best


def _decision(task: ItemTask, levels: Ints, tokens: Tokens) -> ItemDecision:
    left = _leave_out(task, tokens, task.m, task.items.size)
    counts = tokens.counts if left is None else left
    kept, left_out = tokens.kept(counts), int((tokens.counts - counts).sum())
    lost = task.lost(levels, kept) if left_out <= task.allowed else np.inf
    return ItemDecision(labels=task.at(levels), levels=levels, kept=kept, left_out=left_out, lost=lost)


def _leave_out(task: ItemTask, tokens: Tokens, size: int, allowed: int) -> Ints | None:
    """Return how often each person keeps each token so that nothing rare is left; None where too much would go.

    Of a set that fewer than k people have, they lose what fewest people have. That makes other sets rarer.
    """
    counts, whole = tokens.counts.copy(), int(tokens.counts.sum())
    while whole - int(counts.sum()) <= allowed:
        rare = None
        for known in tokens.known(counts, size):
            if (rare := known.people < task.k).any():
                break
        if rare is None or not rare.any():
            return counts
        sets, heads = known.classes[rare], tokens.heads(counts)
        chosen = sets[np.arange(sets.shape[0]), heads[sets].argmin(axis=1)]
        times = (sets == chosen[:, None]).sum(axis=1)
        np.minimum.at(counts, tokens.places(known.persons[rare], chosen), times - 1)
    return None


def _raised(task: ItemTask, levels: Ints, tokens: Tokens, size: int) -> Ints | None:
    """Raise items of rare sets where that mends most of them for the least loss; None where none can be raised."""
    now, above = task.at(levels), task.at(task.above(levels))
    to = np.full(task.number, -1, np.int64)
    to[now[above != now]] = above[above != now]
    rare = [known.classes[known.people < task.k] for known in tokens.known(tokens.counts, size)]
    wanted = to[tokens.label[np.concatenate([np.pad(s, ((0, 0), (0, size - s.shape[1])), "edge") for s in rare])]]
    mended = np.bincount(wanted[wanted >= 0])
    gains = sorted(
        (-mended[label] / (task.lost(task.raised(levels, label), None) - task.lost(levels, None) + 1e-9), label)
        for label in np.flatnonzero(mended).tolist()
    )
    mended_by_now = np.zeros(wanted.shape[0], np.bool_)
    for _, label in gains:
        levels = task.raised(levels, label)
        mended_by_now |= (wanted == label).any(axis=1)
        # What is raised mends other sets, too, so they are counted again; where they are many, not each time.
        if wanted.shape[0] < _MANY or 4 * int(mended_by_now.sum()) >= wanted.shape[0]:
            break
    return levels if gains else None
