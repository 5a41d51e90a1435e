"""Whether a folder lies on another machine's disk, whose changes this system is not told of."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

MOUNTS = Path("/proc/self/mountinfo")  # Linux: proc_pid_mountinfo(5)
_KINDS = frozenset(
    "9p afs ceph cifs davfs drvfs fuse.davfs fuse.glusterfs fuse.gvfsd-fuse fuse.rclone fuse.sshfs"
    " fuse.vmhgfs-fuse glusterfs lustre nfs nfs4 smb3 smbfs vboxsf virtiofs".split()
)


def network_disk(folder: Path) -> str:
    """The kind of network disk that `folder` lies on (`nfs4`), or "" for a local or unknown one."""
    try:
        table = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
    kind = kind_of_disk(PurePosixPath(folder), table)
    return kind if kind in _KINDS else ""


def kind_of_disk(folder: PurePosixPath, table: str) -> str:
    """The file system that holds `folder`, by the longest mount point above it in a mountinfo table."""
    best, kind = -1, ""
    for line in table.splitlines():
        left, separator, right = line.partition(" - ")
        fields = left.split(" ")
        if not separator or len(fields) < 5:
            continue
        point = PurePosixPath(re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), fields[4]))
        # Not shorter: what is mounted later on the same place hides what was there.
        if folder.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), right.split(" ")[0]
    return kind
