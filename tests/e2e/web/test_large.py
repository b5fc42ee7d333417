"""More than the service can take: refused in one sentence, within its memory, while others are answered."""

from __future__ import annotations

import http.client
import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from e2e.web.rest import Served, served

#: What is given to the service, and what its process may take beside: the program itself, and what is on its way.
MEMORY, PROGRAM = 1_000_000_000, 600_000_000


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("service")
    with served(folder, "--memory", "1GB", "--upload-limit", "8MB", anew=True) as found:
        yield found


def repeated(path: Path) -> None:
    """One long name, 25,000 times: 25 GB in a few hundred bytes."""
    name = pa.DictionaryArray.from_arrays(pa.array([0] * 25_000, pa.int32()), pa.array(["x" * 1_000_000]))
    table = pa.table({"name": name, "age": pa.array([30] * 25_000)})
    pq.write_table(table, path, compression="zstd", store_schema=False)


def many(path: Path) -> None:
    """The same number 60 million times in 4 columns: 2 GB in less than a MB."""
    names = [f"c{i}" for i in range(4)]
    million = pa.record_batch([pa.array([7]).take(pa.array([0] * 1_000_000))] * len(names), names=names)
    with pq.ParquetWriter(path, million.schema, compression="zstd", data_page_size=64 << 20) as writer:
        writer.write_table(pa.Table.from_batches([million] * 60), row_group_size=60_000_000)


def workbook(path: Path, size: int, told: int | None = None) -> None:
    """A sheet of spaces; `told` is what the archive says of its size, where that is a lie."""
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'spreadsheetml.sheet.main+xml"/></Types>',
        "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        '<sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        'relationships"><Relationship Id="r1" Target="worksheets/sheet1.xml" Type="http://schemas.openxmlformats.org/'
        'officeDocument/2006/relationships/worksheet"/></Relationships>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>')
            for _ in range(size >> 20):
                sheet.write(b" " * (1 << 20))
            sheet.write(b"</sheetData></worksheet>")
        if told is not None:
            entry = archive.getinfo("xl/worksheets/sheet1.xml")
            entry.file_size, entry.CRC = told, zlib.crc32(b" " * told)


def table(blocks: int) -> Iterator[bytes]:
    """A table of 100 kB for each block, as a form, made as it is sent."""
    yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="big.csv"\r\n\r\nage,sex\n'
    for _ in range(blocks):
        yield b"34,female\n" * 10_000
    yield b"\r\n--x--\r\n"


def sent(service: Served, told: int | None, blocks: int) -> tuple[http.client.HTTPResponse, dict[str, Any], int]:
    """Send a table block by block until the service has had enough; return what it answers, and how much was sent."""
    link = http.client.HTTPConnection("127.0.0.1", service.client.base_url.port or 0, timeout=60)
    link.putrequest("POST", "/api/v1/datasets")
    link.putheader("Authorization", service.client.headers["authorization"])
    link.putheader("Content-Type", "multipart/form-data; boundary=x")
    link.putheader(*(("Content-Length", str(told)) if told is not None else ("Transfer-Encoding", "chunked")))
    link.endheaders()
    gone = 0
    try:
        for block in table(blocks):
            link.send(block if told is not None else b"%x\r\n%s\r\n" % (len(block), block))
            gone += len(block)
        link.send(b"0\r\n\r\n" if told is None else b"")
    except OSError:  # the service does not listen any more
        pass
    answer = link.getresponse()
    body = json.loads(answer.read())
    link.close()
    return answer, body, gone


@pytest.mark.parametrize("told", [True, False])
def test_an_upload_beyond_the_limit_is_refused_before_all_of_it_is_sent(service: Served, told: bool) -> None:
    before = service.most_memory()
    answer, body, gone = sent(service, 300_000_000 if told else None, 3000)
    assert (answer.status, body["error"]["code"]) == (413, "too-large")
    assert body["error"]["message"] == "The file is larger than this service takes (8 MB)."
    assert gone < 100_000_000
    assert service.most_memory() < before + 50_000_000
    assert list(service.work.glob("servers/*/*")) == []
    assert service.get("/datasets") == []


def test_an_upload_within_the_limit_is_taken_as_it_comes(service: Served) -> None:
    answer, body, _ = sent(service, None, 70)
    assert (answer.status, body["rows"]) == (201, 700_000)
    assert service.client.delete(f"/datasets/{body['id']}").is_success


def upload(service: Served, path: Path) -> Any:
    return service.client.post("/datasets", files={"file": (path.name, path.read_bytes())})


@pytest.mark.parametrize("make", [repeated, many])
def test_check_31_a_parquet_file_that_unfolds_beyond_reason(service: Served, tmp_path: Path, make: Any) -> None:
    path = tmp_path / "bomb.parquet"
    make(path)
    assert path.stat().st_size < 8_000_000
    answer = upload(service, path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-input")
    assert answer.json()["error"]["message"].startswith("bomb.parquet unfolds to more than ")
    assert service.most_memory() < MEMORY + PROGRAM
    assert service.get("/datasets") == []


@pytest.mark.parametrize("told", [None, 1000])
def test_check_31_a_workbook_that_unpacks_beyond_its_memory(service: Served, tmp_path: Path, told: int | None) -> None:
    path = tmp_path / "bomb.xlsx"
    workbook(path, 1 << 30, told)
    answer = upload(service, path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-input")
    assert "bomb.xlsx" in answer.json()["error"]["message"]
    assert service.most_memory() < MEMORY + PROGRAM
    assert service.get("/datasets") == []
