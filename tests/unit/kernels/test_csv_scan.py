"""The strict scan of delimited text: what is right, what is wrong and where, in chunks of any size."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.kernels import csv_scan as scan
from antifaz.kernels.csv_scan import E_BLANK, E_LONG, E_NEWLINE, E_NUL, E_STRAY, E_UNCLOSED, E_UTF8, E_WIDTH

KINDS = scan.byte_kinds(ord(","), ord('"'))


def test_every_byte_is_of_one_kind() -> None:
    kinds = {0: scan.NUL, 10: scan.LF, 13: scan.CR, ord(","): scan.DELIMITER, ord('"'): scan.QUOTE}
    rest = {byte: scan.HIGH if byte >= 128 else scan.ORDINARY for byte in range(256)}
    assert KINDS.tolist() == list((rest | kinds).values())
    assert scan.byte_kinds(ord(";"), -1).tolist() == list((rest | {0: 5, 10: 3, 13: 4, ord(";"): 1}).values())


def test_what_follows_on_every_byte_in_every_mode() -> None:
    """Per mode: what an ordinary byte, a delimiter, a quote, LF, CR, NUL and a high byte do, and the mode then."""
    plain, nul = (scan.NOTHING, scan.PLAIN), (scan.BAD_NUL, scan.PLAIN)
    ends = [(scan.END_LF, scan.RECORD), (scan.END_CR, scan.AFTER_CR)]
    after, opens, quoted = (scan.NEXT, scan.FIELD), (scan.OPEN, scan.QUOTED), (scan.NOTHING, scan.QUOTED)
    stray, alone = (scan.BAD_STRAY, scan.CLOSED), (scan.LONE, scan.RECORD)
    lines = [(scan.LINE_LF, scan.QUOTED), (scan.LINE_CR, scan.QUOTED)]
    expected = {
        scan.RECORD: [plain, after, opens, (scan.BLANK_LF, scan.RECORD), (scan.BLANK_CR, scan.AFTER_CR), nul, plain],
        scan.FIELD: [plain, after, opens, *ends, nul, plain],
        scan.PLAIN: [plain, after, plain, *ends, nul, plain],
        scan.QUOTED: [quoted, quoted, (scan.NOTHING, scan.CLOSED), *lines, nul, quoted],
        scan.CLOSED: [stray, after, quoted, *ends, nul, stray],
        scan.AFTER_CR: [alone, alone, alone, (scan.CRLF, scan.RECORD), alone, nul, alone],
    }
    found = [[divmod(int(cell), 16) for cell in row] for row in scan._transitions()]
    assert found == list(expected.values())


def scanned(text: bytes, chunk: int, width: int = 0, limit: int = 1000) -> tuple[int, np.ndarray]:
    state = scan.start_state(width, limit)
    for start in range(0, len(text), chunk):
        wrong = scan.scan(np.frombuffer(text[start : start + chunk], np.uint8), KINDS, state)
        if wrong:
            return wrong, state
    return scan.finish(state), state


def every_way(text: bytes, width: int = 0, limit: int = 1000) -> tuple[int, np.ndarray]:
    """Scan at once, byte by byte, and by threes: the answer must be the same."""
    found = [scanned(text, chunk, width, limit) for chunk in (max(1, len(text)), 1, 3)]
    assert len({wrong for wrong, _ in found}) == 1
    for place in (scan.OFFSET, scan.LINE, scan.FIELDS, scan.RECORDS, scan.WIDTH, scan.DONE, scan.NEWLINES):
        # A record that is too long is noticed at the end of a chunk, or where it ends.
        assert len({int(state[place]) for _, state in found}) == 1 or found[0][0] == E_LONG
    return found[0]


@pytest.mark.parametrize(
    ("text", "records", "width", "longest", "newlines"),
    [
        (b"", 0, 0, 0, 0),
        (b"a,b\n", 1, 2, 4, scan.SEEN_LF),
        (b"a,b", 1, 2, 3, 0),
        (b"a,b\n1,2\n", 2, 2, 4, scan.SEEN_LF),
        (b"a,b\n11,2", 2, 2, 4, scan.SEEN_LF),
        (b"a,b\r\n1,2\r\n", 2, 2, 5, scan.SEEN_CRLF),
        (b"a,b\r\n1,2\n", 2, 2, 5, scan.SEEN_CRLF | scan.SEEN_LF),
        (b"a,b\r1,2\r", 2, 2, 4, scan.SEEN_CR),
        (b"a,b\r1,2", 2, 2, 4, scan.SEEN_CR),
        (b'"a","b"\n"x\ny","p,q"\n', 2, 2, 12, scan.SEEN_LF),
        (b'a,b\n"he said ""no""",\n', 2, 2, 18, scan.SEEN_LF),
        (b'a,b\nx"y,"z"\n', 2, 2, 8, scan.SEEN_LF),
        (b'a,b\n"",""\n', 2, 2, 6, scan.SEEN_LF),
        (b"a,b\n,\n", 2, 2, 4, scan.SEEN_LF),
        (b"a,b\n1,2\n\n\n", 2, 2, 4, scan.SEEN_LF),
        (b"a,b\r\n1,2\r\n\r\n", 2, 2, 5, scan.SEEN_CRLF),
        (b"a\n1\n\n3\n", 4, 1, 2, scan.SEEN_LF),
        (b"a\r\n\r\n3\r\n", 3, 1, 3, scan.SEEN_CRLF),
        ("ä,ß\n€,😀\n".encode(), 2, 2, 9, scan.SEEN_LF),
        ('"€","ÿ"\n'.encode(), 1, 2, 11, scan.SEEN_LF),
        (b'a\n"\r\n"\n', 2, 1, 5, scan.SEEN_LF),
    ],
)
def test_what_is_right_is_counted(text: bytes, records: int, width: int, longest: int, newlines: int) -> None:
    wrong, state = every_way(text)
    assert wrong == scan.FINE
    assert (state[scan.RECORDS], state[scan.WIDTH]) == (records, width)
    assert (state[scan.LONGEST], state[scan.NEWLINES]) == (longest, newlines)
    assert state[scan.DONE_RECORDS] == records


