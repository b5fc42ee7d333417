"""Files in object stores and on web servers: read through a real server, with the rights of the environment."""

from __future__ import annotations

import base64
import datetime
import gzip
import http.server
import io
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antifaz as az
from antifaz.core.errors import AntifazError, DataError, ParameterError
from antifaz.sources import places, reading
from antifaz.sources.file_format import ReadOptions
from antifaz.sources.place_address import has_secret, is_place, parse_place
from antifaz.sources.places import RemotePath
from failing import failing

TEXT = "name;age\nAna;31\nLuis;42\n"
TABLE = pa.table({"age": [31, 42], "city": ["Sevilla", None]})


def parquet() -> bytes:
    made = io.BytesIO()
    pq.write_table(TABLE, made)
    return made.getvalue()


def put(store: Any, path: str, content: bytes) -> None:
    with store.open_output_stream(path) as file:
        file.write(content)


def test_every_kind_of_file_is_read_from_a_store(bucket: tuple[Any, str], monkeypatch: pytest.MonkeyPatch) -> None:
    store, name = bucket
    put(store, f"{name}/in/people.csv", TEXT.encode("cp1252"))
    put(store, f"{name}/in/people.csv.gz", gzip.compress(TEXT.encode()))
    put(store, f"{name}/in/packed", gzip.compress(TEXT.encode()))
    put(store, f"{name}/in/people.parquet", parquet())
    for file in ("people.csv", "people.csv.gz", "packed"):
        with az.open(f"s3://{name}/in/{file}") as data:
            assert data.to_arrow().to_pydict() == {"name": ["Ana", "Luis"], "age": ["31", "42"]}
            assert file in data.notes[0]
    with az.open(f"s3://{name}/in/people.parquet") as data:
        assert data.to_arrow() == TABLE
    # A large text is not held in memory, as all else is.
    monkeypatch.setattr(reading, "_MOST_UNPACKED", 40)
    with az.open(f"s3://{name}/in/people.csv") as data:
        assert data.rows == 2
    with failing("place.too-large-for-memory", DataError, file="people.parquet"):
        az.open(f"s3://{name}/in/people.parquet")


def test_a_faulty_file_in_a_store_is_offered_its_repairs(bucket: tuple[Any, str]) -> None:
    store, name = bucket
    put(store, f"{name}/odd.csv", b"a,b\n1\n2,3\n")
    with failing("file.repairable", DataError):
        az.open(f"s3://{name}/odd.csv")
    with az.open(f"s3://{name}/odd.csv", repair=["short-rows"]) as data:
        assert data.rows == 2


def test_a_file_that_changes_meanwhile_is_refused(bucket: tuple[Any, str]) -> None:
    store, name = bucket
    put(store, f"{name}/people.csv", TEXT.encode())
    reader = reading.read(path := RemotePath.of(f"s3://{name}/people.csv"), ReadOptions())
    put(store, f"{name}/people.csv", TEXT.encode() + b"Eva;50\n")
    with failing("place.changed", DataError, place=path.place.shown):
        path.open("rb")
    assert reader.schema.names == ["name", "age"]


def test_what_is_wrong_with_a_store_is_one_sentence(bucket: tuple[Any, str], monkeypatch: pytest.MonkeyPatch) -> None:
    store, name = bucket
    put(store, f"{name}/empty.csv", b"")
    for path, code in (("nothing.csv", "place.not-found"), ("empty.csv", "file.empty")):
        with failing(code, DataError):
            az.open(f"s3://{name}/{path}")
    with failing("place.not-found", DataError, place="s3://no-such-bucket-here/people.csv"):
        az.open("s3://no-such-bucket-here/people.csv")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with failing("place.not-reached", DataError, place=f"s3://{name}/people.csv"):
        az.open(f"s3://{name}/people.csv")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("AWS Error ACCESS_DENIED during HeadObject operation: key somebody", "place.not-permitted"),
        ("AWS Error INVALID_ACCESS_KEY_ID during GetObject", "place.not-permitted"),
        (
            "google::cloud::Status(PERMISSION_DENIED: Ana does not have storage.objects.get access)",
            "place.not-permitted",
        ),
        ("AWS Error NO_SUCH_BUCKET during ListObjectsV2", "place.not-found"),
        ("AWS Error NETWORK_CONNECTION during HeadObject: curlCode: 7", "place.not-reached"),
        ("Unable to load libhdfs: cannot open shared object file", "place.needs-hadoop"),
        ("something else about Ana", "place.failed"),
    ],
)
def test_the_words_of_a_store_are_not_repeated(said: str, code: str) -> None:
    with failing(code, DataError, place="s3://b/k") as caught, places.place_errors(parse_place("s3://b/k")):
        raise OSError(said)
    assert "Ana" not in str(caught.value)
    assert "somebody" not in str(caught.value)


def test_hdfs_without_hadoop_says_what_is_needed() -> None:
    with failing("place.needs-hadoop", DataError, place="hdfs://host/people.csv"):
        az.open("hdfs://host/people.csv", engine="local")


