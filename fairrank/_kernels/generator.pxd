"""xoshiro256++ (Blackman and Vigna 2021), inlined where loops draw; seeded by a SeedSequence.

`below` is Lemire's (2019) multiply-and-shift with rejection: exactly uniform, two 32-bit
numbers from every 64-bit one.
"""

from libc.stdint cimport uint32_t, uint64_t


cdef struct Generator:
    uint64_t s0
    uint64_t s1
    uint64_t s2
    uint64_t s3
    uint64_t spare      # the unused half of the last 64-bit number
    bint has_spare


cdef inline Generator seeded(const uint64_t[::1] seed) noexcept nogil:
    cdef Generator rng
    rng.s0, rng.s1, rng.s2 = seed[0], seed[1], seed[2]
    rng.s3 = seed[3] | 1  # the all-zero state is the one that never moves
    rng.spare = 0
    rng.has_spare = False
    return rng


cdef inline uint64_t rotate(uint64_t x, int k) noexcept nogil:
    return (x << k) | (x >> (64 - k))


cdef inline uint64_t next64(Generator* rng) noexcept nogil:
    cdef uint64_t result = rotate(rng.s0 + rng.s3, 23) + rng.s0
    cdef uint64_t t = rng.s1 << 17
    rng.s2 ^= rng.s0
    rng.s3 ^= rng.s1
    rng.s1 ^= rng.s2
    rng.s0 ^= rng.s3
    rng.s2 ^= t
    rng.s3 = rotate(rng.s3, 45)
    return result


cdef inline uint32_t next32(Generator* rng) noexcept nogil:
    cdef uint64_t x
    if rng.has_spare:
        rng.has_spare = False
        return <uint32_t> rng.spare
    x = next64(rng)
    rng.spare = x >> 32
    rng.has_spare = True
    return <uint32_t> x


cdef inline uint32_t below(Generator* rng, uint32_t n) noexcept nogil:
    """Uniform on 0 .. n - 1; n must not be 0."""
    cdef uint64_t product = <uint64_t> next32(rng) * n
    cdef uint32_t low = <uint32_t> product, threshold
    if low < n:
        threshold = (<uint32_t> (-n)) % n
        while low < threshold:
            product = <uint64_t> next32(rng) * n
            low = <uint32_t> product
    return <uint32_t> (product >> 32)


cdef inline double uniform(Generator* rng) noexcept nogil:
    """Uniform on [0, 1), 53 bits."""
    return (next64(rng) >> 11) * 1.1102230246251565e-16