@pytest.mark.parametrize(
    ("text", "code", "line", "field"),
    [
        (b"a,b\n1,\x00\n", E_NUL, 2, 2),
        (b'a,b\n"x\x00\n', E_NUL, 2, 1),
        (b'a,b\n1,"x"y\n', E_STRAY, 2, 2),
        (b'a,b\n1,"x"\xc3\xa4\n', E_STRAY, 2, 2),
        (b"a,b\n1\n", E_WIDTH, 2, 1),
        (b"a,b\n1,2,3\n", E_WIDTH, 2, 3),
        (b"a,b\n1,2,3", E_WIDTH, 2, 3),
        (b"a,b\n1,2\n\n3,4\n", E_BLANK, 4, 2),
        (b"a,b\n1,2\n\n3", E_BLANK, 4, 1),
        (b"\na,b\n", E_BLANK, 1, 1),
        (b"a,b\r1,2\n", E_NEWLINE, 3, 1),
        (b"a,b\n1,2\r3,4\n", E_NEWLINE, 3, 1),
        (b"a,b\n1,2\r", E_NEWLINE, 3, 1),
        (b"a,b\r\n1,2\r", E_NEWLINE, 3, 1),
        (b'a,b\n1,"x\n\ny', E_UNCLOSED, 4, 2),
        (b'a,b\n"x\r\ny', E_UNCLOSED, 3, 1),
        (b'a,b\n"x\ry\rz', E_UNCLOSED, 4, 1),
        (b"a,b\n1,\xc3x\n", E_UTF8, 2, 2),
        (b"a,b\n1,\xc3", E_UTF8, 2, 2),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: bytes, code: int, line: int, field: int) -> None:
    wrong, state = every_way(text)
    assert (wrong, state[scan.LINE], state[scan.FIELDS]) == (code, line, field)


def test_an_unclosed_quote_says_where_it_was_opened() -> None:
    wrong, state = every_way(b'a,b,c\n1,2,3\n4,"5\n\n6')
    assert (wrong, state[scan.OPEN_LINE], state[scan.OPEN_FIELD]) == (E_UNCLOSED, 3, 2)
    assert state[scan.START_LINE] == 3
    assert (state[scan.DONE], state[scan.DONE_RECORDS]) == (12, 2)


def test_a_blank_line_in_between_is_remembered_by_its_line() -> None:
    assert every_way(b"a,b\n1,2\n\n\n3,4\n")[1][scan.BLANK] == 3


def test_the_width_may_be_known_beforehand() -> None:
    assert every_way(b"1,2\n", 2)[0] == scan.FINE
    assert every_way(b"1,2\n", 3)[0] == E_WIDTH
    assert every_way(b"\n\n", 1)[1][scan.RECORDS] == 2
    assert every_way(b"\n", 2)[0] == scan.FINE


def test_a_chunk_says_up_to_where_records_are_complete() -> None:
    state = scan.start_state(0, 1000)
    for text, done, records in (
        (b"a,b\n1", 4, 1), (b",2", 4, 1), (b"\n\r", 8, 2), (b"\n", 10, 2), (b'"x\n', 10, 2),
    ):  # fmt: skip
        assert scan.scan(np.frombuffer(text, np.uint8), KINDS, state) == scan.FINE
        assert (state[scan.DONE], state[scan.DONE_RECORDS]) == (done, records)
    assert scan.scan(np.zeros(0, np.uint8), KINDS, state) == scan.FINE
    assert state[scan.LAST] == 10


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_record_may_be_as_long_as_the_limit(end: bytes) -> None:
    text = b"a,b" + end + b"1,2" + end
    assert every_way(text, limit=3 + len(end))[0] == scan.FINE
    assert every_way(text, limit=2 + len(end))[0] == E_LONG


def test_a_record_that_is_too_long_is_noticed_before_it_ends() -> None:
    state = scan.start_state(0, 5)
    assert scan.scan(np.frombuffer(b"a\n12345", np.uint8), KINDS, state) == scan.FINE
    assert scan.scan(np.frombuffer(b"6", np.uint8), KINDS, state) == E_LONG


def is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("lead", [0x80, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1])
def test_characters_are_those_that_python_reads(lead: int) -> None:
    for second in (0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0):
        for more in (b"", b"\x80", b"\xbf", b"\xbf\x80", b"\x7f", b"\xc0", b"\x80\xc0"):
            text = bytes([lead, second]) + more
            assert (every_way(text + b"x")[0] == scan.FINE) == is_utf8(text), text


@pytest.mark.parametrize("text", [b"\xf3\xbf\xbf\xbf", b"\xf4\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80"])
def test_the_last_character_is_the_last_of_unicode(text: bytes) -> None:
    assert (every_way(text)[0] == scan.FINE) == is_utf8(text)


def test_a_file_may_have_no_quotes_and_another_delimiter() -> None:
    kinds, state = scan.byte_kinds(ord("\t"), -1), scan.start_state(0, 99)
    assert scan.scan(np.frombuffer(b'"a\tb,c\n', np.uint8), kinds, state) == scan.FINE
    assert (state[scan.WIDTH], state[scan.RECORDS]) == (2, 1)
    assert kinds[[0, 9, 10, 13, 127, 128, 255]].tolist() == [
        scan.NUL, scan.DELIMITER, scan.LF, scan.CR, scan.ORDINARY, scan.HIGH, scan.HIGH,
    ]  # fmt: skip


# -- the fallback


def _scanned(data: bytes, width: int = 0, limit: int = 1000) -> tuple[bool, list[int], list[int]]:
    """Scan by the fallback and by the kernel: whether the fallback did it, and both states."""
    own, expected = scan.start_state(width, limit), scan.start_state(width, limit)
    text = np.frombuffer(data, np.uint8)
    wrong = scan.scan(text, KINDS, expected)
    done = scan._scan(text, KINDS, own)
    assert done is NotImplemented or done == wrong == 0
    if done is NotImplemented:
        assert own.tolist() == scan.start_state(width, limit).tolist()
    return done is not NotImplemented, own.tolist(), expected.tolist()


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n", "a,b\r\n1,2\r\n", "a,b\n1,2\r\n", "a,b\n1,2", "a,b\n1,",
        'a,b\n1,"x"', '"a","b"\n"1, 1","2 ""x"""\n',
        '"a\nb",c\nd,"e\n\nf"\n', "ñ,€\n😀,b\n", '"",""\n"""",a\n', "a\nb\n", "a", '"a', 'x,"y\nz"\nu,"v\n',
    ],
)  # fmt: skip
def test_the_fallback_knows_of_plain_text_what_the_kernel_does(text: str) -> None:
    done, own, expected = _scanned(text.encode())
    assert done == (text.count('"') % 2 == 0)
    assert own == expected or not done


