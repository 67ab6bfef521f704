#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The netlink specification as an oracle.

spec.py SPEC header HEADER	compares names and numbers with the uapi header
spec.py SPEC policy		prints the policies that the family should have,
				in the words of tests/vm/progs/genl_fuzz.c
"""
import re
import sys

import yaml

U32_MAX = 2**32 - 1


def c_name(*words):
    return "_".join(words).upper().replace("-", "_")


def enum_from(entries, start=1):
    value = start - 1
    for entry in entries:
        if isinstance(entry, str):
            entry = {"name": entry}
        value = entry.get("value", value + 1)
        yield entry["name"], value


def expected_names(spec):
    family = spec["name"]
    names = {}
    for d in spec["definitions"]:
        if d["type"] == "const":
            names[c_name(family, d["name"])] = d["value"]
        else:
            for name, value in enum_from(d["entries"], d.get("value-start", 0)):
                names[c_name(family, d["name"], name)] = value
    for s in spec["attribute-sets"]:
        for name, value in enum_from(s["attributes"]):
            names[c_name(family, "a", s["name"], name)] = value
    for name, value in enum_from(spec["operations"]["list"]):
        names[c_name(family, "cmd", name)] = value
    return names


def header_names(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = {m[1]: int(m[2]) for m in re.finditer(r"#define\s+(XHROOM_\w+)\s+(\d+)\b", text)}
    for body in re.findall(r"enum \w+ \{(.*?)\};", text, re.S):
        value = -1
        for entry in body.split(","):
            m = re.match(r"\s*(\w+)(?:\s*=\s*(.+?))?\s*$", entry, re.S)
            if not m or m[1].startswith("__") or m[2] and m[2].startswith("(__"):
                continue
            value = int(m[2]) if m[2] else value + 1
            names[m[1]] = value
    names.pop("XHROOM_GENL_VERSION", None)
    return names


def check_header(spec, path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    want, have = expected_names(spec), header_names(text)
    faults = [f"{n}: specification {want.get(n)}, header {have.get(n)}"
              for n in sorted(want.keys() | have.keys()) if want.get(n) != have.get(n)]
    if f'"{spec["name"]}"' not in text:
        faults.append("the name of the family differs")
    for group in spec["mcast-groups"]["list"]:
        if f'"{group["name"]}"' not in text:
            faults.append(f"no group {group['name']} in the header")
    # Whatever can be used must be described.
    for name in want:
        if f"@{name}:" not in text and f"#define {name}\t" not in text:
            faults.append(f"{name} is not documented in the header")
    return faults


def policy_lines(spec):
    sets = {s["name"]: s for s in spec["attribute-sets"]}
    lines = []
    numbers = dict(enum_from(spec["operations"]["list"]))
    for op in spec["operations"]["list"]:
        request = op.get("do", {}).get("request")
        if not request:
            continue
        # A dump shares the policy of the single request.
        for mode in ["do"] + (["dump"] if "dump" in op else []):
            for attr, value in enum_from(sets[op["attribute-set"]]["attributes"]):
                name = attr
                if name not in request["attributes"]:
                    continue
                attr = next(a for a in sets[op["attribute-set"]]["attributes"]
                            if a["name"] == name)
                checks = attr.get("checks", {})
                words = [str(numbers[op["name"]]), mode, str(value), attr["type"]]
                if attr["type"] == "u32":
                    words.append(f"{checks.get('min', 0)}..{checks.get('max', U32_MAX)}")
                if "max-len" in checks:
                    words += ["length", str(checks["max-len"])]
                lines.append(" ".join(words))
    return lines


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        spec = yaml.safe_load(f)
    if sys.argv[2] == "policy":
        print("\n".join(policy_lines(spec)))
        return 0
    faults = check_header(spec, sys.argv[3])
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


sys.exit(main())
