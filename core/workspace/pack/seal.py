"""What holds a pack together: a hash of every file, a digest over the hashes, a signature over both.

The digest stands in the page and in the JSON themselves, so these two are hashed with zeros in its place.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping

from core.files.personal import machine_secret
from core.text.translation import tr
from core.types import Check

FORM, VERSION = "clew evidence pack", 1
PAGE, RECORD, MANIFEST, SIGNATURE = "answer.html", "answer.json", "manifest.json", "signature.json"
UNSEALED = "0" * 64  # where the digest will stand, before any text of a document
_DIGESTED = (PAGE, RECORD)
_SIGNED = re.compile(
    rb'\{\n "algorithm": "Ed25519",\n "public_key": "([0-9a-f]{64})",\n "signature": "([0-9a-f]{128})"\n\}\n'
)


def sealed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with digest, manifest and signature of the person at this machine."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    manifest = _manifest(files)
    key = Ed25519PrivateKey.from_private_bytes(_own_seed())
    signed = {
        "algorithm": "Ed25519",
        "public_key": key.public_key().public_bytes_raw().hex(),
        "signature": key.sign(manifest).hex(),
    }
    return {**_with_digest(files, manifest), MANIFEST: manifest, SIGNATURE: as_json(signed)}


def own_key() -> str:
    """Fingerprint of the key with which the person at this machine signs."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return _fingerprint(Ed25519PrivateKey.from_private_bytes(_own_seed()).public_key().public_bytes_raw())


def check_seal(files: Mapping[str, bytes], keys: Collection[str] = ()) -> list[Check]:
    """Whether nothing was changed since it was signed, and by a known key; `keys`: fingerprints beside the own one."""
    manifest = files.get(MANIFEST, b"")
    others = {name: content for name, content in files.items() if name not in (MANIFEST, SIGNATURE)}
    digest = hashlib.sha256(manifest).hexdigest()
    plain = {
        name: content.replace(digest.encode(), UNSEALED.encode(), 1) if name in _DIGESTED else content
        for name, content in others.items()
    }
    is_intact = _manifest(plain) == manifest and _with_digest(plain, manifest) == others
    wrong = [] if is_intact else _differing(plain, manifest)
    new_copy = tr("Do not rely on it; get a new copy from who made it.")
    if is_intact:
        detail = tr("{count} files, digest {digest}", count=len(others), digest=digest)
    else:
        detail = tr("not as packed: {names}", names=", ".join(wrong))
    found = [Check("files", is_intact, len(wrong), detail, "" if is_intact else new_copy)]
    key = _signed_by(manifest, files.get(SIGNATURE, b""))
    if not key:
        return [*found, Check("signature", False, 1, tr("it does not fit the pack"), new_copy)]
    found.append(Check("signature", True, 0, tr("made with key {key}", key=key)))
    own = key == own_key()
    known = own or key in {" ".join(each.lower().split()) for each in keys}
    unknown = tr("one that you named") if known else tr("not known at this machine")
    key_detail = tr("your own, at this machine") if own else unknown
    remedy = tr('Ask who made it whether it is theirs; if so, verify with --key "{key}".', key=key)
    return [*found, Check("key", known, int(not known), key_detail, "" if known else remedy)]


def as_json(value: object) -> bytes:
    """One form for each value, in letters that every program reads."""
    return (json.dumps(value, indent=1, ensure_ascii=True) + "\n").encode()


def _manifest(files: Mapping[str, bytes]) -> bytes:
    hashes = {
        name: {"sha256": hashlib.sha256(files[name]).hexdigest(), "bytes": len(files[name])}
        for name in sorted(files)
    }
    return as_json({"form": FORM, "version": VERSION, "files": hashes})


def _with_digest(files: Mapping[str, bytes], manifest: bytes) -> dict[str, bytes]:
    digest = hashlib.sha256(manifest).hexdigest()
    return {
        name: content.replace(UNSEALED.encode(), digest.encode(), 1) if name in _DIGESTED else content
        for name, content in files.items()
    }


def _own_seed() -> bytes:
    """For this purpose alone: the secret has others."""
    return hashlib.blake2b(b"evidence packs", key=machine_secret(), digest_size=32).digest()


def _fingerprint(public: bytes) -> str:
    """128 bits of its hash, in groups that can be read aloud."""
    digits = hashlib.sha256(public).hexdigest()[:32]
    return " ".join(digits[at : at + 4] for at in range(0, 32, 4))


def _signed_by(manifest: bytes, signature: bytes) -> str:
    """Fingerprint of the key that signed the manifest; "" where the signature does not hold."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    found = _SIGNED.fullmatch(signature)
    if found is None:
        return ""
    public, signed = (bytes.fromhex(part.decode()) for part in found.groups())
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signed, manifest)
    except (InvalidSignature, ValueError):
        return ""
    return _fingerprint(public)


def _differing(files: Mapping[str, bytes], manifest: bytes) -> list[str]:
    """Names of what was changed, added or taken out, as far as the manifest can tell."""
    try:
        listed = json.loads(manifest)["files"]
        hashes = {str(name): str(entry["sha256"]) for name, entry in listed.items()}
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return [MANIFEST]
    actual = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    names = sorted(name for name in hashes.keys() | actual.keys() if hashes.get(name) != actual.get(name))
    return names or [MANIFEST]
