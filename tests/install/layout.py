#!/usr/bin/env python3
"""layout.py KEPT-HEADER HEADER -- a program that was built with the kept header works with
today's library: every function is declared as it was, every constant has its value, every
member lies where it lay, and no struct without a size has grown.  Prints what is not so."""
import os
import re
import subprocess
import sys
import tempfile


def bare(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"[ \t\n]+", " ", re.sub(r"^#(?!define PECK_[A-Z_]+ ).*$", "", text, flags=re.M))


def structs(text):
    """{"peck_pref": ["list", "winner", ...]}"""
    found = {}
    for name, body in re.findall(r"typedef struct (peck_\w+) \{(.*?)\} \1;", text):
        members = []
        for line in filter(str.strip, body.split(";")):
            pointer = re.search(r"\(\*(\w+)\)", line)
            members += [pointer.group(1)] if pointer else [
                re.search(r"(\w+)(\[\w+\])?\s*$", part).group(1) for part in line.split(",")]
        found[name] = members
    return found


def constants(text):
    return re.findall(r"\b(PECK_\w+)(?= = |, |,? \})", " ".join(
        re.findall(r"typedef enum peck_\w+ \{(.*?)\}", text)))


def functions(text):
    return {re.search(r"(peck_\w+)\(", d).group(1): d.strip()
            for d in re.findall(r"PECK_API (?:PECK_MUST_CHECK )?([^;{]*\));", text)}


def measure(header, members, names):
    lines = [f'printf("{s}.{m} %zu %zu\\n", offsetof({s}, {m}), sizeof((({s} *)0)->{m}));'
             for s in members for m in members[s]]
    lines += [f'printf("{s} %zu\\n", sizeof({s}));' for s in members if "size" not in members[s]]
    lines += [f'printf("{n} %d\\n", (int){n});' for n in names]
    source = f'#include "{os.path.abspath(header)}"\nint main(void) {{ {" ".join(lines)} return 0; }}\n'
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "layout")
        subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-x", "c", "-", "-o", program],
                       input=source.encode(), check=True)
        return subprocess.run([program], capture_output=True, check=True,
                              text=True).stdout.splitlines()


def main(kept, header):
    old, new = (bare(open(path, encoding="utf-8").read()) for path in (kept, header))
    members, names = structs(old), constants(old) + ["PECK_OK", "PECK_UNSUPPORTED", "PECK_STOPPED"]
    wrong = []
    if len(members) < 30 or len(functions(old)) < 90:
        wrong.append(f"{len(members)} structs and {len(functions(old))} functions were found")
    now = functions(new)
    wrong += [f"was: {d}\nis:  {now.get(name)}" for name, d in functions(old).items() if now.get(name) != d]
    wrong += [f"was: {a}\nis:  {b}" for a, b in
              zip(measure(kept, members, names), measure(header, members, names)) if a != b]
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
