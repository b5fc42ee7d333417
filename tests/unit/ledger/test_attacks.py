"""The attacks of the ledger: tables solved by hand, and any small table against plain sets."""

import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antifaz.core.types import DataType
from antifaz.ledger import complementary as joining
from antifaz.ledger.attacks import Overlap
from antifaz.ledger.complementary import attack_two_tables
from antifaz.ledger.entry import EntryBuilder, EntryLayout, entry_of_table, pack_entry, unpack_entry
from antifaz.ledger.recognition import recognize
from antifaz.ledger.verdict import Promise, judge_release

PEOPLE_KEY, VALUE_KEY = bytes(16), bytes(range(16))

#: Sweeney 2002, figures 5 and 6: twelve people, their problems, and the classes of GT1 and GT3.
PROBLEMS = [
    "short of breath", "chest pain", "painful eye", "wheezing", "obesity", "chest pain", "short of breath",
    "hypertension", "obesity", "fever", "vomiting", "back pain",
]  # fmt: skip
GT1 = [
    "black 1965 male 02141", "black 1965 male 02141", "person 1965 female 0213*", "person 1965 female 0213*",
    "black 1964 female 02138", "black 1964 female 02138", "white 1964 male 0213*", "person 1965 female 0213*",
    "white 1964 male 0213*", "white 1964 male 0213*", "white 1967 male 02138", "white 1967 male 02138",
]  # fmt: skip
GT3 = [
    "black 1965 male 02141", "black 1965 male 02141", "black 1965 female 02138", "black 1965 female 02138",
    "black 1964 female 02138", "black 1964 female 02138", "white 1960-69 male 02138", "white 1960-69 human 02139",
    "white 1960-69 human 02139", "white 1960-69 human 02139", "white 1960-69 male 02138", "white 1960-69 male 02138",
]  # fmt: skip


def entry(people, classes, values=None, *, order=None, known=True, batch=5, several=False):
    """Make an entry as a run does, batch by batch, and take it through its bytes."""
    values = ["-"] * len(people) if values is None else values
    order = random.Random(len(people) + len(set(classes))).sample(range(10**6), len(people)) if order is None else order
    layout = EntryLayout(
        types={"id": DataType.TEXT, "value": DataType.TEXT},
        quasi_identifiers=("q",),
        person=("id",) if known else (),
        kept=("id", "value"),
        clear=("value",),
        people=several,
    )
    maker = EntryBuilder(layout, PEOPLE_KEY, VALUE_KEY)
    for at in range(0, len(people), batch):
        rows = slice(at, at + batch)
        parts = [[f"t{one}" for one in people[rows]], [f"t{one}" for one in values[rows]], list(classes[rows])]
        arrays = [pa.array(part, pa.string()) for part in parts] + [pa.array(order[rows], pa.uint64())]
        maker.add(pa.RecordBatch.from_arrays(arrays, ["a", "b", "c", "d"]))
    return unpack_entry(pack_entry(maker.made()))


def verdict(new, *earlier, k, **more):
    found = [recognize(new, old, same_dataset=True, release="") for old in earlier]
    overlaps = [Overlap(new=new, old=old, places=one.places) for old, one in zip(earlier, found, strict=True)]
    return judge_release(new, [({"release": str(i)}, each) for i, each in enumerate(overlaps)], Promise(k=k, **more))


def worst(found):
    """The attack that exposes somebody to the smallest set."""
    failed = {name: attack for name, attack in found.attacks.items() if attack.exposed}
    return min(failed, key=lambda name: failed[name].smallest or 0)


def test_check_07_sweeneys_two_releases_single_out_two_people():
    found = verdict(entry(range(12), GT3, PROBLEMS), entry(range(12), GT1, PROBLEMS), k=2, sensitive=["value"])
    # White, 1964, male, 02138 and white, 1965, female, 02139 are one each, as in her table LT.
    for attack in ("composition", "complementary"):
        assert (found.attacks[attack].smallest, found.attacks[attack].exposed) == (1, 2)
    assert found.attacks["complementary"].details["joined_on"] == ["value"]
    assert found.attacks["composition"].details["sensitive"]["value"] == {"fewest_values": 1, "disclosed": 2}
    assert not found.holds and found.smallest == 1 and worst(found) == "composition"