@pytest.mark.parametrize(
    "text",
    [
        b"", b'a,b"c\n', b'"a"b,c\n', b"a,b\n1\n", b"a,b\n\n1,2\n", b"a\rb\r", b"a,b\r", b'"a\rb",c\n', b"a\0b\n",
        b"\xff,b\n", b"\xc3", b'a,"b\n', b"a,b\n\r\n",
    ],
)  # fmt: skip
def test_the_fallback_leaves_the_rest_to_the_kernel(text: bytes) -> None:
    assert not _scanned(text)[0]


def test_the_fallback_agrees_on_anything() -> None:
    random, plain = np.random.default_rng(11), 0
    signs = np.array(['a', 'é', ',', '"', "\n", "\r\n", '","', '"\n"', "\r"])  # fmt: skip
    for _ in range(4000):
        text = "".join(
            signs[random.choice(9, random.integers(1, 9), p=[0.3, 0.1, 0.2, 0.1, 0.1, 0.1, 0.04, 0.04, 0.02])]
        )
        done, own, expected = _scanned(text.encode(), int(random.choice([0, 2])), int(random.choice([6, 1000])))
        assert own == expected or not done
        plain += done
    assert plain > 200


def test_the_fallback_does_not_go_on_in_the_middle_of_a_file() -> None:
    state = scan.start_state(0, 1000)
    scan.scan(np.frombuffer(b"a,b\n", np.uint8), KINDS, state)
    assert scan._scan(np.frombuffer(b"1,2\n", np.uint8), KINDS, state) is NotImplemented
