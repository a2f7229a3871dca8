"""Names of folders and files."""

from __future__ import annotations

import pytest

from flows.builders import flow, node
from versiondiff import flows
from versiondiff.errors import InvalidInput
from versiondiff.flows import folder_name, slug

ID = "1f2e3d4c-5b6a-4978-8695-a4b3c2d1e0f9"

HOSTILE = [
    "a/b",
    "..",
    ".",
    "../../etc/hosts",
    "x\0y",
    ".git",
    "git~1",
    "i" * 500,
    "😀😀",
    "Node",
    "node",
    "NODE",
    "con",
    "COM1",
    "trailing.",
    "trailing..",
    " ",
    "",
    "x.definition",
    "x",
    "nodé",
    "-x",
    "a\nb",
    "\u202eevil",
    "\ud800",
    "C:\\x",
    "a:b",
]
RESERVED = {"con", "prn", "aux", "nul", "com1", "lpt1"}


def assert_safe(path: str) -> None:
    """A path that every system can hold, inside of the folder."""
    for part in path.split("/"):
        assert part not in {"", ".", "..", ".git"}
        assert len(part) < 200
        assert part.isascii()
        assert part.isprintable()
        assert not set(part) & set('\\:*?"<>|')
        assert not part.endswith((".", " "))
        assert part.split(".")[0].casefold() not in RESERVED
        assert not part.startswith("-")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Bakery helper", "bakery-helper"),
        ("  Bakery -- Helper! ", "bakery-helper"),
        ("Bäckerei & Söhne", "b-ckerei-s-hne"),
        ("x" * 60, "x" * 40),
        ("a" * 39 + " b", "a" * 39),
        ("😀", "flow"),
        ("パン屋", "flow"),
        ("", "flow"),
        ("../..", "flow"),
        ("CON", "con"),
        ("K", "k"),  # the Kelvin sign, which is k in lower case
    ],
)
def test_slugs(name: str, expected: str) -> None:
    assert slug(name) == expected


def test_folders() -> None:
    assert folder_name("Bakery helper", ID) == "bakery-helper--1f2e3d4c"
    assert folder_name("", ID) == "flow--1f2e3d4c"
    whole = f"bakery-helper--{ID}"
    assert folder_name("Bakery helper", ID, {"bakery-helper--1f2e3d4c"}) == whole
    assert folder_name("Bakery helper", ID, {"BAKERY-helper--1F2E3D4C"}) == whole
    last = folder_name("Bakery helper", ID, {"bakery-helper--1f2e3d4c", whole.upper()})
    assert last.startswith(f"bakery-helper--{ID}~")


def test_a_flow_without_an_id_has_no_folder() -> None:
    with pytest.raises(InvalidInput):
        folder_name("Bakery helper", " ")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_folders(text: str) -> None:
    assert_safe(folder_name(text, ID))
    if text.strip():
        assert_safe(folder_name("x", text))
        assert_safe(folder_name("x", text, {folder_name("x", text)}))


def test_hostile_nodes() -> None:
    one = {"nodes": [node(of, {"prompt": "x", of: "a\nb"}) for of in HOSTILE], "edges": []}
    files = flows.write_flow(one)
    for path in files:
        assert_safe(path)
    assert len({path.casefold() for path in files}) == len(files)
    assert len(files) >= 3 + 3 * len(HOSTILE)
    assert flows.read_flow(files).flow == one
    assert flows.read_flow(files, current=one).flow == one


def test_plain_names_stay() -> None:
    assert "nodes/chatOpenAI_0.json" in flows.write_flow(
        {"nodes": [node("chatOpenAI_0", {}), node("chatOpenAI_1", {})], "edges": []}
    )


def test_files_of_nodes_do_not_depend_on_their_order() -> None:
    steps = [node(of, {"prompt": of}) for of in HOSTILE]
    one = flows.write_flow({"nodes": steps, "edges": []})
    other = flows.write_flow({"nodes": steps[::-1], "edges": []})
    one.pop("flow.json")
    other.pop("flow.json")
    assert one == other


def test_nodes_of_one_id_are_all_kept() -> None:
    steps = [node("a", {"plain": str(at), "secretPin": f"pin {at}"}) for at in range(3)]
    steps += [node("", {"plain": "blank"}), {"id": None}, {"position": {}}, {"id": 7, "data": 3}]
    one = {"nodes": steps, "edges": []}
    written = flows.write_flow_files(one)
    assert flows.read_flow(written.files, current=one) == (one, ())
    assert [path for path in written.files if path.startswith("nodes/a")] == [
        "nodes/a.definition.json",
        "nodes/a.json",
        "nodes/a~2.definition.json",
        "nodes/a~2.json",
        "nodes/a~3.definition.json",
        "nodes/a~3.json",
    ]
    assert written.warnings == ("3 nodes with the id a", "3 nodes without an id")


def test_warnings_are_safe_to_show() -> None:
    steps = [node("a\x1b[31m\nb", {})] * 2
    (warning,) = flows.write_flow_files({"nodes": steps, "edges": []}).warnings
    assert warning.isprintable()


def test_no_warning_for_a_plain_flow() -> None:
    assert flows.write_flow_files(flow({})).warnings == ()
