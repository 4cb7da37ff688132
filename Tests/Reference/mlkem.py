"""ML-KEM-768 (FIPS 203) and its hybrid with X25519 (draft-ietf-hpke-pq-03, MLKEM768-X25519), in plain Python.

Call `Hybrid(seed)`, `encapsulate(public, rand)` and `Hybrid.decapsulate`. Written to be read beside the standard, and for
test vectors alone: its time depends on its secrets.
"""

import hashlib

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

Q, N, K, ETA, DU, DV = 3329, 256, 3, 2, 10, 4
PUBLIC_BYTE_COUNT, CIPHERTEXT_BYTE_COUNT = 384 * K + 32, 32 * (DU * K + DV)
LABEL = rb"\.//^" + b"\\"


class KEMFault(Exception):
    """A key or ciphertext that the standard refuses."""


def _g(data):
    digest = hashlib.sha3_512(data).digest()
    return digest[:32], digest[32:]


def _h(data):
    return hashlib.sha3_256(data).digest()


# Polynomials: 256 coefficients modulo Q

def _reversed_bits(number):
    return int(f"{number:07b}"[::-1], 2)


ZETAS = [pow(17, _reversed_bits(i), Q) for i in range(128)]
GAMMAS = [pow(17, 2 * _reversed_bits(i) + 1, Q) for i in range(128)]


def _ntt(f):
    f, i, length = list(f), 1, 128
    while length >= 2:
        for start in range(0, N, 2 * length):
            zeta, i = ZETAS[i], i + 1
            for j in range(start, start + length):
                t = zeta * f[j + length]
                f[j], f[j + length] = (f[j] + t) % Q, (f[j] - t) % Q
        length //= 2
    return f


def _inverse_ntt(f):
    f, i, length = list(f), 127, 2
    while length <= 128:
        for start in range(0, N, 2 * length):
            zeta, i = ZETAS[i], i - 1
            for j in range(start, start + length):
                t = f[j]
                f[j], f[j + length] = (t + f[j + length]) % Q, zeta * (f[j + length] - t) % Q
        length *= 2
    return [x * 3303 % Q for x in f]


def _product(f, g):
    h = []
    for i, gamma in enumerate(GAMMAS):
        a, b, c, d = f[2 * i], f[2 * i + 1], g[2 * i], g[2 * i + 1]
        h += [(a * c + b * d * gamma) % Q, (a * d + b * c) % Q]
    return h


def _sum(*polynomials):
    return [sum(column) % Q for column in zip(*polynomials)]


def _dot(row, vector):
    return _sum(*(_product(f, g) for f, g in zip(row, vector)))


