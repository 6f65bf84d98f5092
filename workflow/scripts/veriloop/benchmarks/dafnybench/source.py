"""The programs and recorded answers of the pinned commit: from a mirror folder, an earlier download, or GitHub.

They are under another licence (Apache-2.0) and never enter this repository; every file is checked by its hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

from veriloop.download import download, home_folder
from veriloop.errors import UserError
from veriloop.tasks import read_program

COMMIT = "0cd28feed9cd0179b07fdb9d002f8c39063658e4"
URL = f"https://github.com/sun-wendy/DafnyBench/archive/{COMMIT}.zip"
MIRROR_SETTING = "VERILOOP_DATA_MIRROR"
FOLDERS = {
    "DafnyBench/dataset/ground_truth": "ground_truth",
    "DafnyBench/dataset/hints_removed": "hints_removed",
    "results/reconstructed_files": "reconstructed_files",
}
"""Where the release keeps what we read, and the name that it has in a mirror or a download."""

ANSWER_SHA256 = {
    "claude-3-opus": "2f2b8901521470dd71f829198ec93718fb5f7830bd3a265d661e6b5ea3dff6a3",
    "gpt-4-turbo": "80cdebdb76e32f700bc874add7ef15dfa9ea1276f837a96e3bff290c4ade8dac",
    "gpt-4o": "a872945cefc05abc7c57deba208149ae479148f9cb2ad658a72913e367329903",
    "gpt-3.5-turbo": "e6939b68a326f75c688cec1bd35615aaae3c2c4a6e95dc9379ff2d41d22d6f86",
    "codellama-7b": "2601bab6cb8252eba05fbd6274c31d24b809a40e7b00b4247383a5863203a11e",
}


def release_folder() -> Path:
    """The folder with the release's files: the mirror's, an earlier download, or a new one.

    Raises:
        UserError: there is none and GitHub cannot be reached; the message says what to set.
    """
    mirror = os.environ.get(MIRROR_SETTING)
    if mirror:
        folder = Path(mirror) / "dafnybench"
        if not (folder / "ground_truth").is_dir():
            raise UserError(f"{MIRROR_SETTING}={mirror}: has no folder dafnybench/ground_truth; correct or unset it")
        return folder
    folder = home_folder() / "data" / f"dafnybench-{COMMIT[:12]}"
    if not folder.is_dir():
        _fetch(folder)
    return folder


def _fetch(target: Path) -> None:
    """Download the pinned commit and keep what is read of it; the folder appears whole or not at all."""
    with tempfile.TemporaryDirectory(prefix="veriloop-") as scratch:
        packed = Path(scratch) / "release.zip"
        try:
            download(URL, packed, None)
        except UserError as error:
            raise UserError(
                f"the DafnyBench programs are not on this machine: {error}. Set {MIRROR_SETTING} to a folder whose "
                f"dafnybench/ holds {', '.join(FOLDERS.values())}"
            ) from None
        part = target.with_name(target.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        with zipfile.ZipFile(packed) as release:
            for member in release.namelist():
                _keep(release, member, part)
        target.parent.mkdir(parents=True, exist_ok=True)
        part.rename(target)


def _keep(release: zipfile.ZipFile, member: str, part: Path) -> None:
    inner = member.partition("/")[2]
    folder, _, name = inner.rpartition("/")
    if name and folder in FOLDERS:
        file = part / FOLDERS[folder] / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(release.read(member))


def read_checked(path: Path, sha256: str) -> str:
    """A program with exactly the pinned bytes.

    Raises:
        UserError: it is missing, or has other bytes.
    """
    text = read_program(path)
    if hashlib.sha256(text.encode()).hexdigest() != sha256:
        raise UserError(f"{path}: not the file of commit {COMMIT[:12]}; replace the copy, or delete the folder")
    return text


def read_answer_file(folder: Path, model: str) -> dict[str, str]:
    """The recorded final answers of a model by task name.

    Raises:
        UserError: the file is missing, or has other bytes than the pinned ones.
    """
    path = folder / "reconstructed_files" / f"{model}_outputs.json"
    entries = json.loads(read_checked(path, ANSWER_SHA256[model]))
    return {entry["test_file"].removesuffix("_no_hints.dfy"): entry["llm_output"] for entry in entries.values()}
