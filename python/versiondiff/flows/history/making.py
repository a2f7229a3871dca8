"""What the next version is: decided on a tip, and anew where others moved it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from versiondiff.errors import Conflict, InvalidInput, SecretFound
from versiondiff.flows import folder_name, scan_files
from versiondiff.flows.history.beginning import README, readme
from versiondiff.flows.history.bookkeeping import are_same
from versiondiff.flows.history.changes import ChangeDescription, describe_change
from versiondiff.flows.history.messages import Message, cut
from versiondiff.flows.history.tree import FLOWS, head_of, unicode_text
from versiondiff.flows.history.versions import SavedVersion, VersionKind
from versiondiff.flows.history.writers import Decision, Replace, Write
from versiondiff.flows.names import folder_names
from versiondiff.flows.scanning import refusal
from versiondiff.rendering.names import catalogue
from versiondiff.rendering.names import name as shown_name
from versiondiff.secrets import Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from versiondiff.flows import FlowFiles
    from versiondiff.flows.history.people import Service
    from versiondiff.flows.history.tree import FlowFolder, FlowFolders, FlowHead
    from versiondiff.flows.history.writers import Writer
    from versiondiff.records import Signature
    from versiondiff.wording import Language

__all__ = ["Saying", "VersionMaker", "Who"]


_EVENTS: Final = frozenset({VersionKind.PUBLISH, VersionKind.ROLLBACK, VersionKind.PROMOTE})
"""What happened to a flow is worth a version also where its files are what they were saved as."""


class Who(NamedTuple):
    """Who made what is in a version, and who writes it down."""

    author: Signature
    committer: Signature


class Saying(NamedTuple):
    """What a version says beside its change."""

    kind: VersionKind
    subject: Callable[[str], str] | None = None
    """From the flow's name, made safe; None is the change itself."""
    source: str | None = None
    """Of a promotion, the version that it copies."""
    flow: str | None = None
    """The id that the flow has to have."""


class VersionMaker:
    """Makes versions of flows out of their files."""

    def __init__(
        self,
        folders: FlowFolders,
        writer: Callable[[Signature], Writer],
        *,
        service: Service,
        language: Language,
        rules: Rules | None,
    ) -> None:
        self._folders = folders
        self._writer = writer
        self._service = service
        self._language = language
        # What was hidden with more rules is looked for with all of them.
        self._rules = None if rules is None else Rules.default() | rules

    def put(self, written: FlowFiles, saying: Saying, who: Who) -> SavedVersion | None:
        """Make a version in which a flow has these files.

        Where it has them already that is one only if it tells of more than a change; else None.

        Raises:
            SecretFound: One of them still holds text that looks like a key.
        """
        files = written.files
        head = _head_of(files)
        if saying.flow is not None and head.id != unicode_text(saying.flow):
            raise InvalidInput("flow: the version read back has another id")
        made: list[SavedVersion] = []

        def decide(tip: str | None) -> Decision | None:
            names = folder_names(head.name, head.id)
            near = self._folders.near(tip, head.id, names)
            here = self._folders.find(tip, head.id, near)
            if here is not None and here.folder in names:
                # Also where a better name became free: only a flow's own new name moves it.
                folder = here.folder
            else:
                taken = near.keys() - ({here.folder} if here is not None else set())
                folder = folder_name(head.name, head.id, taken)
            old = self._folders.files(here) if here is not None else {}
            is_same = here is not None and here.folder == folder and are_same(old, files)
            if is_same and saying.kind not in _EVENTS:
                return None
            self._check(written)
            message = self._message(saying, head, here, old, written)
            text = self._text(message)
            made[:] = [_saved(message, folder)]
            edits: list[Write | Replace] = []
            if tip is None:
                edits.append(Write(README, readme(self._service, self._language)))
            if here is not None and here.folder != folder:
                edits.append(Replace(_path_of(here.folder), {}))
            edits.append(Replace(_path_of(folder), files))
            return Decision(edits, text, who.author, who.committer, even_unchanged=is_same)

        return self._commit(decide, made, who)

    def _message(
        self,
        saying: Saying,
        head: FlowHead,
        here: FlowFolder | None,
        old: Mapping[str, bytes],
        written: FlowFiles,
    ) -> Message:
        wording = catalogue(self._language)
        name = _called(head)
        kind = saying.kind
        if kind is VersionKind.SAVE and here is None:
            kind = VersionKind.CREATE
        change = ChangeDescription("")
        if here is not None:
            change = describe_change(old, written.files, language=self._language)
        if kind is VersionKind.CREATE:
            subject, body = wording.flow_created.format(name=name), change.body
        elif saying.subject is not None:
            subject = saying.subject(name)
            body = (change.subject, *change.body) if change.subject else ()
        else:
            subject, body = change.subject or wording.flow_saved.format(name=name), change.body
        return Message(
            subject=subject,
            body=body,
            flow=head.id,
            kind=kind,
            name=head.name,
            source=saying.source,
            hidden=written.hidden_in_text,
        )

    def delete(self, flow: str, who: Who) -> SavedVersion | None:
        """Make a version without a flow; None where there is no such flow."""
        made: list[SavedVersion] = []

        def decide(tip: str | None) -> Decision | None:
            found = self._folders.find(tip, flow)
            if found is None:
                return None
            words = catalogue(self._language).flow_deleted
            message = Message(
                subject=words.format(name=_called(found)),
                flow=found.id,
                kind=VersionKind.DELETE,
                name=found.name,
            )
            text = self._text(message)
            made[:] = [_saved(message, found.folder)]
            return Decision([Replace(_path_of(found.folder), {})], text, who.author, who.committer)

        return self._commit(decide, made, who)

    def begin(self, who: Who) -> None:
        """Make the first version, which holds the README alone.

        Raises:
            Conflict: There is a version.
        """
        message = catalogue(self._language).flow_history_started + "\n"

        def decide(tip: str | None) -> Decision:
            if tip is not None:
                raise Conflict("there is a history already")
            content = readme(self._service, self._language)
            return Decision([Write(README, content)], message, who.author, who.committer)

        self._writer(who.committer).commit(decide)

    def _commit(
        self,
        decide: Callable[[str | None], Decision | None],
        made: list[SavedVersion],
        who: Who,
    ) -> SavedVersion | None:
        commit = self._writer(who.committer).commit(decide)
        return None if commit is None else msgspec.structs.replace(made[0], id=commit)

    def _text(self, message: Message) -> str:
        text = message.text(language=self._language)
        self._check({"message": text.encode()})
        return text

    def _check(self, files: FlowFiles | Mapping[str, bytes]) -> None:
        """The last look before a commit."""
        for finding in scan_files(files, rules=self._rules):
            raise SecretFound(refusal(finding))


def _head_of(files: Mapping[str, bytes]) -> FlowHead:
    head = head_of(files["flow.json"])
    if head is None or not head.id.strip():
        raise InvalidInput("flow: has no id that is a text")
    return head


def _called(flow: FlowHead | FlowFolder) -> str:
    """What a flow is called in a sentence; one without a name, by its id."""
    return shown_name(flow.name if flow.name.strip() else flow.id)


def _path_of(folder: str) -> bytes:
    return f"{FLOWS}/{folder}".encode("utf-8", "surrogateescape")


def _saved(message: Message, folder: str) -> SavedVersion:
    return SavedVersion(
        id="",
        flow=message.flow,
        kind=message.kind,
        name=message.name,
        folder=f"{FLOWS}/{folder}",
        subject=cut(message.subject),
        hidden=message.hidden,
    )