# -- addresses


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("s3://AKIA:very/secret@bucket/people.csv", "place.login-in-address"),
        ("s3://AKIA@bucket/people.csv", "place.login-in-address"),
        ("https://ana:secret@host/people.csv", "place.login-in-address"),
        ("hdfs://ana:secret@host/people.csv", "place.login-in-address"),
        ("s3://bucket", "place.without-path"),
        ("s3:///people.csv", "place.without-path"),
        ("http://example.org/people.csv", "place.not-encrypted"),
    ],
)
def test_a_wrong_address_is_not_repeated(address: str, code: str) -> None:
    with failing(code, ParameterError) as caught:
        parse_place(address)
    assert "secret" not in str(caught.value)
    assert "AKIA" not in str(caught.value)


def test_an_address_is_taken_apart() -> None:
    place = parse_place("https://host:8443/data/a%20b.csv?token=abc#top")
    assert (place.name, place.shown) == ("a b.csv", "https://host:8443/data/a%20b.csv")
    assert "abc" not in repr(place)
    assert parse_place("s3://bucket/a?b#c.csv").inner == "bucket/a?b#c.csv"
    assert parse_place("hdfs://host:8020/a/b.csv").inner == "/a/b.csv"
    assert [is_place(each) for each in ("s3://b/k", "S3://b/k", "s3a://b/k", "C://x", Path("s3://b"), "a.csv")] == [
        True, True, False, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("address", "secret"),
    [
        ("https://host/a.csv?X-Amz-Signature=1&x=2", True),
        ("https://host/a.csv?sv=1&sig=abc", True),
        ("https://host/a.csv?access_token=abc", True),
        ("https://ana@host/a.csv", True),
        ("https://host/a.csv?accessType=DOWNLOAD&keyword=age", False),
        ("s3://bucket/a?sig=1", False),
    ],
)
def test_signed_addresses_are_known(address: str, secret: bool) -> None:
    assert has_secret(address) is secret


# -- web servers


class _Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.seen.append((self.path, self.headers.get("Authorization")))  # type: ignore[attr-defined]
        path = self.path.partition("?")[0]
        headers = {"Content-Type": "text/csv"}
        status, body = 200, TEXT.encode()
        if path == "/page":
            headers["Content-Type"] = "text/html; charset=utf-8"
        elif path == "/download/7":
            headers["Content-Disposition"] = 'attachment; filename="../people.parquet"'
            body = parquet()
        elif path == "/moved":
            status, headers["Location"] = 302, "/people.csv"
        elif path == "/unsafe":
            status, headers["Location"] = 302, "http://example.org/people.csv"
        elif path != "/people.csv":
            status, body = {"/private": 403, "/login": 401}.get(path, 404), b"Ana is not here"
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def web() -> Iterator[tuple[str, list[Any]]]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Pages) as server:
        server.seen = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", server.seen  # type: ignore[attr-defined]
        server.shutdown()


def test_a_file_of_a_web_server_is_fetched_once(
    web: tuple[str, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, seen = web
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ana password secret\n")
    (tmp_path / ".netrc").chmod(0o600)
    with az.open(f"{address}/people.csv?sig=abc") as data:
        assert data.to_arrow().to_pydict() == {"name": ["Ana", "Luis"], "age": ["31", "42"]}
        assert data.notes[0].startswith("people.csv: delimiter ;")
    assert seen == [("/people.csv?sig=abc", "Basic " + base64.b64encode(b"ana:secret").decode())]
    with az.open(f"{address}/moved") as data:
        assert data.rows == 2
    with az.open(f"{address}/download/7") as data:
        assert data.to_arrow() == TABLE


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("page", "place.is-a-page"),
        ("unsafe", "place.not-encrypted"),
        ("private", "place.not-permitted"),
        ("login", "place.not-permitted"),
        ("nothing.csv", "place.not-found"),
    ],
)
def test_what_a_web_server_refuses_is_one_sentence(web: tuple[str, list[Any]], path: str, code: str) -> None:
    with failing(code, AntifazError) as caught:
        az.open(f"{web[0]}/{path}?token=abc")
    assert "abc" not in str(caught.value)
    assert "Ana" not in str(caught.value)


def certificate(folder: Path) -> Path:
    """Make a certificate of this machine that nobody trusts yet, with its key in one file."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder(
        name,
        name,
        key.public_key(),
        x509.random_serial_number(),
        now - datetime.timedelta(1),
        now + datetime.timedelta(1),
    ).add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "server.pem").write_bytes(secret + made.sign(key, hashes.SHA256()).public_bytes(pem))
    return folder / "server.pem"


def test_a_server_is_trusted_by_its_certificate_only(
    web: tuple[str, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with failing("place.not-reached", DataError):  # a server that speaks no TLS
        az.open(web[0].replace("http://", "https://") + "/people.csv")
    assert web[1] == []
    made = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Pages) as server:
        server.seen = []  # type: ignore[attr-defined]
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"https://localhost:{server.server_port}/people.csv"
        with failing("place.certificate", DataError, place=address):
            az.open(address)
        monkeypatch.setenv("SSL_CERT_FILE", str(made))
        with az.open(address) as data:
            assert data.rows == 2
        server.shutdown()