def test_an_outsider_finds_one_of_them_with_the_two_tables_alone():
    one, other = (
        entry_of_table(pa.table({"q": classes, "problem": PROBLEMS}), ("q",), VALUE_KEY) for classes in (GT3, GT1)
    )
    found = attack_two_tables(one, other, 2)
    # By the problems that occur once: hypertension is alone in its pair of classes.
    assert found["complementary"].smallest == 1
    assert not found["complementary"].as_dict()["holds"]
    assert found["unsorted-matching"].details["paired"]  # both are in the order of the private table
    assert (found["unsorted-matching"].smallest, found["unsorted-matching"].exposed) == (1, 2)


def test_an_outsider_finds_both_where_labels_contradict_each_other():
    names = ("race", "born", "gender", "zip")
    cells = {
        "GT1": ["black,1965,male,02141"] * 2 + ["person,1965,female,0213*"] * 2 + ["black,1964,female,02138"] * 2
        + ["white,1964,male,0213*", "person,1965,female,0213*"] + ["white,1964,male,0213*"] * 2
        + ["white,1967,male,02138"] * 2,
        "GT3": ["black,1965,male,02141"] * 2 + ["black,1965,female,02138"] * 2 + ["black,1964,female,02138"] * 2
        + ["white,1960-69,male,02138"] + ["white,1960-69,human,02139"] * 3 + ["white,1960-69,male,02138"] * 2,
    }  # fmt: skip
    mixed = random.Random(5).sample(range(12), 12)
    tables = []
    for order, rows in zip((range(12), mixed), cells.values(), strict=True):
        columns = zip(*(rows[i].split(",") for i in order), strict=True)
        shown = dict(zip(names, map(list, columns), strict=True)) | {"problem": [PROBLEMS[i] for i in order]}
        tables.append(entry_of_table(pa.table(shown), names, VALUE_KEY))
    found = attack_two_tables(tables[1], tables[0], 2)["complementary"]
    assert (found.smallest, found.exposed) == (1, 2)


def test_tables_in_another_order_can_not_be_laid_side_by_side():
    mixed = random.Random(5).sample(range(12), 12)
    one = entry_of_table(pa.table({"q": GT3, "problem": PROBLEMS}), ("q",), VALUE_KEY)
    other = entry_of_table(
        pa.table({"q": [GT1[i] for i in mixed], "problem": [PROBLEMS[i] for i in mixed]}), ("q",), VALUE_KEY
    )
    assert not attack_two_tables(one, other, 2)["unsorted-matching"].details["paired"]


def test_check_07_who_came_and_who_went_is_what_is_left_when_one_subtracts():
    before = entry(range(8), "aaaabbbb")
    # 0 went from a; 8 and 9 came to b.
    found = verdict(entry([1, 2, 3, 4, 5, 6, 7, 8, 9], "aaabbbbbb"), before, k=3)
    temporal = found.attacks["temporal"]
    assert (temporal.smallest, temporal.exposed) == (1, 3)
    assert (temporal.details["came"], temporal.details["went"]) == (2, 1)
    assert found.attacks["composition"].smallest == 3 and not found.holds
    assert worst(found) == "temporal"


def test_regions_are_found_by_people_where_the_labels_differ():
    before = entry(range(9), "aaabbbccc")
    found = verdict(entry([*range(9), 9], "xxxxxxyyyy"), before, k=3)  # a and b are x, c is y; 9 came to y
    assert found.attacks["temporal"].details["same_classes"] == 0
    assert (found.attacks["temporal"].smallest, found.attacks["temporal"].exposed) == (1, 1)


def test_check_07_somebody_who_moved_is_left_over():
    found = verdict(entry(range(8), "aaabbbbb"), entry(range(8), "aaaabbbb"), k=2)
    assert (found.attacks["temporal"].smallest, found.attacks["temporal"].exposed) == (1, 1)


def test_check_07_three_releases_expose_whom_no_two_do():
    people = range(8)
    first, second, third = "aaaabbbb", "ccddccdd", "efefefef"
    new = entry(people, third)
    for old in (first, second):
        assert verdict(new, entry(people, old), k=2).attacks["composition"].smallest == 2
    found = verdict(new, entry(people, first), entry(people, second), k=2)
    assert (found.attacks["composition"].smallest, found.attacks["composition"].exposed) == (1, 8)


