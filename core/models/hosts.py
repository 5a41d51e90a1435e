"""Where language models answer: the person's own setting, and the other machines that they allowed."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from core.config import Config, ModelConfig, with_settings
from core.errors import BadInput, HostNotAllowed
from core.files.faults import explained
from core.files.personal import personal_folder, read_personal, write_personal
from core.text.translation import tr
from core.types import ModelHost

# The host in an untrusted workspace: no address, so that nobody can be asked.
NOBODY = "(nobody: the workspace is not trusted)"
_FILE = "models"
_DEFAULT = ModelConfig().host
_PORT = 11434
_PORTS = {"http": 80, "https": 443}
_ADDRESS = re.compile(r"[A-Za-z0-9._~:/\[\]-]+")  # no user names, queries, escapes, other scripts
_NAME = re.compile(r"[a-z0-9_][a-z0-9_.-]*")


def normal(address: str) -> str:
    """Return the address built anew from its parts, so that whoever reads it reads the same. Raises BadInput.

    >>> normal("GPU.example"), normal("https://[::0001]/ollama/")
    ('http://gpu.example:11434', 'https://[::1]:443/ollama')
    """
    text = address.strip()
    scheme, mark, rest = text.rpartition("://")
    scheme = scheme.lower() if mark else "http"
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        port = parts.port or (_PORTS[scheme] if mark else _PORT)
        name = _host_name(parts.hostname or "")
        if not _ADDRESS.fullmatch(rest) or not name:
            raise ValueError(text)
    except (ValueError, KeyError) as error:
        raise BadInput(
            tr("{text} is no address of a server.", text=repr(text)),
            tr("Write it like http://127.0.0.1:11434."),
        ) from error
    path = "/".join(part for part in parts.path.split("/") if part not in ("", ".", ".."))
    return f"{scheme}://{name}:{port}" + (f"/{path}" if path else "")


def _host_name(host: str) -> str:
    """Return a name or an IP address as it stands in a URL; "" for what is neither."""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host if _NAME.fullmatch(host) else ""
    return f"[{found}]" if found.version == 6 else str(found)


def host_at(address: str) -> ModelHost:
    """Return what is known of the host at an address. Raises BadInput."""
    found = normal(address)
    here = _is_this_machine(urlsplit(found).hostname or "")
    return ModelHost(found, here, here or found in allowed())


def _is_this_machine(name: str) -> bool:
    """Return whether the host itself says that it is this machine: other names may be led anywhere, also those that
    look like it (0x7f.1)."""
    try:
        found = ipaddress.ip_address(name)
    except ValueError:
        return name == "localhost"
    # An IPv4 address in one of IPv6 (::ffff:127.0.0.1) counts or not by the version of Python.
    return found.is_loopback if found.version == 4 else found == ipaddress.IPv6Address("::1")


def permitted(address: str) -> str:
    """Return the normal form of an address to which a connection may be opened. Raises BadInput, HostNotAllowed."""
    host = host_at(address)
    if not host.allowed:
        raise HostNotAllowed(
            tr(
                "Texts of your documents would be sent to {place}, which is not this machine.",
                place=host.place,
            ),
            tr(
                "Nothing was sent. To allow it, once: clew models allow {address} (in the window: "
                "Models, Ctrl+8).",
                address=host.address,
            ),
        )
    return host.address


def check_private(private: bool, address: str) -> None:
    """Raise HostNotAllowed if documents are private and the host is not this machine; BadInput for no address."""
    if private and not (host := host_at(address)).here:
        raise HostNotAllowed(
            tr("Private documents are not sent to {place}, which is not this machine.", place=host.place),
            tr("Nothing was sent. Choose a model on this machine, or rules and quotes, which need none."),
        )


# ---------------------------------------------------------------- the person's setting


def own_host() -> str:
    """Return where the person's models answer."""
    found = read_personal(_FILE).get("host")
    try:
        return normal(found) if isinstance(found, str) else _DEFAULT
    except BadInput:
        return _DEFAULT


def set_own_host(address: str) -> ModelHost:
    """Ask there from now on, whatever the workspace. Raises BadInput."""
    host = host_at(address)
    _write(host=host.address)
    return host


def allowed() -> list[str]:
    """Return the addresses of other machines that the person allowed, by alphabet."""
    found = read_personal(_FILE).get("allowed")
    return sorted(item for item in found if isinstance(item, str)) if isinstance(found, list) else []


def allow(address: str) -> ModelHost:
    """Let texts be sent to this host from now on. Raises BadInput."""
    _write(allowed=sorted({*allowed(), normal(address)}))
    return host_at(address)


def forget(address: str) -> ModelHost:
    """Send it nothing more before it is allowed again. Raises BadInput."""
    _write(allowed=sorted({*allowed()} - {normal(address)}))
    return host_at(address)


def own_config(settings: Sequence[str] = (), config: Config | None = None) -> Config:
    """`config`, at first the defaults, with the person's host and `settings` above it. Raises BadInput."""
    return with_settings(config or Config(), [f"models.host={own_host()}", *settings])


def _write(**changed: object) -> None:
    with explained(personal_folder()):
        write_personal(_FILE, {**read_personal(_FILE), **changed})
