"""Python runs this first in every process whose PYTHONPATH holds this folder: it lets no network socket be opened.

Two watches. An audit hook writes what Python asks for into the file that CLEW_TEST_SOCKETS names. And on Linux
the kernel kills the process, whatever language it was in, that opens a socket of another family than AF_UNIX
(displays, message buses and multiprocessing use that one; it leads nowhere else). Children inherit both.
"""

import ctypes
import os
import platform
import sys
import traceback

_EVENTS = {"socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"}
_SOCKET_CALL = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}  # audit architecture, number
_AF_UNIX = 1
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF: load word, jump if equal, return


def _listen(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.__new__":
        local = arguments[1] == _AF_UNIX
    elif event in _EVENTS:
        local = len(arguments) > 1 and isinstance(arguments[1], str | bytes) and event != "socket.getaddrinfo"
    else:
        return
    if not local:
        with open(os.environ["CLEW_TEST_SOCKETS"], "a", encoding="utf-8") as report:
            report.write(f"{event} {arguments!r}\n")
            traceback.print_stack(file=report)


class _Instruction(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_ushort),
        ("yes", ctypes.c_ubyte),
        ("no", ctypes.c_ubyte),
        ("k", ctypes.c_uint),
    ]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(_Instruction))]


def forbid_in_kernel() -> bool:
    """Whether the kernel watches this process from now on (seccomp, filter mode)."""
    known = _SOCKET_CALL.get(platform.machine())
    if sys.platform != "linux" or known is None:
        return False
    architecture, number = known
    steps = (
        (_LOAD, 0, 0, 4),  # architecture of the call
        (_EQUAL, 0, 5, architecture),
        (_LOAD, 0, 0, 0),  # its number
        (_EQUAL, 0, 3, number),
        (_LOAD, 0, 0, 16),  # its first argument: the family
        (_EQUAL, 1, 0, _AF_UNIX),
        (_RETURN, 0, 0, _KILL),
        (_RETURN, 0, 0, _ALLOW),
    )
    filled = (_Instruction * len(steps))(*(_Instruction(*step) for step in steps))
    program = _Program(len(steps), filled)
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_rights, set_filter, by_program = 38, 22, 2
    return (
        libc.prctl(no_new_rights, 1, 0, 0, 0) == 0
        and libc.prctl(set_filter, by_program, ctypes.byref(program), 0, 0) == 0
    )


if "CLEW_TEST_SOCKETS" in os.environ:
    sys.addaudithook(_listen)
    WATCHED = forbid_in_kernel()