def test_people_of_some_releases_hide_among_those_of_more():
    # 4 and 5 are in the new one and the first only; 0 to 3 in all three, in other classes of the second.
    found = verdict(entry(range(6), "aaaaaa"), entry(range(6), "bbbbbb"), entry(range(4), "ccdd"), k=3)
    assert found.attacks["composition"].smallest == 2
    assert found.attacks["composition"].exposed == 4  # who is in two releases has six look-alikes


def test_check_07_the_same_release_again_gives_nothing_away():
    new = entry(range(12), GT1, PROBLEMS, order=list(range(12)))
    found = verdict(new, new, k=2, sensitive=["value"], least={"value": 2})
    assert found.holds and found.smallest == 2
    assert found.attacks["unsorted-matching"].details["paired"]


def test_the_same_order_pairs_rows():
    people, order = list(range(40)), random.Random(3).sample(range(1000), 40)
    one = ["a" if i < 20 else "b" for i in people]
    other = ["c" if i < 21 else "d" for i in people]
    for same in (order, [1000 - place for place in order]):  # forwards, and from the end
        found = verdict(entry(people, one, order=order), entry(people, other, order=same), k=3)
        assert found.attacks["unsorted-matching"].details["paired"]
        assert (found.attacks["unsorted-matching"].smallest, found.attacks["unsorted-matching"].exposed) == (1, 1)
    found = verdict(entry(people, one, order=order), entry(people, other, order=order[20:] + order[:20]), k=3)
    assert not found.attacks["unsorted-matching"].details["paired"]


def test_values_that_are_lost_count_where_a_model_asks_for_them():
    values = ["flu", "flu", "asthma", "cough"] * 2
    new, old = entry(range(8), "aaaabbbb", values), entry(range(8), "ccddccdd", values)
    plain = verdict(new, old, k=2, sensitive=["value"]).attacks["composition"]
    assert plain.details["sensitive"]["value"] == {"fewest_values": 1, "disclosed": 4} and plain.exposed == 0
    asked = verdict(new, old, k=2, sensitive=["value"], least={"value": 2}).attacks["composition"]
    assert asked.exposed == 4


def test_other_people_are_told_of_and_not_judged():
    found = verdict(entry(range(4), "aaaa"), entry(range(10, 14), "bbcc"), k=4)
    assert found.holds and found.attacks == {} and found.earlier[0]["shared"] == 0


def test_people_with_several_records_are_known_by_the_records():
    visits = [0, 0, 1, 1, 2, 2, 3, 3]
    values = ["x", "y"] * 4
    new, old = entry(visits, "abababab", values), entry(visits[::-1], "abababab"[::-1], values[::-1])
    found = verdict(new, old, k=4)
    assert found.holds and found.earlier[0]["shared"] == 8 and found.smallest == 4


def test_equal_records_are_taken_one_by_one():
    same = ["p"] * 6
    found = verdict(entry(same, "aaabbb", known=False), entry(same, "aaabbb", known=False), k=3)
    assert found.smallest == 3 and found.holds
    assert (
        verdict(entry(same, "aaabbb", known=False), entry(same[:4], "aabb", known=False), k=1).earlier[0]["shared"] == 4
    )


def test_a_change_of_one_byte_is_noticed():
    parts = pack_entry(entry(range(4), "aabb", list("wxyz")))
    for name in parts:
        spoilt = parts | {name: parts[name][:-1] + bytes([parts[name][-1] ^ 1])}
        with pytest.raises(ValueError, match="entry"):
            unpack_entry(spoilt)
        with pytest.raises(ValueError, match="entry"):
            unpack_entry(
                {key: part for key, part in parts.items() if key != name or name in ("records", "order")}
                | ({name: parts[name][:5]} if name in ("records", "order") else {})
            )


# --- any small table, judged by plain sets that share nothing with the code ---------------------------------------

PERSON = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"))
RELEASES = st.lists(st.dictionaries(st.integers(0, 9), PERSON, min_size=1), min_size=2, max_size=4)


def made(release):
    return entry(list(release), [c for c, _ in release.values()], [v for _, v in release.values()])