def _sample_uniform(seed):
    data, f, i = hashlib.shake_128(seed).digest(3 * 840), [], 0
    while len(f) < N:
        a, b, c = data[i:i + 3]
        f += [x for x in (a + 256 * (b % 16), b // 16 + 16 * c) if x < Q]
        i += 3
    return f[:N]


def _sample_small(seed, counter):
    data = hashlib.shake_256(seed + bytes([counter])).digest(64 * ETA)
    bits = [byte >> j & 1 for byte in data for j in range(8)]
    return [(sum(bits[4 * i:4 * i + 2]) - sum(bits[4 * i + 2:4 * i + 4])) % Q for i in range(N)]


def _matrix(rho):
    return [[_sample_uniform(rho + bytes([j, i])) for j in range(K)] for i in range(K)]


# Bytes

def _encode(f, width):
    return sum(x << width * i for i, x in enumerate(f)).to_bytes(32 * width, "little")


def _decode(data, width):
    number = int.from_bytes(data, "little")
    return [number >> width * i & (1 << width) - 1 for i in range(N)]


def _compress(f, width):
    return [((x << width) + Q // 2) // Q % (1 << width) for x in f]


def _decompress(f, width):
    return [(x * Q + (1 << width - 1)) >> width for x in f]


def _pieces(data, count):
    return [data[i:i + count] for i in range(0, len(data), count)]


# The encryption inside, K-PKE

def _make(d):
    rho, sigma = _g(d + bytes([K]))
    secret = [_ntt(_sample_small(sigma, i)) for i in range(K)]
    noise = [_ntt(_sample_small(sigma, K + i)) for i in range(K)]
    t = [_sum(_dot(row, secret), e) for row, e in zip(_matrix(rho), noise)]
    return b"".join(_encode(f, 12) for f in t) + rho, secret


def _encrypt(public, message, randomness):
    t, matrix = [_decode(piece, 12) for piece in _pieces(public[:-32], 384)], _matrix(public[-32:])
    y = [_ntt(_sample_small(randomness, i)) for i in range(K)]
    u = [_sum(_inverse_ntt(_dot([matrix[j][i] for j in range(K)], y)), _sample_small(randomness, K + i))
         for i in range(K)]
    v = _sum(_inverse_ntt(_dot(t, y)), _sample_small(randomness, 2 * K), _decompress(_decode(message, 1), 1))
    return b"".join(_encode(_compress(f, DU), DU) for f in u) + _encode(_compress(v, DV), DV)


def _decrypt(secret, ciphertext):
    u = [_decompress(_decode(piece, DU), DU) for piece in _pieces(ciphertext[:32 * DU * K], 32 * DU)]
    v = _decompress(_decode(ciphertext[32 * DU * K:], DV), DV)
    shared = _inverse_ntt(_dot(secret, [_ntt(f) for f in u]))
    return _encode(_compress([(a - b) % Q for a, b in zip(v, shared)], 1), 1)


# ML-KEM itself

def lattice_encapsulate(public, message):
    if len(public) != PUBLIC_BYTE_COUNT:
        raise KEMFault("a public key has 1184 bytes")
    if any(x >= Q for piece in _pieces(public[:-32], 384) for x in _decode(piece, 12)):
        raise KEMFault("a coefficient of the public key is too large")
    secret, randomness = _g(message + _h(public))
    return _encrypt(public, message, randomness), secret


def lattice_decapsulate(seed, ciphertext):
    public, secret = _make(seed[:32])
    message = _decrypt(secret, ciphertext)
    shared, randomness = _g(message + _h(public))
    if _encrypt(public, message, randomness) == ciphertext:
        return shared
    return hashlib.shake_256(seed[32:] + ciphertext).digest(32)


# The hybrid

def _raw(key):
    return key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def encapsulate(public, rand):
    """(ciphertext 1120 bytes, secret 32 bytes) for a public key of 1216 bytes."""
    ephemeral = X25519PrivateKey.from_private_bytes(rand(32))
    ciphertext, lattice = lattice_encapsulate(public[:-32], rand(32))
    curve = ephemeral.exchange(X25519PublicKey.from_public_bytes(public[-32:]))
    return ciphertext + _raw(ephemeral), _h(lattice + curve + _raw(ephemeral) + public[-32:] + LABEL)


class Hybrid:
    """A private key: `seed` 32 bytes, `public` 1216 bytes."""

    def __init__(self, seed):
        both = hashlib.shake_256(seed).digest(96)
        self.seed, self.lattice, self.curve = seed, both[:64], X25519PrivateKey.from_private_bytes(both[64:])
        self.public = _make(self.lattice[:32])[0] + _raw(self.curve)

    def decapsulate(self, ciphertext):
        if len(ciphertext) != CIPHERTEXT_BYTE_COUNT + 32:
            raise KEMFault("a ciphertext has 1120 bytes")
        share = ciphertext[-32:]
        try:
            curve = self.curve.exchange(X25519PublicKey.from_public_bytes(share))
        except ValueError:
            raise KEMFault("a point of low order") from None
        lattice = lattice_decapsulate(self.lattice, ciphertext[:-32])
        return _h(lattice + curve + share + self.public[-32:] + LABEL)
