"""Writes a hundred million doubles as RFC 8785 wants them, and compares a checksum of the text with the published one.

    PYTHONPATH=python python3 tests/long/rfc8785_doubles.py [LINES]     (a minute; LINES: 1000, 10000, ... 100000000)

The reference implementation of RFC 8785 (https://github.com/cyberphone/json-canonicalization) tests numbers with a file of 4 GB, each line the
bits of a double in hexadecimal, a comma, and its text. The doubles are edge cases, then 2000 from the least normal one upwards, then a
chain of SHA-256 hashes read as doubles. So the file can be made anew, with ocior's text in it, and its SHA-256 is known.
"""

import array
import hashlib
import math
import sys

import ocior

CHECKSUMS = {
    1_000: "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687",
    10_000: "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892",
    100_000: "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7",
    1_000_000: "49415fee2c56c77864931bd3624faad425c3c577d6d74e89a83bc725506dad16",
    10_000_000: "b9f8a44a91d46813b21b9602e72f112613c91408db0b8341fb94603d9db135e0",
    100_000_000: "0f7dda6b0837dde083c5d6b896f7d62340c8a2415b0c7121d83145e08a755272",
}

# fmt: off
THIRDS = [
    3.3333333333333335e+21, 3.333333333333333e+20, 3.3333333333333336e+19, 3.333333333333334e+18, 3.333333333333334e+17,
    3.333333333333334e+16, 3333333333333334.0, 333333333333333.4, 33333333333333.344, 3333333333333.334, 333333333333.33344,
    33333333333.33334, 3333333333.333334, 333333333.3333334, 33333333.333333336, 3333333.3333333335, 333333.3333333333,
    33333.333333333336, 3333.333333333333, 333.3333333333333, 33.333333333333336, 3.3333333333333335, 0.3333333333333333,
    0.03333333333333333, 0.0033333333333333335, 0.0003333333333333333, 3.3333333333333335e-05, 3.3333333333333333e-06,
    3.3333333333333335e-07, 3.3333333333333334e-08, 3.3333333333333334e-09, 3.333333333333333e-10, 3.3333333333333335e-11,
    3.333333333333333e-12, 3.3333333333333334e-13, 3.3333333333333334e-14, 3.3333333333333332e-15, 3.333333333333333e-16,
    3.3333333333333335e-17, 3.3333333333333333e-18, 3.3333333333333334e-19, 3.333333333333333e-20, 3.3333333333333333e-21,
    3.333333333333333e-22, 3.3333333333333333e-23, 3.3333333333333334e-24, 3.3333333333333335e-25, 3.333333333333333e-26,
    3.333333333333333e-27, 3.3333333333333338e-28,
]
EDGES = [
    10.0, 5.0, 0.5, 0.05, 0.005, 0.0005, 5e-05, 5e-06, 5e-07, 5e-08, 5e-09, 5.06e-06, 5.006e-06, 5.0006e-06, 5.00006e-06, 5.000006e-06,
    5.0000006e-06, 5.00000006e-06, 5.000000006e-06, 5.0000000006e-06, 5.00000000006e-06, 5.000000000006e-06, 5.0000000000006e-06,
    5.00000000000006e-06, 5.000000000000006e-06, 5e-06, 1.0, -1.0, -0.9999999999999993, -0.9999999999999994, 0.9999999999999993,
    0.9999999999999994, 0.9999999999999996, 0.9999999999999998, -0.9999999999999999, -0.9999999999999999, 0.9999999999999999,
    0.9999999999999999, 0.29999999999999993, 0.3, 0.30000000000000004, 2.2250738585072014e-308, 2.2250738585072e-308,
    2.225073858507201e-308, 1.7976931348623157e+308, -1.7976931348623157e+308, 9007199254740992.0, -9007199254740992.0,
    2.9514790517935283e+20, 9.999999999999997e+22, 1e+23, 1.0000000000000001e+23, 9.999999999999997e+20, 9.999999999999999e+20, 1e+21,
    9.999999999999997e-07, 1e-06, 333333333.3333332, 333333333.33333325, 333333333.3333333, 333333333.3333334, 333333333.33333343,
    -3.3333333333333333e-06, 1424953923781206.2,
]
# fmt: on


def doubles():
    """Arrays of the file's doubles, in order, without end."""
    yield array.array("d", [0.0, -0.0, 5e-324, -5e-324, *(-third for third in THIRDS), *THIRDS, *EDGES])
    yield array.array("d", array.array("Q", range(1 << 52, (1 << 52) + 2000)).tobytes())
    block = bytes(32)
    while True:
        blocks = []
        for _ in range(25_000):
            block = hashlib.sha256(block).digest()
            blocks.append(block)
        found = array.array("d", b"".join(blocks))
        if sys.byteorder == "big":
            found.byteswap()
        yield array.array("d", [number for number in found if number and math.isfinite(number)])


def checksum_of(lines):
    """SHA-256 of the file's first lines, with ocior's text in them, in hexadecimal."""
    checksum = hashlib.sha256()
    canonical = ocior.Default(canonical=True)
    for numbers in doubles():
        numbers = numbers[:lines]
        texts = ocior.dumps(numbers, default=canonical)[1:-1].split(",")
        bits = array.array("Q", numbers.tobytes())
        checksum.update("".join(map("%x,%s\n".__mod__, zip(bits, texts, strict=True))).encode())
        lines -= len(numbers)
        if not lines:
            return checksum.hexdigest()


def main():
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else max(CHECKSUMS)
    found = checksum_of(lines)
    print(found)
    if found != CHECKSUMS[lines]:
        sys.exit(f"expected {CHECKSUMS[lines]}")


if __name__ == "__main__":
    main()