@given(RELEASES, st.integers(1, 4))
def test_composition_is_what_sets_say(releases, k):
    *earlier, new = releases
    shared = [old for old in earlier if set(old) & set(new)]
    found = verdict(made(new), *map(made, earlier), k=k)
    if not shared:
        assert found.attacks == {}
        return
    sizes = []
    for person in new:
        where = [new] + [old for old in shared if person in old]
        if len(where) > 1:
            same = [{q for q in release if release[q][0] == release[person][0]} for release in where]
            sizes.append(len(set.intersection(*same)))
    assert found.attacks["composition"].smallest == min(sizes)
    assert found.attacks["composition"].exposed == sum(size < k for size in sizes)


@given(RELEASES, st.integers(1, 4))
def test_temporal_differences_are_what_sets_say(releases, k):
    old, new = releases[:2]
    if not set(old) & set(new):
        return
    found = verdict(made(new), made(old), k=k).attacks["temporal"]
    one, other = ({c: {p for p in r if r[p][0] == c} for c, _ in r.values()} for r in (new, old))
    left = [a - b for c in set(one) & set(other) for a, b in ((one[c], other[c]), (other[c], one[c]))]
    unions = [({c}, set()) for c in one] + [(set(), {c}) for c in other]
    for person in set(old) & set(new):  # classes that share somebody become one union
        joined = [u for u in unions if new[person][0] in u[0] or old[person][0] in u[1]]
        unions = [u for u in unions if u not in joined]
        unions.append((set().union(*(u[0] for u in joined)), set().union(*(u[1] for u in joined))))
    for ours, theirs in unions:
        if ours and theirs:
            here = {p for c in ours for p in one[c]}
            there = {p for c in theirs for p in other[c]}
            left += [here - set(old), there - set(new)]
    left = [people for people in left if people]
    assert found.smallest == min(map(len, left), default=None)
    assert found.exposed == len({p for people in left if len(people) < k for p in people})


@given(RELEASES, st.integers(1, 4), st.sampled_from([1, 3, 4_000_000]))
def test_complementary_links_are_what_sets_say(releases, k, chunk):
    old, new = releases[:2]
    both = set(old) & set(new)
    stable = both and sum(old[p][1] == new[p][1] for p in both) / len(both) > 0.5
    if not both:
        return
    kept, joining.CHUNK = joining.CHUNK, chunk
    try:
        found = verdict(made(new), made(old), k=k).attacks["complementary"]
    finally:
        joining.CHUNK = kept
    cells = {p: sum(new[q][0] == new[p][0] and old[q][0] == old[p][0] for q in both) for p in both}

    def candidates(person, one, other):
        """The classes of the other table that hold a row with the same value and share people with this one."""
        shows = one[person][1]
        return {
            other[q][0] for q in other
            if other[q][1] == shows
            and any(one[r][0] == one[person][0] and other[r][0] == other[q][0] for r in both)
        }  # fmt: skip

    linked = [
        p for p in both
        if new[p][1] == old[p][1] and (len(candidates(p, new, old)) == 1 or len(candidates(p, old, new)) == 1)
    ]  # fmt: skip
    exposed = sum(cells[p] < k for p in linked) if stable else 0
    assert found.exposed == exposed
    if exposed:
        assert found.smallest == min(cells[p] for p in linked if cells[p] < k)


def test_where_people_have_several_records_the_ledger_counts_people():
    """Two releases, each of classes of two people; together they leave one, who has many records there."""
    people = ["A"] * 5 + ["B"] * 5 + ["C"] * 5 + ["D"] * 5
    visits = [f"visit {i}" for i in range(20)]
    first, second = ["ab"] * 10 + ["cd"] * 10, ["ac"] * 5 + ["bd"] * 5 + ["ac"] * 5 + ["bd"] * 5
    made = [entry(people, classes, visits, several=True) for classes in (first, second)]
    assert made[0].sizes.tolist() == [2, 2]
    found = verdict(made[1], made[0], k=2)
    assert (found.attacks["composition"].smallest, found.attacks["composition"].exposed) == (1, 4)
    by_rows = verdict(*(entry(people, classes, visits) for classes in (second, first)), k=2)
    assert (by_rows.attacks["composition"].smallest, by_rows.attacks["composition"].exposed) == (5, 0)
    again = verdict(made[0], made[0], k=2)
    assert (again.attacks["composition"].smallest, again.holds) == (2, True)
