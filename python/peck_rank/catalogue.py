"""What this build offers, from the library's own lists: names, titles, settings and their help.

>>> import peck_rank
>>> peck_rank.methods()["ridge"].title
'least squares on the labels: a baseline'
>>> peck_rank.methods()["lambdamart"].settings["trees"].allowed
'[1,100000]'
>>> peck_rank.conventions()["trec"].settings["gain"].default
'linear'
"""
from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Iterable, Mapping, NamedTuple, Optional

from ._c import ffi, lib
from ._call import encoded, nearest, string


class Setting(NamedTuple):
    """One setting of a method, a generator or a decoder; a part of a convention."""

    key: str
    default: str
    help: str
    type: str
    allowed: str


class Entry(NamedTuple):
    """One thing that can be named."""

    name: str
    title: str
    doc: str
    settings: Mapping[str, Setting]

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(f"<tr><td>{escape(s.key)}</td><td>{escape(s.default)}</td>"
                       f"<td>{escape(s.allowed)}</td><td>{escape(s.help)}</td></tr>"
                       for s in self.settings.values())
        return (f"<p><b>{escape(self.name)}</b>: {escape(self.title)}</p>"
                f"<p>{escape(self.doc)}</p><table>{rows}</table>")


def _settings(kind: int, name: str) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    param = ffi.new("peck_param *")
    while lib.peck_param_at(kind, encoded(name), len(found), param):
        one = Setting(*(string(getattr(param, member))
                        for member in ("key", "value", "help", "type", "allowed")))
        found[one.key] = one
    return found


@lru_cache(maxsize=None)
def _entries(kind: int) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    while plug := lib.peck_plug_at(kind, len(found)):
        name, title, doc = string(plug.name), string(plug.title), string(plug.doc)
        found[name] = Entry(name, title, doc, _settings(kind, name))
    return found


def methods() -> Mapping[str, Entry]:
    """Everything that can be trained."""
    return dict(_entries(lib.PECK_METHOD))


def metrics() -> Mapping[str, Entry]:
    """Every measure of an order."""
    return dict(_entries(lib.PECK_METRIC))


def conventions() -> Mapping[str, Entry]:
    """Whose rules to measure by; the parts of a convention are its settings."""
    return dict(_entries(lib.PECK_CONVENTION))


def norms() -> Mapping[str, Entry]:
    """How features are scaled."""
    return dict(_entries(lib.PECK_NORM))


def decoders() -> Mapping[str, Entry]:
    """How an order comes from comparisons."""
    return dict(_entries(lib.PECK_DECODER))


def readers() -> Mapping[str, Entry]:
    """File formats that are read."""
    return dict(_entries(lib.PECK_READER))


def writers() -> Mapping[str, Entry]:
    """File formats that are written."""
    return dict(_entries(lib.PECK_WRITER))


def generators() -> Mapping[str, Entry]:
    """Data made to order."""
    return dict(_entries(lib.PECK_GENERATOR))


def default_method() -> str:
    """What is trained unless you say otherwise, here and in the command."""
    return string(lib.PECK_DEFAULT_METHOD)


@lru_cache(maxsize=None)
def setting_names() -> frozenset[str]:
    """Every setting of every method."""
    return frozenset(key for m in _entries(lib.PECK_METHOD).values() for key in m.settings)


def unknown(what: str, name: str, known: Any) -> str:
    """The sentence for a name that nobody knows."""
    near = nearest(name, known)
    meant = f"; did you mean '{near}'?" if near else ""
    return f"{what} '{name}'{meant}"


def _not_a_setting(method: str, key: str, known: Any) -> str:
    """A setting of other methods is no misspelling: then they are named."""
    others = [m.name for m in _entries(lib.PECK_METHOD).values() if key in m.settings]
    if not others:
        return unknown(f"{method} has no setting", key, known)
    more = f" and {len(others) - 3} more" if len(others) > 3 else ""
    return (f"{method} has no setting '{key}'; {', '.join(others[:3])}{more} "
            f"{'have' if len(others) > 1 else 'has'} it")


def check_setting(method: str, key: str, value: Any, more: Iterable[str] = ()) -> Optional[str]:
    """What is wrong with a setting, as the library's lists have it; None: nothing.  more: what
    else one may have meant.

    A value that its type does not tell (the widths of a net, a normaliser) is left to the
    library, which knows."""
    entry = _entries(lib.PECK_METHOD).get(method)
    if entry is None:
        return unknown("there is no method", method, _entries(lib.PECK_METHOD))
    setting = entry.settings.get(key)
    if setting is None:
        return _not_a_setting(method, key, [*entry.settings, *more])
    text = written(value)
    if text in ("auto", setting.default) or _is_allowed(setting, text):
        return None
    return f"{key}={text} of {method}: it takes {setting.allowed}"


def _is_allowed(setting: Setting, text: str) -> bool:
    if setting.type == "choice":
        return text in setting.allowed.split("|")
    if setting.type not in ("int", "float"):
        return True
    bounds = re.fullmatch(r"([\[(])([^,]+),([^\])]+)([\])])", setting.allowed)
    try:
        number = float(text)
        if setting.type == "int" and number != int(number):
            return False
    except (ValueError, OverflowError):
        return False
    if bounds is None:
        return True
    low, high = float(bounds[2]), float(bounds[3])
    above = number > low if bounds[1] == "(" else number >= low
    below = number < high if bounds[4] == ")" else number <= high
    return above and below


def written(value: Any) -> str:
    """A value as the command would be told it: no digit is lost, True is 1."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (list, tuple)):  # widths of layers
        return "-".join(written(v) for v in value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value.item()) if hasattr(value, "item") else str(value)
