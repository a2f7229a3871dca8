"""Flows, formats, records: folders of files, and values that say what they mean."""

from __future__ import annotations

import itertools
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from flow_folders import bakery
from flows.builders import flow, node, stored, without_state
from fuzz.mutator import as_it_is, in_bytes, in_json
from fuzz.target import IN_MEMORY, LANGUAGES, FilesTarget, Refused, TextTarget
from fuzz.targets.texts import GOLDEN, assert_harmless
from planted import github_token
from version_diffs.parsing import assert_holds
from versiondiff import (
    File,
    Format,
    Limits,
    Mode,
    Rewrites,
    change_record,
    flows,
    formats,
    render,
    render_comments,
    render_outcome,
    render_warnings,
    scan,
    tree_delta,
    version_diff,
)
from versiondiff.demo import cas_a
from versiondiff.flows.history.bookkeeping import are_same
from versiondiff.flows.history.changes import describe_change
from versiondiff.flows.history.tree import head_of

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from fuzz.target import Pair

__all__ = ["TARGETS", "tsugumi"]


# ── Flows ───────────────────────────────────────────────────────────────────────────────────────


def flow_seeds() -> list[bytes]:
    inputs = {
        "prompt": "a\nb", "secretPin": "1234", "messages": [{"role": "user", "content": "x\ny"}],
        "credential": "6b1f2a52-9f0e-4c3a-8a4e-1d2c3b4a5f60", "headers": '{"apiKey": "hunter22"}',
        "code": f"use {github_token(1)}",
    }  # fmt: skip
    whole = flow(inputs)
    whole["nodes"].append(node("chatOpenAI_0", {"plain": "{{step_0.data.instance}}"}))
    whole["edges"] = [
        {"id": "e", "source": "step_0", "target": "chatOpenAI_0", "data": {"label": "x"}}
    ]
    real = [path for path in (GOLDEN / "flows").rglob("*.json") if path.stat().st_size < 6_000]
    return [
        json.dumps(whole).encode(),
        json.dumps(stored(whole)).encode(),
        json.dumps({"AgentFlow": [stored(whole)], "Tool": [{}]}).encode(),
        *(path.read_bytes() for path in sorted(real)[:4]),
    ]


FLOW_WORDS: Final = (
    b"$text", b"$secret", b"$literal", b"$json", b"$credential", b"[secret hidden]", b"nodes",
    b"edges",
    b"flowData", b"prompt", b"apiKey", b"password", b"inputs", b"inputParams", b"credential",
    b"FLOWISE_CREDENTIAL_ID", b"data", b"id", b"prompts/a.md", b"a\nb", b'{"a":[1.0]}', b"step_0",
    b"data:a/b;base64,QUJD", b"folderPath", b"undefined", b"viewport", b"nodes/step_0.json",
)  # fmt: skip


def flow_writing(data: bytes, _dice: random.Random) -> None:
    """Every flow that can be written comes back."""
    for one in flows.split_bulk(data):
        written = flows.write_flow_files(one)
        # Ids are not hidden: what is found in them is refused when it is committed.
        flows.scan_files(written)
        read, unresolved = flows.read_flow(written.files, current=one)
        assert unresolved == ()
        assert flows.write_flow(read) == written.files
        if "flowData" not in one and all(isinstance(of.get("data"), dict) for of in one["nodes"]):
            assert bare(read) == bare(one)
        again = flows.read_flow(written.files)
        flows.write_flow(again.flow)


def bare(one: Any) -> Any:
    """A flow without what is selected or dragged, wherever it is said."""
    made = without_state(one)
    for step in made["nodes"]:
        step["data"].pop("dragging", None)
    return made


def flow_files() -> list[dict[str, bytes]]:
    return [flows.write_flow(seed) for seed in flow_seeds()[:2]] + [
        {path.split("/", 2)[2]: content for path, content in bakery().items() if "/" in path}
    ]


