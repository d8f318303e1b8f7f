"""What the compiled module has: made by CFFI from peck.h, so its names are not listed here."""
from typing import Any

ffi: Any
lib: Any
