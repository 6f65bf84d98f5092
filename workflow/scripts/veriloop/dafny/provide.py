"""Getting a pinned toolchain: from a mirror, from an earlier installation, from its release, or from Debian."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veriloop.config.toolchain import Archive, DebianPackage, ToolchainConfig
from veriloop.dafny.toolchain import Toolchain, file_sha256, from_debian, from_folder, platform_key
from veriloop.download import download, home_folder
from veriloop.errors import UserError

MIRROR_SETTING = "VERILOOP_TOOLCHAIN_MIRROR"
CONTENT_FILE = "content.sha256"


def mirror_folder() -> Path | None:
    """The folder that VERILOOP_TOOLCHAIN_MIRROR names, or None where it is not set."""
    named = os.environ.get(MIRROR_SETTING)
    return Path(named) if named else None


def find_toolchain(config: ToolchainConfig) -> Toolchain | None:
    """The toolchain if it is on this machine already, in a mirror or installed; nothing is downloaded.

    Raises:
        UserError: a copy is there, but it is not the pinned one.
    """
    return _from_mirror(config) or _installed(config)


def provide_toolchain(config: ToolchainConfig) -> Toolchain:
    """The toolchain, got by the first way that works: mirror, installed, release archive, Debian's package.

    Raises:
        UserError: no way works; the message says what is missing and what to type.
    """
    found = find_toolchain(config)
    if found is not None:
        return found
    reasons: list[str] = []
    with _lock():
        for way in (_from_release, _from_debian):
            try:
                made = way(config)
            except UserError as error:
                reasons.append(str(error))
                continue
            if made is not None:
                return made
    reason = "; ".join(reasons) or f"there is no release for {platform_key()}"
    raise UserError(
        f"{config.name} is not on this machine and could not be installed: {reason}. "
        f"Set {MIRROR_SETTING} to a folder that holds it, or run `veriloop toolchain install {config.name}` "
        "on a machine with a connection and copy the folder that it names."
    )


def _install_folder(config: ToolchainConfig) -> Path:
    return home_folder() / "toolchains" / config.name


def _from_mirror(config: ToolchainConfig) -> Toolchain | None:
    mirror = mirror_folder()
    if mirror is None:
        return None
    if not mirror.is_dir():
        raise UserError(f"{MIRROR_SETTING}={mirror}: no such folder; correct or unset the variable")
    pinned = config.mirrors.get(platform_key())
    if pinned and (mirror / pinned.folder).is_dir():
        return from_folder(config, mirror / pinned.folder, "mirror", pinned.content_sha256)
    archive = config.archives.get(platform_key())
    if archive and (packed := mirror / Path(archive.url).name).is_file():
        with _lock():
            return _unpack(config, packed, archive)
    return None


def _installed(config: ToolchainConfig) -> Toolchain | None:
    folder = _install_folder(config)
    if config.debian is not None:
        return _debian_toolchain(config, config.debian) if _debian_ready(config, config.debian) else None
    expected = folder / CONTENT_FILE
    if not expected.is_file():
        return None
    return from_folder(config, folder, "archive", expected.read_text(encoding="utf-8").strip())


def _from_release(config: ToolchainConfig) -> Toolchain | None:
    archive = config.archives.get(platform_key())
    if archive is None:
        return None
    with tempfile.TemporaryDirectory(prefix="veriloop-") as folder:
        packed = Path(folder) / "release.zip"
        download(archive.url, packed, archive.sha256)
        return _unpack(config, packed, archive)


def _unpack(config: ToolchainConfig, packed: Path, archive: Archive) -> Toolchain:
    """Unpack a release that has the pinned hash; the folder appears whole or not at all."""
    found = file_sha256(packed)
    if found != archive.sha256:
        raise UserError(f"{packed}: hashes to {found}, but {config.name} is pinned to {archive.sha256}; replace it")
    target = _install_folder(config)
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    with zipfile.ZipFile(packed) as release:
        release.extractall(part)
    for program in (part / "dafny" / "dafny", *part.glob("dafny/z3/bin/z3*")):
        if program.is_file():
            program.chmod(0o755)
    toolchain = from_folder(config, part, "archive", None)
    (part / CONTENT_FILE).write_text(toolchain.content_sha256 + "\n", encoding="utf-8")
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)
    return from_folder(config, target, "archive", toolchain.content_sha256)


def _solver_file(config: ToolchainConfig) -> Path:
    return _install_folder(config) / "z3"


def _debian_ready(config: ToolchainConfig, debian: DebianPackage) -> bool:
    return Path(debian.executable).is_file() and _solver_file(config).is_file()


def _debian_toolchain(config: ToolchainConfig, debian: DebianPackage) -> Toolchain:
    return from_debian(config, Path(debian.executable), Path("/usr/lib") / debian.package, _solver_file(config))


def _from_debian(config: ToolchainConfig) -> Toolchain | None:
    debian = config.debian
    if debian is None:
        return None
    if not Path(debian.executable).is_file():
        _apt_install(debian.package)
    if not _solver_file(config).is_file():
        _solver_from_wheel(config, debian)
    return _debian_toolchain(config, debian)


def _apt_install(package: str) -> None:
    apt, sudo = shutil.which("apt-get"), shutil.which("sudo")
    if apt is None:
        raise UserError(f"Debian's package {package} needs apt-get, and this system has none")
    if os.geteuid() != 0 and sudo is None:
        raise UserError(f"installing Debian's package {package} needs root; type: apt-get install {package}")
    prefix = [] if os.geteuid() == 0 else [str(sudo), "-n"]
    for words in (["update"], ["install", "--yes", "--no-install-recommends", package]):
        done = subprocess.run(
            [*prefix, apt, "--quiet", *words],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise UserError(f"`apt-get install {package}` failed ({last}); type: sudo apt-get install {package}")


def _solver_from_wheel(config: ToolchainConfig, debian: DebianPackage) -> None:
    """Take the solver's program out of the pinned wheel; pip brings it from whatever index is configured."""
    target = _solver_file(config)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="veriloop-") as folder:
        words = ["download", "--quiet", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", folder]
        done = subprocess.run(
            [sys.executable, "-m", "pip", *words, debian.solver_requirement],
            capture_output=True,
            text=True,
            check=False,
        )
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode != 0 or not wheels:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise UserError(f"pip could not download {debian.solver_requirement}: {last}")
        if file_sha256(wheels[0]) != debian.solver_wheel_sha256:
            raise UserError(f"{wheels[0].name}: not the pinned wheel; check the package index that pip uses")
        part = target.with_name("z3.part")
        with zipfile.ZipFile(wheels[0]) as wheel:
            part.write_bytes(wheel.read(debian.solver_member))
    part.chmod(0o755)
    part.replace(target)


@contextmanager
def _lock() -> Iterator[None]:
    """One installation at a time on this machine; the lock goes with the process."""
    folder = home_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "install.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
