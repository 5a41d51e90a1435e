"""What handing a file to the system may set off: a document is shown, anything else may run."""

from __future__ import annotations

from typing import Literal

Kind = Literal["document", "program", "macros", "unknown"]

_PROGRAMS = frozenset(
    # Windows: programs, scripts, installers, links and settings that run or start another thing, disk images
    ".exe .com .bat .cmd .scr .pif .cpl .msc .msi .msp .mst .msix .msixbundle .appx .appxbundle .appinstaller"
    " .js .jse .vb .vbe .vbs .wsf .wsh .wsc .sct .ps1 .psm1 .psd1 .hta .jar .jnlp .chm .hlp .inf .reg .dll .ocx .sys"
    " .lnk .url .scf .rdp .application .appref-ms .gadget .diagcab .settingcontent-ms .library-ms .search-ms .theme"
    " .iso .img .vhd .vhdx .xll .wll .iqy .slk"
    # macOS
    " .app .command .terminal .tool .workflow .action .scpt .scptd .applescript .pkg .mpkg .dmg .webloc .inetloc"
    " .fileloc .prefpane .mobileconfig .dylib .bundle .plugin"
    # Linux
    " .desktop .appimage .run .bin .elf .so .out .deb .rpm .snap .flatpak .flatpakref .service"
    " .sh .bash .zsh .ksh .csh .fish .py .pyw .pyc .pyz .pl .rb .php .lua .tcl .awk .ps".split()
)
# Office files that may hold macros, by their name; the binary formats before 2007 all may.
_MACROS = frozenset(
    ".docm .dotm .xlsm .xltm .xlam .xlsb .pptm .potm .ppsm .ppam .sldm .doc .dot .xls .xlt .xla .ppt .pot .pps"
    " .mdb .accdb .accde".split()
)
_TEXTS = frozenset(
    ".txt .text .md .markdown .rst .tex .log .csv .tsv .json .xml .html .htm .xhtml .eml .mbox .ics .vcf .srt"
    " .rtf".split()
)
_DOCUMENTS = _TEXTS | frozenset(
    ".pdf .docx .dotx .xlsx .xltx .pptx .potx .ppsx .odt .ott .ods .ots .odp .otp .odg .epub .msg .djvu"
    " .png .jpg .jpeg .gif .bmp .tif .tiff .webp .heic .mp3 .m4a .ogg .flac .wav .mp4 .mov .mkv .webm .avi"
    " .zip .tar .gz .tgz .bz2 .xz".split()
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_RUN = (
    b"MZ", b"\x7fELF", b"#!", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
)  # fmt: skip


def kind_of_file(name: str, head: bytes, executable: bool = False) -> Kind:
    """What a file is by its name on any system, its first bytes, and whether it is marked as executable.

    Only what is known to be shown and not run is a document: whoever names a file chooses its ending.
    """
    name = name.rstrip(". ").lower()  # Windows drops them
    suffix = "." + name.rpartition(".")[2] if "." in name else ""
    if suffix in _PROGRAMS or head.startswith(_RUN):
        return "program"
    # Office goes by the content: a text that is none is opened as what it is.
    if suffix in _MACROS or (head.startswith(_OLE) and suffix != ".msg"):
        return "macros"
    if suffix in _DOCUMENTS and not (suffix in _TEXTS and head.startswith(b"PK\x03\x04")):
        return "document"
    return "program" if executable else "unknown"