def flow_reading(pair: Pair, _dice: random.Random) -> None:
    """Files of a folder that anyone edited, beside a flow as it is now."""
    read = flows.read_flow(pair.new)
    written = flows.write_flow(read.flow)
    now = flows.read_flow(pair.old).flow
    flows.read_flow(pair.new, current=now)
    flows.read_flow(written, current=now)


def flow_changes(pair: Pair, dice: random.Random) -> None:
    """What a commit says of two versions of a folder."""
    said = describe_change(pair.old, pair.new, language=dice.choice(LANGUAGES))
    for line in (said.subject, *said.body):
        assert_harmless(line)
    assert are_same(pair.old, pair.old)
    are_same(pair.old, pair.new)


def flow_head(data: bytes, _dice: random.Random) -> None:
    head = head_of(data)
    if head is not None:
        # What can stand in a commit.
        (head.id + head.name).encode()


# ── Records ─────────────────────────────────────────────────────────────────────────────────────


def tsugumi() -> list[dict[str, bytes]]:
    """Two versions of a project that has all that a project can have."""
    history = cas_a()
    files: dict[str, bytes] = {}
    made = []
    for version in history.versions:
        for path, content in version.files.items():
            if content is None:
                files.pop(path, None)
            elif isinstance(content, str):
                files[path] = content.encode()
            elif content.text is not None:
                files[path] = content.text.encode()
            elif content.base64 is not None:
                files[path] = content.base64
        made.append(dict(files))
    return made[-2:] if len(made) > 1 else made


def projects() -> list[dict[str, bytes]]:
    folders = sorted((GOLDEN / "flows").iterdir())
    flowise = [
        {path.name: path.read_bytes() for path in (folder / side).iterdir()}
        for folder in folders
        for side in ("old", "new")
        if (folder / side).is_dir()
    ]
    small = [files for files in flowise if sum(map(len, files.values())) < 8_000]
    return [*tsugumi(), bakery(), bakery("Other.\n", version=3), *small]


FORMAT_NAMES: Final = ("tsugumi", "flow", "flowise")


def records(pair: Pair, dice: random.Random) -> None:
    """What changed, in words, and back."""
    meaning = dice.choice((None, None, *FORMAT_NAMES))
    record = change_record(pair.old, pair.new, format=meaning)
    text = msgspec.json.encode(record)
    assert msgspec.json.decode(text, type=type(record)) == record
    language = dice.choice(LANGUAGES)
    for line in (
        render(record, language=language), *render_comments(record, language=language),
        *render_warnings(record, language=language),
    ):  # fmt: skip
        assert_harmless(line)
    assert change_record(pair.new, pair.new, format=record.format).nodes == ()


def diffs(pair: Pair, dice: random.Random) -> None:
    """What a model may see of it."""
    limits = Limits(file=dice.choice((0, 50, 300, 4_000)), total=dice.choice((0, 60, 900, 12_000)))
    language = dice.choice(LANGUAGES)
    diff = version_diff(
        *pair,
        format=dice.choice((None, "tsugumi", EVERYTHING, EVERYTHING)),
        limits=limits,
        on_secret=dice.choice(("redact", "redact", "fail")),
        json=dice.choice(("canonical", "as_written")),
        language=language,
        rewrites=dice.choice(tuple(Rewrites)),
    )
    assert msgspec.json.decode(msgspec.json.encode(diff), type=type(diff)) == diff
    assert_holds(diff, limits, language)
    assert scan(diff.text) == ()
    for line in render_outcome(diff, language=language):
        assert_harmless(line)


EVERYTHING: Final = msgspec.structs.replace(
    formats.builtin("tsugumi"), visible=("**",), withheld=(), name="everything"
)


