"""Every sentence in both languages, word for word.

`sentences.txt` holds a section a case. To take over an intended change of wording, run
`python tests/golden/test_sentences.py` and read the difference before committing it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from versiondiff import records, wording
from versiondiff.errors import InvalidInput
from versiondiff.records import (
    Actor,
    ChangeRecord,
    CommentChange,
    CommentKind,
    CredentialChange,
    DefinitionChange,
    EditKind,
    Failure,
    FailureCode,
    FileChange,
    FileChangeKind,
    FlowChange,
    FlowChangeKind,
    MatchReason,
    NodeChange,
    NodeName,
    ParameterChange,
    ParameterChangeKind,
    PinChange,
    SettingChange,
    Side,
    WarningCode,
    WireChange,
)
from versiondiff.rendering import render, render_comments, render_failure, render_warnings

if TYPE_CHECKING:
    from versiondiff.wording import Language

GOLDEN: Final = Path(__file__).with_name("sentences.txt")
LANGUAGES: Final[tuple[Language, ...]] = ("en", "ja")


def added(
    name: str, *, flow: str = "", flow_name: str = "", replaces: str | None = None
) -> NodeChange:
    return NodeChange(
        kind=EditKind.ADDED,
        id=name,
        name=name,
        flow=flow,
        flow_name=flow_name,
        replaces=replaces,
    )


def removed(
    name: str, *, flow: str = "", flow_name: str = "", replaced_by: str | None = None
) -> NodeChange:
    return NodeChange(
        kind=EditKind.REMOVED,
        id=name,
        name=name,
        flow=flow,
        flow_name=flow_name,
        replaced_by=replaced_by,
    )


def changed(
    name: str,
    *,
    definition: DefinitionChange | None = None,
    source: tuple[FileChange, ...] = (),
    parameters: tuple[ParameterChange, ...] = (),
    credentials: tuple[CredentialChange, ...] = (),
    wiring: tuple[WireChange, ...] = (),
    former_name: str | None = None,
    flow: str = "",
) -> NodeChange:
    return NodeChange(
        kind=EditKind.CHANGED,
        id=name,
        name=name,
        former_name=former_name,
        flow=flow,
        flow_name=flow.removesuffix(".json"),
        definition=definition,
        source=source,
        parameters=parameters,
        credentials=credentials,
        wiring=wiring,
    )


def edited(*names: str) -> tuple[ParameterChange, ...]:
    return tuple(ParameterChange(name=name, kind=ParameterChangeKind.EDITED) for name in names)


def file(path: str, kind: FileChangeKind = FileChangeKind.EDITED) -> FileChange:
    return FileChange(kind=kind, path=path)


def wire(kind: EditKind, node: str, input: str = "", output: str = "") -> WireChange:
    return WireChange(kind=kind, node=node, node_name=node, input=input, output=output)


def same_name(kind: EditKind, node: str, input: str = "") -> WireChange:
    return WireChange(kind=kind, node=node, node_name="Prompt Template", input=input)


def setting(name: str, pin: PinChange | None = None, flow: str = "") -> SettingChange:
    return SettingChange(
        kind=EditKind.CHANGED,
        name=name,
        pin=pin,
        flow=flow,
        flow_name=flow.removesuffix(".json"),
    )


def tsugumi(*nodes: NodeChange, settings: tuple[SettingChange, ...] = ()) -> ChangeRecord:
    return ChangeRecord(format="tsugumi", nodes=nodes, settings=settings)


def flowise(
    *nodes: NodeChange,
    flows: tuple[FlowChange, ...] = (),
    settings: tuple[SettingChange, ...] = (),
    moved: int = 0,
) -> ChangeRecord:
    return ChangeRecord(format="flowise", nodes=nodes, flows=flows, settings=settings, moved=moved)


def flow(kind: FlowChangeKind, name: str, nodes: int = 0) -> FlowChange:
    return FlowChange(kind=kind, flow=f"{name}.json", name=name, nodes=nodes)


NEW_VERSION: Final = DefinitionChange(old_version="5", new_version="6", parts=("inputParams",))

RECORDS: Final[dict[str, ChangeRecord]] = {
    "nothing": tsugumi(),
    "only counts that are never shown": ChangeRecord(
        format="tsugumi", format_only=3, other_files=2
    ),
    "added, removed and changed": tsugumi(
        changed(
            "bands",
            source=(file("main.py"),),
            parameters=edited("lo", "hi"),
            wiring=(wire(EditKind.ADDED, "load", "events"),),
        ),
        added("load"),
        removed("stretch"),
        settings=(setting("nixpkgs", PinChange.PINNED), setting("trigger")),
    ),
    "entries beyond six": tsugumi(
        *(changed(f"card{number}", parameters=edited("a")) for number in range(5)),
        added("load"),
        removed("old1"),
        removed("old2"),
        removed("old3"),
    ),
    "names beyond six": tsugumi(
        changed(
            "bands",
            source=tuple(file(f"{number}.py") for number in range(7)),
            parameters=edited(*"abcdefgh"),
        ),
        settings=tuple(setting(name) for name in "abcdefghi"),
    ),
    "renamed": tsugumi(changed("grid2", former_name="grid")),
    "renamed and more": tsugumi(
        changed("grid2", former_name="grid", definition=DefinitionChange(parts=("default.nix",)))
    ),
    "definition": tsugumi(changed("bands", definition=DefinitionChange(parts=("_card.json",)))),
    "definition versions": flowise(
        changed("a", definition=NEW_VERSION),
        changed("b", definition=DefinitionChange(new_version="2")),
        changed("c", definition=DefinitionChange(old_version="1")),
    ),
    "source": tsugumi(
        changed(
            "bands",
            source=(
                file("main.py"),
                file("new.py", FileChangeKind.ADDED),
                file("old.py", FileChangeKind.REMOVED),
                file("run.sh", FileChangeKind.MODE),
                FileChange(kind=FileChangeKind.RENAMED, path="b.py", former_path="a.py"),
            ),
        )
    ),
    "parameters": tsugumi(
        changed(
            "bands",
            parameters=(
                ParameterChange(name="a", kind=ParameterChangeKind.ADDED),
                ParameterChange(name="b", kind=ParameterChangeKind.EDITED),
                ParameterChange(name="c", kind=ParameterChangeKind.REMOVED),
            ),
        )
    ),
    "parameters with labels": flowise(
        changed(
            "Chain",
            parameters=(
                ParameterChange(name="a", kind=ParameterChangeKind.EDITED, label="System\nMessage"),
                ParameterChange(name="b.c", kind=ParameterChangeKind.EDITED, label="x" * 90),
                ParameterChange(name="d", kind=ParameterChangeKind.EDITED),
                # What two of them share tells nothing apart.
                ParameterChange(name="e", kind=ParameterChangeKind.EDITED, label="Name"),
                ParameterChange(name="f", kind=ParameterChangeKind.EDITED, label="Name"),
            ),
            wiring=(
                WireChange(
                    kind=EditKind.ADDED,
                    node="m",
                    node_name="LLM",
                    input="model",
                    label="Chat Model",
                ),
            ),
        )
    ),
    "credentials with names": flowise(
        *(
            changed(
                kind.value,
                credentials=(
                    CredentialChange(kind=kind, old_name=old, new_name=new),
                    CredentialChange(
                        kind=kind,
                        input="agentModelConfig",
                        label="Model",
                        old_name=old,
                        new_name=new,
                    ),
                ),
            )
            for kind, old, new in (
                (EditKind.ADDED, "", "Main\u202e"),
                (EditKind.CHANGED, "Main", "Test"),
                (EditKind.REMOVED, "Main", ""),
            )
        )
    ),
    "credentials without names": flowise(
        *(
            changed(
                kind.value,
                credentials=(
                    CredentialChange(kind=kind),
                    CredentialChange(kind=kind, input="agentModelConfig"),
                ),
            )
            for kind in EditKind
        )
    ),
    "credentials of which one name is known": flowise(
        changed("gone", credentials=(CredentialChange(kind=EditKind.CHANGED, old_name="Main"),)),
        changed("now", credentials=(CredentialChange(kind=EditKind.CHANGED, new_name="Main"),)),
        changed(
            "type",
            credentials=(
                CredentialChange(kind=EditKind.CHANGED, old_name="Main", new_name="Main"),
            ),
        ),
    ),
    "defaults": flowise(
        changed(
            "Chain",
            parameters=(
                ParameterChange(name="a", kind=ParameterChangeKind.DEFAULT_ADDED),
                ParameterChange(name="b", kind=ParameterChangeKind.EDITED),
                ParameterChange(name="c", kind=ParameterChangeKind.DEFAULT_REMOVED),
                ParameterChange(name="d", kind=ParameterChangeKind.DEFAULT_CHANGED),
            ),
        )
    ),
    "defaults that a definition brings": flowise(
        changed(
            "Chain",
            definition=NEW_VERSION,
            parameters=(
                ParameterChange(name="a", kind=ParameterChangeKind.DEFAULT_ADDED),
                ParameterChange(name="b", kind=ParameterChangeKind.EDITED),
            ),
        )
    ),
    "wiring": tsugumi(
        changed(
            "bands",
            wiring=(
                wire(EditKind.ADDED, "load", "events"),
                wire(EditKind.ADDED, "grid"),
                wire(EditKind.REMOVED, "stretch", "image"),
                wire(EditKind.REMOVED, "spectrum"),
            ),
        )
    ),
    "wires that differ in their output": tsugumi(
        changed(
            "bands",
            wiring=(
                wire(EditKind.ADDED, "load", "events", "a"),
                wire(EditKind.ADDED, "load", "events", "b"),
                wire(EditKind.ADDED, "grid", "mask", "new"),
                wire(EditKind.REMOVED, "grid", "mask", "old"),
                wire(EditKind.ADDED, "rgb", "", "new"),
                wire(EditKind.REMOVED, "rgb", "", "old"),
            ),
        )
    ),
    "wires from nodes of the same name": flowise(
        changed(
            "Chain",
            wiring=(
                same_name(EditKind.ADDED, "prompt_1", "prompt"),
                same_name(EditKind.REMOVED, "prompt_0", "prompt"),
                same_name(EditKind.ADDED, "prompt_1"),
                same_name(EditKind.REMOVED, "prompt_0"),
                same_name(EditKind.ADDED, "prompt_2", "documents"),
                same_name(EditKind.ADDED, "prompt_3", "documents"),
            ),
        )
    ),
    "order of outputs": flowise(
        NodeChange(kind=EditKind.CHANGED, id="c", name="Condition", outputs_reordered=True)
    ),
    "ids that changed": flowise(
        NodeChange(
            kind=EditKind.CHANGED,
            id="llm_1",
            name="LLM",
            former_id="llm_0",
            matched_by=MatchReason.CONTENT,
        ),
        NodeChange(
            kind=EditKind.CHANGED,
            id="chain_1",
            name="Chain",
            former_id="chain_0",
            matched_by=MatchReason.NAME,
        ),
        NodeChange(
            kind=EditKind.CHANGED,
            id="tool_1",
            name="Tool",
            former_id="tool_0",
            matched_by=MatchReason.NEIGHBOURS,
        ),
        NodeChange(kind=EditKind.CHANGED, id="b", name="Other", former_id="a"),
    ),
    "an id that other content took over": flowise(
        added("Chat Anthropic", replaces="Chat OpenAI"),
        removed("Chat OpenAI", replaced_by="Chat Anthropic"),
    ),
    "a change of which nothing is shown": flowise(changed("Chain")),
    "pins": tsugumi(
        settings=(
            setting("nixpkgs", PinChange.UNPINNED),
            setting("other", PinChange.MOVED),
            setting("README.md"),
        )
    ),
    "flows": flowise(
        added("LLM", flow="Agent.json"),
        removed("Tool", flow="Chain.json"),
        removed("LLM", flow="Chain.json"),
        flows=(
            flow(FlowChangeKind.ADDED, "Agent", 5),
            flow(FlowChangeKind.REMOVED, "Chain", 1),
            FlowChange(
                kind=FlowChangeKind.RENAMED,
                flow="b.json",
                name="Support",
                former_flow="a.json",
                former_name="Help",
            ),
            FlowChange(
                kind=FlowChangeKind.RENAMED, flow="new/c.json", name="C", former_flow="c.json"
            ),
        ),
        settings=(setting("description", flow="Agent.json"),),
    ),
    "one flow": flowise(
        changed("ChatOpenAI", definition=NEW_VERSION, flow="Agent.json"),
        settings=(setting("description", flow="Agent.json"),),
    ),
    "several flows": flowise(
        changed("ChatOpenAI", definition=NEW_VERSION, flow="Agent.json"),
        added("LLM", flow="Chain.json", flow_name="Chain"),
        added("Tool", flow="Chain.json", flow_name="Chain", replaces="Old Tool"),
        removed("Old Tool", flow="Chain.json", flow_name="Chain"),
        settings=(setting("description", flow="Agent.json"),),
    ),
    "a flow that moved, with a node that went": flowise(
        removed("LLM", flow="a.json", flow_name="Help"),
        changed("Tool", parameters=edited("x"), flow="b.json"),
        flows=(
            FlowChange(
                kind=FlowChangeKind.RENAMED,
                flow="b.json",
                name="Support",
                former_flow="a.json",
                former_name="Help",
            ),
        ),
    ),
    "one node moved": flowise(moved=1),
    "nodes moved": flowise(moved=12),
    "nodes moved beside a change": flowise(added("LLM"), moved=12),
    "names that forge": tsugumi(
        added("x\nAdded y"),
        added("\x1b[31mred\x1b[0m"),
        added("\u202egnp.exe"),
        changed("{name}", parameters=edited("{names}", "a\u2028b")),
    ),
}


def comment(
    kind: CommentKind, by: Actor | None = None, nodes: tuple[NodeName, ...] = ()
) -> CommentChange:
    return CommentChange(
        kind=kind, id="c1", node="b1", node_name="bands", by=by, changed_nodes=nodes
    )


COMMENTS: Final[dict[str, ChangeRecord]] = {
    "comments": ChangeRecord(
        format="tsugumi",
        comments=(
            comment(CommentKind.ADDED, Actor.USER),
            comment(CommentKind.EDITED, Actor.AGENT),
            comment(
                CommentKind.RESOLVED,
                Actor.AGENT,
                (NodeName(id="b1", name="bands"), NodeName(id="r1", name="rgb")),
            ),
            comment(CommentKind.REOPENED, Actor.USER),
            comment(CommentKind.DELETED),
        ),
    ),
    "comments beyond six": ChangeRecord(
        format="tsugumi", comments=(comment(CommentKind.DELETED),) * 8
    ),
    "no comments": ChangeRecord(format="tsugumi"),
}


def unreadable(line: int, column: int) -> records.RecordWarning:
    return records.RecordWarning(
        code=WarningCode.UNREADABLE_FILE,
        path="definitions/x/_card.json",
        side=Side.NEW,
        line=line,
        column=column,
        reason="expected a comma",
    )


WARNINGS: Final[dict[str, ChangeRecord]] = {
    "unreadable files": ChangeRecord(
        format="tsugumi",
        warnings=(
            unreadable(3, 5),
            unreadable(3, 0),
            unreadable(0, 0),
            records.RecordWarning(
                code=WarningCode.UNREADABLE_FILE, path="tsugumi.json", side=Side.OLD
            ),
        ),
    ),
    "other warnings": ChangeRecord(
        format="tsugumi",
        warnings=(
            records.RecordWarning(
                code=WarningCode.MISSING_MARKER, path="definitions/x/_card.json", side=Side.NEW
            ),
            records.RecordWarning(
                code=WarningCode.DUPLICATE_ID, path="a.json", id="llm_0", count=2
            ),
            records.RecordWarning(code=WarningCode.DUPLICATE_ID, path="a.json", id="llm_0"),
            records.RecordWarning(code=WarningCode.BLANK_ID, path="a.json", count=1),
            records.RecordWarning(code=WarningCode.BLANK_ID, path="a.json", count=3),
            records.RecordWarning(
                code=WarningCode.LIMIT, path="", count=40, reason="too many files to compare"
            ),
        ),
    ),
    "a limit": ChangeRecord(
        format="flowise",
        warnings=(records.RecordWarning(code=WarningCode.LIMIT, path="a.json", side=Side.OLD),),
    ),
}

FAILURES: Final = tuple(
    Failure(code=code, message=f"the rule of {code.value}") for code in FailureCode
)


def produced() -> dict[tuple[str, Language], str]:
    """What the renderer says, by case and language."""
    texts: dict[tuple[str, Language], str] = {}
    for language in LANGUAGES:
        for case, record in RECORDS.items():
            texts[case, language] = render(record, language=language)
        for case, record in COMMENTS.items():
            texts[case, language] = render_comments(record, language=language)
        for case, record in WARNINGS.items():
            texts[case, language] = render_warnings(record, language=language)
        failures = [render_failure(failure, language=language) for failure in FAILURES]
        texts["failures", language] = "\n".join(failures)
    return texts


def golden() -> dict[tuple[str, str], str]:
    texts: dict[tuple[str, str], str] = {}
    for section in GOLDEN.read_text(encoding="utf-8").split("\n== ")[1:]:
        heading, _, text = section.partition("\n")
        case, _, language = heading.rpartition(", ")
        texts[case, language] = text.rstrip("\n")
    return texts


CASES: Final = [*RECORDS, *COMMENTS, *WARNINGS, "failures"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", CASES)
def test_wording_is_as_agreed(case: str, language: Language) -> None:
    assert produced()[case, language] == golden()[case, language]


def test_golden_file_holds_every_case_and_no_other() -> None:
    assert set(golden()) == {(case, language) for case in CASES for language in LANGUAGES}


def test_every_sentence_stands_in_the_golden_file(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of the catalogue's keys those that no record needs are shown by the command line, are the
    # words of runs, whose golden lines are in test_runs.py, of archives and package diffs, or are
    # messages of a history of flows.
    flows = {"flow_added", "flow_removed", "flow_renamed", "flow_relocated"}
    scan = ("finding", "secrets_", "scan_", "files_", "versions_", "baseline_")
    versions = ("version", "kept_", "content_kept", "started_", "left_out", "recovery_", "history_")
    notes = ("attached_", "record_", "records_", "message_")
    packages = ("package_", "archive_")
    others = (*scan, *versions, *notes, *packages, "diff_", "run_", "canonical_", "flow_")
    named = {key for key in keys() if key.endswith("_label") or key.startswith(others)}
    by_command_line = (named - flows) | {"shallow"}
    marked = {key: f"{getattr(wording.CATALOGUES['en'], key)}<{key}>" for key in keys()}
    monkeypatch.setitem(wording.CATALOGUES, "en", wording.Wording(**marked))
    text = "\n".join(produced().values())
    assert {key for key in keys() if f"<{key}>" not in text} == by_command_line


def keys() -> list[str]:
    return [field.name for field in msgspec.structs.fields(wording.Wording)]


@pytest.mark.parametrize("limit", [1, 2, 6, 100])
def test_limit_cuts_entries_and_counts_the_rest(limit: int) -> None:
    record = tsugumi(*(added(f"card{number}") for number in range(10)))
    lines = render(record, limit=limit).split("\n")
    assert len(lines) == min(limit, 10) + (limit < 10)
    if limit < 10:
        assert lines[-1] == f"and {10 - limit} more"


def test_nonsense_is_refused() -> None:
    with pytest.raises(InvalidInput, match="limit: must be at least 1"):
        render(tsugumi(), limit=0)
    with pytest.raises(InvalidInput, match="language: must be one of en, ja"):
        render(tsugumi(), language="fr")  # type: ignore[arg-type]


if __name__ == "__main__":
    sections = [
        f"\n== {case}, {language}\n{produced()[case, language]}\n"
        for case in CASES
        for language in LANGUAGES
    ]
    GOLDEN.write_text("".join(sections), encoding="utf-8")
