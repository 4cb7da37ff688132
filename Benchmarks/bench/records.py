"""The records that everything here is measured with."""

import json
import random
from datetime import datetime, timedelta, timezone

SEED = 20261121
CITIES = [
    "Albuquerque", "Paris", "Düsseldorf", "東京", "Amsterdam", "Lagos", "Reykjavík", "Hà Nội", "Madrid", "Boston"]
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&*+-./:;<=>?@^_~"


def customers(count):
    """The same customers on every machine; fewer are the first of more."""
    chance = random.Random(SEED)
    start = datetime(2020, 1, 1, tzinfo=timezone.utc)
    for number in range(count):
        yield {
            "name": name(number),
            "access_key": "".join(chance.choices(LETTERS, k=chance.randint(8, 48))),
            "atm_code": f"{chance.randrange(10**6):06d}",
            "added_on": (start + timedelta(seconds=chance.randrange(10**8))).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "address": {
                "street": f"{chance.randint(1, 9999)} Main Street",
                "city": chance.choice(CITIES),
                "zip": f"{chance.randrange(10**5):05d}",
            },
            "contact_info": {
                "home_phone": f"+1 212-555-{number % 10000:04d}",
                "cellular_phone": f"+44 7700 9{number % 100000:05d}",
                "email": email(number),
            },
            "website": f"https://example.com/customers/{number}?ref=a/b",
        }


def name(number):
    return f"Customer {number:07d}"


def email(number):
    """A text that one record holds, and no other."""
    return f"customer{number}@example.com"


def write_customers(path, count):
    with path.open("w", encoding="utf-8") as file:
        for customer in customers(count):
            file.write(json.dumps(customer, ensure_ascii=False) + "\n")
    return path
