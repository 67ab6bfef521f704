#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""schema.py SCHEMA < DOCUMENTS: one JSON document a line against a schema.

Knows the part of JSON Schema that docs/json-schema/ uses, and refuses a schema
that uses more.
"""
import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "title", "description", "type", "properties", "required", "items",
         "additionalProperties", "enum", "minimum", "maximum", "oneOf"}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def faults(value, schema, where="document"):
    unknown = schema.keys() - KNOWN
    if unknown:
        sys.exit(f"schema uses {unknown}")
    if "oneOf" in schema:
        fits = [s for s in schema["oneOf"] if not list(faults(value, s, where))]
        if len(fits) != 1:
            yield f"{where}: fits {len(fits)} of the alternatives"
        return
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, t) for t in types):
        yield f"{where}: {value!r} is not {types}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r} is not one of {schema['enum']}"
    if is_type(value, "integer") and not \
            schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{where}: {value} is out of range"
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for key in schema.get("required", []):
            if key not in value:
                yield f"{where}: no {key}"
        for key, inner in value.items():
            if key in properties:
                yield from faults(inner, properties[key], f"{where}.{key}")
            elif schema.get("additionalProperties", True) is False:
                yield f"{where}: {key} is not in the schema"
    if isinstance(value, list) and "items" in schema:
        for i, inner in enumerate(value):
            yield from faults(inner, schema["items"], f"{where}[{i}]")


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        schema = json.load(f)
    found, documents = [], 0
    for line in sys.stdin.buffer:
        documents += 1
        found += faults(json.loads(line.decode("utf-8")), schema)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found or not documents else 0


sys.exit(main())
