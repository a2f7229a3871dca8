"""The keys that every language fills."""

from __future__ import annotations

import msgspec

__all__ = ["Wording"]


class Wording(msgspec.Struct, frozen=True, kw_only=True):
    """Every sentence and part of a sentence that is shown to people.

    No key has a default, so a catalogue that lacks one does not type-check and does not load. What
    stands in braces is put in by the renderer; a test holds the languages to the same braces.
    Names are made safe before they are put in, and what is put in is never read as a template.
    """

    # ── Lists ───────────────────────────────────────────────────────────────────────────────────
    separator: str
    """Between the names, or the aspects, of one line."""
    list_rest: str
    """After the names of a list that is cut. {count}"""
    rest: str
    """The line that counts the entries left out. {count}"""

    # ── Entries ─────────────────────────────────────────────────────────────────────────────────
    no_changes: str
    added: str
    """{name}"""
    added_replacing: str
    """An added node that took over the id of a removed one. {name} {other}"""
    removed: str
    """{name}"""
    removed_replaced: str
    """A removed node whose id an added one took over. {name} {other}"""
    changed: str
    """{name} {aspects}"""
    changed_somehow: str
    """A changed node of which no aspect is shown. {name}"""
    node_in_flow: str
    """A node's name where a record is about several flows. {name} {flow}"""
    moved_one: str
    """The line of a version that moved one node and changed nothing. {count}"""
    moved_many: str
    """{count}"""

    # ── Flows ───────────────────────────────────────────────────────────────────────────────────
    flow_added: str
    """{name} {nodes}"""
    flow_removed: str
    """{name} {nodes}"""
    flow_renamed: str
    """{former} {name}"""
    flow_relocated: str
    """A flow that kept its name and is in another file. {name} {former} {path}"""
    nodes_one: str
    """{count}"""
    nodes_many: str
    """{count}"""

    # ── Aspects of a changed node ───────────────────────────────────────────────────────────────
    renamed: str
    """{former} {name}"""
    id_changed: str
    """{former} {id} {reason}"""
    same_content: str
    """Why a node with another id is the same one; put in as `id_changed`'s {reason}."""
    same_name: str
    same_neighbours: str
    definition: str
    definition_updated: str
    """{old} {new}"""
    no_version: str
    """Stands for the version of a definition that has none."""
    source: str
    """{names}"""
    file_added: str
    """{path}"""
    file_removed: str
    """{path}"""
    file_mode: str
    """{path}"""
    file_renamed: str
    """{former} {path}"""
    parameters: str
    """{names}"""
    defaults: str
    """Parameters that only followed their default. {names}"""
    credential_changed: str
    """{names}, which is empty or `credential_names` or `credential_name`"""
    credential_set: str
    """{names}"""
    credential_removed: str
    """{names}"""
    credential_changed_in: str
    """Of a nested set of parameters. {input} {names}"""
    credential_set_in: str
    """{input} {names}"""
    credential_removed_in: str
    """{input} {names}"""
    credential_names: str
    """{old} {new}"""
    credential_name: str
    """{name}"""
    credential_unknown: str
    """Stands for the name of a credential that has none."""
    wiring: str
    """{names}"""
    wire_added: str
    """{input} {node}"""
    wire_removed: str
    """{input} {node}"""
    wire_other_output: str
    """The same node feeds the same input, from another of its outputs. {input} {node}"""
    wire_other_node: str
    """Another node of the same name feeds the same input. {input} {node}"""
    wire_added_whole: str
    """Where whole nodes are connected. {node}"""
    wire_removed_whole: str
    """{node}"""
    wire_other_output_whole: str
    """{node}"""
    wire_other_node_whole: str
    """{node}"""
    wire_times: str
    """The same wire from several nodes of one name. {wire} {count}"""
    outputs_reordered: str

    # ── Settings ────────────────────────────────────────────────────────────────────────────────
    settings: str
    """{names}"""
    setting_in_flow: str
    """{name} {flow}"""
    pinned: str
    """{name}"""
    unpinned: str
    """{name}"""
    pin_moved: str
    """{name}"""

    # ── Comments ────────────────────────────────────────────────────────────────────────────────
    comment_added: str
    """{node} {by}"""
    comment_edited: str
    """{node} {by}"""
    comment_resolved: str
    """{node} {by}"""
    comment_reopened: str
    """{node} {by}"""
    comment_deleted: str
    """{node} {by}"""
    by_agent: str
    """Put in as {by}, with the space it needs."""
    by_user: str
    comment_changed_nodes: str
    """After a resolved comment. {names}"""

    # ── Warnings ────────────────────────────────────────────────────────────────────────────────
    warning: str
    """{where} {what}"""
    warning_old: str
    """The path of the old version's file. {path}"""
    warning_new: str
    """{path}"""
    warning_whole: str
    """Stands for the path of a warning that is about no one file."""
    unreadable: str
    """{place} {reason}"""
    place_line: str
    """Put in as {place}, with the space it needs. {line}"""
    place_column: str
    """{line} {column}"""
    reason: str
    """Put in as {reason}, with the space it needs. {reason}"""
    missing_marker: str
    duplicate_id: str
    """{id} {count}"""
    duplicate_id_uncounted: str
    """{id}"""
    blank_id_one: str
    """{count}"""
    blank_id_many: str
    """{count}"""
    limit: str
    """{reason}"""
    limit_counted: str
    """{count} {reason}"""

    # ── Version diffs ───────────────────────────────────────────────────────────────────────────
    diff_nothing: str
    """A version diff without text."""
    diff_cut: str
    """Files of which a part is shown. {count}"""
    diff_no_room: str
    """Files of which nothing is shown for want of room. {count}"""
    diff_not_allowed: str
    """Changed files that the format does not allow to be seen. {count}"""
    diff_submodules: str
    """{count}"""
    diff_format_only: str
    """Files that are written differently and mean the same. {count}"""
    diff_secrets: str
    """{names}"""
    diff_secret_times: str
    """Put in as one of {names}. {name} {count}"""
    diff_taken_back: str
    """Files whose lines looked as if they held a secret once they were cut. {count}"""

    # ── Versions ────────────────────────────────────────────────────────────────────────────────
    failure_missing: str
    """The message says in English what is missing, and where. {message}"""
    failure_corrupt: str
    """{message}"""
    failure_limit: str
    """{message}"""
    failure_source: str
    """{message}"""
    failure_secret: str
    """{message}"""
    shallow: str
    """A version whose parents are not in the repository."""
    warning_label: str
    """Before a warning. {text}"""
    version_label: str
    """Before what `versiondiff show` says of a version. {text}"""
    parents_label: str
    """{text}"""
    author_label: str
    """{text}"""
    date_label: str
    """{text}"""

    # ── Secrets ─────────────────────────────────────────────────────────────────────────────────
    finding: str
    """{place} {rule}"""
    finding_in_path: str
    """A secret in the path itself, which is shown without it. {path} {rule}"""
    finding_in_message: str
    """Stands for the path of a finding in a version's message."""
    finding_in_version: str
    """Put in as {path}. {version} {path}"""
    scan_outcome: str
    """What a scan came to. {secrets} {scanned}"""
    secrets_none: str
    secrets_one: str
    """{count}"""
    secrets_many: str
    """{count}"""
    files_one: str
    """{count}"""
    files_many: str
    """{count}"""
    versions_one: str
    """{count}"""
    versions_many: str
    """{count}"""
    scan_accepted_one: str
    """Findings that the baseline accepts. {count}"""
    scan_accepted_many: str
    """{count}"""
    baseline_written_one: str
    """{path} {count}"""
    baseline_written_many: str
    """{path} {count}"""
    baseline_not_written: str
    """{path}"""

    # ── Canonical JSON ──────────────────────────────────────────────────────────────────────────
    canonical_written: str
    """{path}"""

    # ── Packages ────────────────────────────────────────────────────────────────────────────────
    package_title: str
    """{name} {old} {new}"""
    package_files: str
    """{count}"""
    package_added: str
    package_changed: str
    package_deleted: str
    package_renamed: str
    package_mode_changed: str
    package_type_changed: str
    package_mode: str
    """{old} {new}"""
    package_binary: str
    package_too_large: str
    package_coarse: str
    package_lock_file: str
    package_minified: str
    package_generated: str
    package_no_newline: str
    package_look_twice: str
    """{count}"""
    package_not_compared: str
    """{count}"""
    package_new_executable: str
    """{path}"""
    package_made_executable: str
    """{path}"""
    package_not_executable: str
    """{path}"""
    package_new_binary: str
    """{path}"""
    package_new_link: str
    """{path} {new}"""
    package_link_changed: str
    """{path} {old} {new}"""
    package_link_outside: str
    """{path} {new}"""
    package_new_file_for_other: str
    """{path}"""
    package_new_hook: str
    """{path}"""
    package_hook_changed: str
    """{path}"""
    package_hidden_characters_one: str
    """{path} {line}"""
    package_hidden_characters_many: str
    """{path} {line} {count}"""
    package_hidden_in_name: str
    """{path}"""
    package_none: str
    """Stands for what is empty on one side of a change."""
    package_name_changed: str
    """{old} {new}"""
    package_kind_changed: str
    """{old} {new}"""
    package_licence_changed: str
    """{old} {new}"""
    package_new_person: str
    """{new}"""
    package_person_gone: str
    """{old}"""
    package_new_dependency: str
    """{new}"""
    package_dependency_changed: str
    """{old} {new}"""
    package_new_script: str
    """{new}"""
    package_script_changed: str
    """{old} {new}"""
    package_script_file_changed: str
    """{path} {new}"""
    package_new_command: str
    """{new}"""
    package_metadata_unreadable: str
    """{path}"""
    package_entry: str
    """{path} {to} {flags}"""
    package_entry_not_compared: str
    """{path} {to} {flags}"""
    package_entry_gone: str
    """{path} {to} {flags}"""
    package_entry_to: str
    """{target}"""
    package_archive: str
    """{reason}"""
    package_old_archive: str
    """{reason}"""
    package_record_no_record: str
    """{path}"""
    package_record_not_listed: str
    """{path}"""
    package_record_not_there: str
    """{path}"""
    package_record_other_content: str
    """{path}"""
    package_record_no_digest: str
    """{path}"""

    # ── Runs ────────────────────────────────────────────────────────────────────────────────────
    # A run's summary is read back: these words say where its names end, and a name that could be
    # taken for one of them is quoted.
    run_whole: str
    """Where a run started: the whole workflow."""
    run_from: str
    """A Card and those downstream of it. {name}"""
    run_only: str
    """One Card alone. {name}"""
    run_saved_inputs: str
    """After where a run started, with the space it needs."""
    run_names: str
    """Between what a list is of and its first name."""
    run_section: str
    """Between the parts of a summary."""
    run_times: str
    """After the name of a Card that was invoked several times. {count}"""
    run_failed: str
    run_kind: str
    """After the name of a Card that failed. {kind}"""
    run_not_run: str

    # ── Versions that are made ──────────────────────────────────────────────────────────────────
    version_made: str
    """A version was made of the content."""
    version_unchanged: str
    """No version was made, as the content is that of the last one."""
    versioning_started: str
    """{path} {version}"""
    kept_made: str
    """The content became a version, which has a name now. {version} {name}"""
    kept_unchanged: str
    """The last version, whose content is still there, has a name now. {version} {name}"""
    content_kept: str
    """Before another version's content is restored. {version}"""
    started_from: str
    """The content is that of a version at the tip of a branch. {version} {branch}"""
    started_branch: str
    """The content is that of a version, from which a new branch begins. {version} {branch}"""
    left_out: str
    """A folder that is a repository of its own, which no version holds. {path}"""
    recovery_finished: str
    """What a killed process was restoring is restored."""
    recovery_undone: str
    """What a killed process was restoring is as it was before."""
    history_left: str
    """A history file in a folder that is a repository of something else. {path}"""

    # ── What versions carry ─────────────────────────────────────────────────────────────────────
    attached_runs: str
    """The line that counts the runs of a version by how they ended. {results}"""
    attached_runs_label: str
    """Before the runs of a version, each on a line of its own."""
    attached_kept_label: str
    """Before the names that a version was kept under, each on a line of its own."""
    attached_succeeded: str
    """How a run ended."""
    attached_failed: str
    attached_stopped: str
    attached_count_succeeded: str
    """{count}"""
    attached_count_failed: str
    """{count}"""
    attached_count_stopped: str
    """{count}"""
    attached_count_unread: str
    """Lines of a note that tell of no run. {count}"""

    # ── Change records that are kept ────────────────────────────────────────────────────────────
    records_outcome: str
    """{kept} {made} {remade} {ref}"""
    record_remade: str
    """What the note held was not what the version's change record says. {version}"""
    record_not_made: str
    """{version} {reason}"""

    # ── Messages of versions ────────────────────────────────────────────────────────────────────
    message_start: str
    """The first version of a project."""
    message_run: str
    """{name}"""
    message_keep: str
    """{name}"""
    message_before: str
    """What was not yet in a version when another one was started from. {version}"""

    # ── Histories of flows ──────────────────────────────────────────────────────────────────────
    flow_inputs_changed: str
    """{inputs} {node}"""
    flow_created: str
    """{name}"""
    flow_saved: str
    """A version of a flow of which nothing more can be said. {name}"""
    flow_restored: str
    """{name} {version}"""
    flow_published: str
    """{name}"""
    flow_rolled_back: str
    """{name} {version}"""
    flow_promoted: str
    """{name}"""
    flow_deleted: str
    """{name}"""
    flow_hidden_one: str
    """{count}"""
    flow_hidden_many: str
    """{count}"""
    flow_history_started: str
    """The message of the first version, which holds the README alone."""
    flow_readme_title: str
    flow_readme_what: str
    """{service}"""
    flow_readme_layout: str
    flow_readme_warning: str
    """{service}"""
    flow_version_made: str
    """{name} {version} {subject}"""
    flow_unchanged: str
    """{name}"""
    flow_not_resolved: str
    """A value that a version does not hold, and the flow as it is now does not give. {node} {input}
    {reason}"""
    flow_not_imported: str
    """{path} {reason}"""
    flow_import_outcome: str
    """{made} {unchanged} {failed}"""
    flow_hidden_warning: str
    """{name} {count}"""
    archive_flag_absolute_name: str
    archive_flag_leaves_root: str
    archive_flag_parent_step: str
    archive_flag_empty_name: str
    archive_flag_nul_in_name: str
    archive_flag_not_utf8: str
    archive_flag_backslash: str
    archive_flag_windows_name: str
    archive_flag_control_character: str
    archive_flag_too_deep: str
    archive_flag_duplicate: str
    archive_flag_case_twin: str
    archive_flag_below_file: str
    archive_flag_through_link: str
    archive_flag_outside_folder: str
    archive_flag_link_outside: str
    archive_flag_hard_link_to_link: str
    archive_flag_broken_hard_link: str
    archive_flag_device: str
    archive_flag_unknown_type: str
    archive_flag_set_id: str
    archive_flag_header_mismatch: str
    archive_flag_content_on_non_file: str
    archive_flag_sparse: str
    archive_flag_encrypted: str
    archive_flag_unknown_method: str
    archive_flag_overlaps: str
    archive_flag_slack: str
    archive_reason_leading_data: str
    """{size}"""
    archive_reason_trailing_data: str
    """{size}"""
    archive_reason_hidden_data: str
    """{size}"""
    archive_reason_unlisted_entry: str
    """{count} {name}"""
    archive_reason_several_ends: str
    archive_reason_count_mismatch: str
    archive_reason_header_mismatch: str
    """{count} {name}"""
    archive_reason_overlaps: str
    """{count} {name}"""
    archive_reason_encrypted: str
    """{count} {name}"""
    archive_reason_several_streams: str
    archive_reason_no_end: str
    archive_reason_global_names: str
    archive_reason_loose_header: str
    archive_reason_comment: str
    """{size}"""
    archive_reason_several_kinds: str

    # ── The page of a package diff ──────────────────────────────────────────────────────────────
    package_page_unnamed: str
    """Stands for the name of a package that has none."""
    package_page_no_version: str
    """Stands for the version of a package that has none."""
    package_page_about: str
    """{marks}"""
    package_page_skip: str
    """The link before all else."""
    package_page_files: str
    """What the part of the page with the files' lines is called."""
    package_page_filter: str
    package_page_filter_help: str
    package_page_kind: str
    package_page_every_kind: str
    package_page_count: str
    """How many files the filter shows; the page's script fills it. {shown} {count}"""
    package_page_hide: str
    """Folds all files."""
    package_page_show: str
    """Opens all files."""
    package_page_keys: str
    package_page_close: str
    package_page_key_next: str
    package_page_key_previous: str
    package_page_key_fold: str
    package_page_key_hide: str
    package_page_key_show: str
    package_page_key_filter: str
    package_page_key_list: str
    package_page_key_help: str
    package_page_flagged: str
    """A file that is to be looked at twice, as a label."""
    package_page_was: str
    """{path}"""
    package_page_is_binary: str
    package_page_is_generated: str
    package_page_no_lines: str
    package_page_old_line: str
    package_page_new_line: str
    package_page_text: str
    package_page_characters_left_out: str
    """{count}"""
    package_page_lines_left_out: str
    """{shown} {count} {rest}"""
    package_page_files_left_out: str
    """{count}"""
