"""Downloads: pinned by hash, complete or absent."""

from __future__ import annotations

import hashlib
import os
import urllib.error
import urllib.request
from pathlib import Path

from veriloop.errors import UserError

TIMEOUT_SECONDS = 30.0


def home_folder() -> Path:
    """Where toolchains and data are kept between checkouts: VERILOOP_HOME, else ~/.cache/veriloop."""
    named = os.environ.get("VERILOOP_HOME")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "veriloop"


def download(url: str, target: Path, sha256: str | None) -> None:
    """Fetch a file; it appears under its name only when it is complete and has the pinned hash.

    Args:
        url: an https address.
        target: the file to write.
        sha256: the pinned hash; None where the caller checks the content itself.

    Raises:
        UserError: no connection, an interrupted transfer, or other bytes than the pinned ones.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    total = hashlib.sha256()
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer, part.open("wb") as file:  # noqa: S310
            while chunk := answer.read(1 << 20):
                total.update(chunk)
                file.write(chunk)
    except (urllib.error.URLError, OSError) as error:
        part.unlink(missing_ok=True)
        raise UserError(f"{url}: could not be downloaded ({error})") from None
    if sha256 is not None and total.hexdigest() != sha256:
        part.unlink()
        raise UserError(f"{url}: came with hash {total.hexdigest()}, pinned is {sha256}; try again, then report it")
    part.replace(target)
