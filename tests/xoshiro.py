"""xoshiro256++ with Lemire's bounded integers, in plain Python: what the kernels' draws must be.

Transcribed from Blackman and Vigna (2021) and Lemire (2019); numpy and the standard library only.
"""

WORD = 2**64 - 1
HALF = 2**32 - 1


def rotated(x, k):
    return ((x << k) | (x >> (64 - k))) & WORD


class Xoshiro:
    """One stream; two 32-bit numbers from every 64-bit one, the low half first."""

    def __init__(self, seed):
        self.s = [int(word) for word in seed]
        self.s[3] |= 1
        self.spare = None

    def next64(self):
        s = self.s
        result = (rotated((s[0] + s[3]) & WORD, 23) + s[0]) & WORD
        shifted = (s[1] << 17) & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotated(s[3], 45)
        return result

    def next32(self):
        if self.spare is not None:
            low, self.spare = self.spare, None
            return low
        x = self.next64()
        self.spare = x >> 32
        return x & HALF

    def below(self, n):
        """Uniform on 0 .. n - 1."""
        product = self.next32() * n
        while (product & HALF) < (2**32 - n) % n:
            product = self.next32() * n
        return product >> 32

    def uniform(self):
        """Uniform on [0, 1) with 53 bits."""
        return (self.next64() >> 11) * 2.0**-53


def resampled_rows(seed, rows_of_group, n_draws):
    """Rows of `n_draws` group-stratified resamples, group after group."""
    rng = Xoshiro(seed)
    return [
        [rows[rng.below(len(rows))] for rows in rows_of_group for _ in rows]
        for _ in range(n_draws)
    ]


def drawn_outcomes(seed, probability, n_draws):
    """Outcomes ~ Bernoulli(probability) of every row, `n_draws` times."""
    rng = Xoshiro(seed)
    return [[int(rng.uniform() < p) for p in probability] for _ in range(n_draws)]
