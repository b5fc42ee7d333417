"""Files before they are open, by REST: seen by who sent them only, in their language, and gone when they finish."""

API = "/api/v1"
ODD = b",a,b\n1,2,x\n2,3,y\n"


def test_a_file_is_handed_over_looked_at_and_opened(program, stranger, service):
    made = program.post(f"{API}/files", files={"file": ("odd.csv", ODD)})
    assert made.status_code == 201, made.text
    assert (made.json()["name"], made.json()["bytes"]) == ("odd.csv", len(ODD))
    path = f"{API}/files/{made.json()['id']}"
    for ask in ("look", "open"):
        assert stranger.post(f"{path}/{ask}", json={}).status_code == 401
    found = program.post(f"{path}/look", json={}, headers={"accept-language": "es"}).json()
    assert found["fault"]["columns"] == [1] and "columna" in found["fault"]["message"]
    assert found["fault"]["reason"] == "header.column-without-name"
    assert [(one["name"], one["chosen"]) for one in found["repairs"]] == [("unnamed-column", False)]
    refused = program.post(f"{path}/open", json={})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad-input")
    opened = program.post(f"{path}/open", json={"options": {"repair": ["unnamed-column"]}})
    assert opened.status_code == 201, opened.text
    assert [column["name"] for column in opened.json()["columns"]] == ["column_1", "a", "b"]
    assert program.post(f"{path}/look", json={}).status_code == 404


def test_who_finishes_leaves_no_file_waiting(program, service, tmp_path):
    id = program.post(f"{API}/files", files={"file": ("odd.csv", ODD)}).json()["id"]
    (tmp_path / "own.csv").write_bytes(ODD)
    own = program.post(f"{API}/files/path", json={"path": str(tmp_path / "own.csv")})
    assert own.json()["origin"] == "path"
    assert program.delete(f"{API}/files/{own.json()['id']}").json() == {"erased": []}
    erased = program.post(f"{API}/finish", json={}).json()["erased"]
    assert {"where": "odd.csv", "what": "the uploaded file and its key", "gone": True} in erased
    assert program.post(f"{API}/files/{id}/look", json={}).status_code == 404
    assert list(service.vault.folder.iterdir()) == []