def deltas(pair: Pair, dice: random.Random) -> None:
    """Of mappings, and of the same in directories."""
    old: dict[str, bytes | File] = dict(pair.old)
    for path in list(old):
        if dice.random() < 0.1:
            old[path] = File(old[path], dice.choice((Mode.LINK, Mode.EXECUTABLE)))  # type: ignore[arg-type]
    rewrites = dice.choice(tuple(Rewrites))
    delta = tree_delta(old, pair.new, rewrites=rewrites)
    assert msgspec.json.decode(msgspec.json.encode(delta), type=type(delta)) == delta
    names = sorted(pair.new)[:2]
    tree_delta(old, pair.new, paths=[*names, dice.choice(("", ".", "a/", "../a", "a\0"))])
    if dice.random() < 0.05:
        with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
            written = on_disk(pair.new, Path(folder))
            assert tree_delta(written, folder).changes == ()
            assert tree_delta(old, folder, rewrites=rewrites).changes is not None


def on_disk(files: Mapping[str, bytes], folder: Path) -> dict[str, bytes]:
    """Write the files that can be written; those."""
    written: dict[str, bytes] = {}
    for path, content in files.items():
        parts = path.split("/")
        if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
            continue
        place = folder / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        except (OSError, ValueError):
            continue
        written[path] = content
    return written


# ── Formats ─────────────────────────────────────────────────────────────────────────────────────


def format_seeds() -> list[bytes]:
    return [msgspec.json.encode(formats.builtin(name)) for name in FORMAT_NAMES]


FORMAT_WORDS: Final = (
    b"*", b"**", b"a/*/b", b"[a-z]", b"{a,b}", b"\\", b"/", b"in_file", b"folder", b"a.b",
    b"*.json",
    b"{node}", b"!", b"[", b"{{{{{{", b"$",
)  # fmt: skip
_PAIRS: Final[list[tuple[Mapping[str, bytes], Mapping[str, bytes]]]] = []


def format_values(data: bytes, dice: random.Random) -> None:
    """A format from anyone: refused, or good for records of anything."""
    if not _PAIRS:
        found = projects()
        _PAIRS.extend(itertools.pairwise(found))
    core = type(formats.handle("flow")).from_json(data)
    assert type(core).from_json(core.to_json()).to_json() == core.to_json()
    assert core.name is not None
    try:
        value = msgspec.json.decode(data, type=Format)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused from error
    value.check()
    old, new = dice.choice(_PAIRS)
    record = change_record(dict(old), dict(new), format=value)
    assert_harmless(render(record))
    version_diff(dict(old), dict(new), format=value)


def format_files(data: bytes, _dice: random.Random) -> None:
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        path = Path(folder, "format.json")
        path.write_bytes(data)
        formats.load(path)


JSONS: Final = (in_json, in_json, in_json, in_bytes)

TARGETS: Final = (
    TextTarget("flow-writing", flow_writing, flow_seeds, mutations=JSONS, words=FLOW_WORDS,
    share=25),
    FilesTarget("flow-reading", flow_reading, flow_files, words=FLOW_WORDS, share=25),
    FilesTarget("flow-change", flow_changes, flow_files, words=FLOW_WORDS, share=8),
    TextTarget("flow-head", flow_head, lambda: [files["flow.json"] for files in flow_files()],
               mutations=JSONS, words=FLOW_WORDS, share=20),
    FilesTarget("change-record", records, projects, words=FLOW_WORDS, core=("change_record",),
    share=25),
    FilesTarget(
        "version-diff", diffs, projects, core=("DiffOptions", "version_diff"), share=25,
        words=(*FLOW_WORDS, github_token(4).encode(), b"\n", b"\r\n", b"\xe2\x80\xae", b"\0"),
    ),
    FilesTarget("tree-delta", deltas, projects, core=("tree_delta",), share=30),
    TextTarget("format-value", format_values, format_seeds, mutations=JSONS, words=FORMAT_WORDS,
               core=("Format",), share=20),
    TextTarget("format-file", format_files, format_seeds, mutations=(as_it_is, *JSONS),
               words=FORMAT_WORDS, share=6),
)  # fmt: skip
