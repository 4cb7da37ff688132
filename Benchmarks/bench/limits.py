"""What each workload may take at most: as a multiple of its floor, and in memory. None is told, and held to nothing."""

MB = 1_000_000
BULK = 100 * MB

# The row's name: (multiple of the floor, peak in bytes).
LIMITS = {
    "start-up, beside /bin/true": (None, None),
    "start-up, beside the bare command tree": (None, None),
    "encode a customer": (1.4, None),
    "seal 32 bytes": (4.0, None),
    "get by id": (2.0, 24 * MB),
    "get by name": (2.0, 24 * MB),
    "get by id, beside openssl": (2.0, None),
    "run true, beside get": (1.3, None),
    "run true, staying beside it, beside get": (1.5, None),
    "get by id, largest beside smallest": (1.2, 24 * MB),
    "add, beyond get": (3.0, None),
    "list": (3.0, None),
    "list --limit 20": (3.0, None),
    "find": (3.0, None),
    "find --no-index": (1.0, None),
    "export --reveal": (1.6, BULK),
    "verify": (1.2, BULK),
    "lint": (0.5, BULK),
    "import": (1.6, BULK),
    "rekey --reseal": (1.6, BULK),
    "backup create": (1.2, BULK),
    "backup verify": (None, BULK),
    "backup verify --deep": (3.0, BULK),
    "vault merge": (1.5, BULK),
    "git merge": (2.5, None),
    "log RECORD": (3.0, BULK),
    "list --at": (1.5, BULK),
}


def row(name, records, floor, result):
    """A line of the table: what was measured, beside what, and what it is held to."""
    ratio, peak = LIMITS[name]
    return {"workload": name, "records": records, "floor": floor, "limit": ratio, "peak_limit_bytes": peak, **result}


def verdict(row):
    """`ok`, or what is over its limit; empty where nothing is held to one."""
    over = []
    if row["limit"] is not None and row["ratio"] > row["limit"]:
        over.append("ratio")
    if row["peak_limit_bytes"] is not None and row.get("vault_peak_bytes", 0) > row["peak_limit_bytes"]:
        over.append("peak")
    if over:
        return "OVER: " + ", ".join(over)
    return "" if row["limit"] is None and row["peak_limit_bytes"] is None else "ok"
