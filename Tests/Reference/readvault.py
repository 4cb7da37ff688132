#!/usr/bin/env python3
"""Verifies a whole vault of format 1 and prints its records, opened.

    python3 readvault.py VAULTDIR --identity FILE | --passphrase-file FILE [--json]

Without --json one line per record is printed: id, kind, revision. Ends with 1 and names the file when anything fails.
"""

import argparse
import sys

import agefile
from vaultdir import Vault
from vaultref import Refused, pretty


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vault")
    key = parser.add_mutually_exclusive_group(required=True)
    key.add_argument("--identity", metavar="FILE")
    key.add_argument("--passphrase-file", metavar="FILE")
    parser.add_argument("--max-work-factor", type=int, choices=range(10, 23), default=20, metavar="N")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    identities, passphrase = (), None
    try:
        if options.identity:
            with open(options.identity, encoding="utf-8") as file:
                identities = agefile.parse_identity_file(file.read())
        else:
            with open(options.passphrase_file, "rb") as file:
                passphrase = file.read().removesuffix(b"\n").removesuffix(b"\r")
    except (OSError, UnicodeDecodeError, agefile.AgeFault) as error:
        return f"readvault: {options.identity or options.passphrase_file}: {error}"
    vault = Vault()
    try:
        vault.unlock(options.vault, identities, passphrase, options.max_work_factor)
        records = vault.read_all()
    except Refused as error:
        return f"readvault: {vault.file}: {error}"
    except OSError as error:
        return f"readvault: {vault.file}: {error.strerror}"
    if options.json:
        sys.stdout.buffer.write(pretty(records))
    else:
        for record in records:
            print(record["id"], record["kind"], record["revision"].literal)
    return 0


if __name__ == "__main__":
    sys.exit(main())
