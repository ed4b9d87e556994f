"""Proves that src/num/shortest.h finds the right digits for every double, without trying every double.

    python3 tests/long/verify_shortest.py          (half a minute, no dependencies)

The only approximate quantity is f, the fraction in units of 2^-64: it may differ from the true one by one unit. So a
decision can only be wrong where f comes within a few units of a decision point: the reach of the rounding interval on
either side, or a tie between two last digits. For a given binary exponent q,

    f = ((P * c * 2^shift) mod 2^134) >> 70,      P the 128-bit power of ten,

and the significands c that bring f into a window are the solutions of lo <= a * c mod m <= hi, which Euclid's algorithm
lists one after the other. Every one of them is compared with exact arithmetic. Where a window holds very many (powers
that are exact, so that f takes few values), the power is exact and so is f; then all c of the same parity with the same
f behave alike, and one of each kind is tried.
"""

from fractions import Fraction

BIAS = 922337203685477581 + 1  # kTieBias in shortest.h
WINDOW = 16
LIMIT = 300


def pow10(e):
    """kPow10 of num/pow10.h."""
    if e >= 0:
        v = 5**e
        n = v.bit_length()
        return v >> (n - 128) if n > 128 else v << (128 - n)
    v = 5**-e
    return (1 << (v.bit_length() + 127)) // v + 1


def floor_log2_pow10(e):
    return (e * 217706) >> 16


def floor_log10_pow2(e):
    return (e * 315653) >> 20


def first_in(a, m, lo, hi):
    """The least x >= 0 with lo <= a * x mod m <= hi, or None. 0 <= lo <= hi < m."""
    if lo == 0:
        return 0
    a %= m
    if a == 0:
        return None
    if 2 * a > m:
        a, lo, hi = m - a, m - hi, m - lo
    x = -(-lo // a)
    if a * x <= hi:
        return x
    # a * x - m * y must lie in [lo, hi], so m * y mod a must lie in [-hi mod a, -lo mod a].
    low, high = -hi % a, -lo % a
    y = first_in(m % a, a, low, high) if low <= high else 0
    return None if y is None else -(-(lo + m * y) // a)


def solutions(a, m, first, last, lo, hi, limit):
    """The x in [first, last] with lo <= a * x mod m <= hi, in order, at most `limit`."""
    found, x = [], first
    while x <= last and len(found) < limit:
        residue = a * x % m
        low, high = (lo - residue) % m, (hi - residue) % m
        step = first_in(a, m, low, high) if low <= high else 0
        if step is None:
            break
        x += step
        if x <= last:
            found.append(x)
        x += 1
    return found


def shortest(c, q, k, power, shift):
    """shortest_regular of num/shortest.h: (head, tail)."""
    product = power * (c << shift) >> 64
    integral, f = product >> 70, product >> 6 & (2**64 - 1)
    reach = (power >> 64 >> (7 - shift)) + (~c & 1)
    digit = ((f + BIAS & (2**64 - 1)) * 10) >> 64
    if f == 1 << 62:
        digit = 2
    up = f + reach >= 2**64
    return integral + up, 0 if up or f < reach else digit


def expected(c, q, k):
    """By exact arithmetic: the multiple of 10^(k+1) in the interval if there is one, else the nearest of 10^k."""
    unit = Fraction(10) ** (k + 1)
    v, half = Fraction(c) * Fraction(2) ** q / unit, Fraction(2) ** (q - 1) / unit
    for m in (v.numerator // v.denominator, v.numerator // v.denominator + 1):
        distance = abs(v - m)
        if distance < half or (distance == half and c % 2 == 0):
            return m, 0
    digits = round(v * 10)  # ties to even
    assert abs(v * 10 - digits) <= half * 10
    return digits // 10, digits % 10


def main():
    tried = sampled = 0
    for q in range(-1074, 972):
        k = floor_log10_pow2(q)
        power = pow10(-k - 1)
        shift = q + floor_log2_pow10(-k - 1) + 7
        assert 3 <= shift <= 6
        first, last = (1 if q == -1074 else 2**52), 2**53 - 1
        a, m = power << shift, 1 << 134
        half = power >> 64 >> (7 - shift)
        points = [half, 2**64 - half, 1 << 62] + [((2 * j + 1) << 64) // 20 for j in range(10)]
        for point in points:
            lo, hi = max(point - WINDOW, 0), min(point + WINDOW, 2**64 - 1)
            some = solutions(a, m, first, last, lo << 70, (hi + 1 << 70) - 1, LIMIT)
            if len(some) == LIMIT:
                exact = 0 <= -k - 1 <= 55
                if not exact:  # then the rounding of the power must not reach f for any c near here
                    for f in range(lo, hi + 1):
                        band = [] if f == 0 else solutions(a, m, first, last, (f << 70) - 2**60, (f << 70) + 2**60, LIMIT)
                        some += band
                        assert len(band) < LIMIT, (q, f)
                for f in range(lo, hi + 1):
                    for low, high in ((f << 70, f << 70), ((f << 70) + 1, (f + 1 << 70) - 1)):
                        for parity in (0, 1):
                            # c = 2 t + parity
                            shifted = a * parity
                            l, h = (low - shifted) % m, (high - shifted) % m
                            if l <= h:
                                t = solutions(2 * a % m, m, first // 2 + 1, last // 2 - 1, l, h, 2)
                                some += [2 * x + parity for x in t]
                sampled += 1
            for c in some:
                tried += 1
                if shortest(c, q, k, power, shift) != expected(c, q, k):
                    raise SystemExit(f"wrong: c = {c}, q = {q}: {shortest(c, q, k, power, shift)}, not {expected(c, q, k)}")
    print(f"{tried} significands next to a decision tried, {sampled} windows by representatives: all right")


if __name__ == "__main__":
    main()
