"""One bit a row: sets drawn without shuffling and walked in order."""

from libc.stdint cimport uint32_t, uint64_t

from fairrank._kernels.generator cimport Generator, below, next64

cdef extern from *:
    """
    #if defined(__GNUC__)
    static inline int fairrank_lowest_bit(unsigned long long x)
    { return __builtin_ctzll(x); }
    static inline int fairrank_count_bits(unsigned long long x)
    { return __builtin_popcountll(x); }
    #elif defined(_MSC_VER) && defined(_M_X64)
    #include <intrin.h>
    static __inline int fairrank_lowest_bit(unsigned long long x)
    { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
    static __inline int fairrank_count_bits(unsigned long long x)
    { return (int)__popcnt64(x); }
    #else
    /* Any C: bits are summed in pairs, fours and bytes, and the bytes by the product. */
    static int fairrank_count_bits(unsigned long long x)
    {
        x -= (x >> 1) & 0x5555555555555555ULL;
        x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
        x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
        return (int)((x * 0x0101010101010101ULL) >> 56);
    }
    static int fairrank_lowest_bit(unsigned long long x)
    { return fairrank_count_bits((x & (~x + 1)) - 1); }
    #endif
    """
    int lowest_bit "fairrank_lowest_bit"(uint64_t x) noexcept nogil
    int count_bits "fairrank_count_bits"(uint64_t x) noexcept nogil


cdef inline bint has_row(const uint64_t[::1] bitmap, uint32_t row) noexcept nogil:
    return (bitmap[row >> 6] >> (row & 63)) & 1


cdef inline void set_row(uint64_t[::1] bitmap, uint32_t row) noexcept nogil:
    bitmap[row >> 6] |= (<uint64_t> 1) << (row & 63)


cdef inline void clear_row(uint64_t[::1] bitmap, uint32_t row) noexcept nogil:
    bitmap[row >> 6] &= ~((<uint64_t> 1) << (row & 63))


cdef inline void clear_all(uint64_t[::1] bitmap) noexcept nogil:
    cdef Py_ssize_t w
    for w in range(bitmap.shape[0]):
        bitmap[w] = 0


cdef inline Py_ssize_t scatter(uint64_t[::1] bitmap, Generator* rng, Py_ssize_t n,
                               unsigned int chance) noexcept nogil:
    """Mark each of n rows independently with probability chance / 256; returns how many.

    64 rows at a time: `chance` is read from its lowest binary digit up, and each digit halves the
    probability after adding its own.
    """
    cdef Py_ssize_t w, marked = 0
    cdef uint64_t word
    cdef unsigned int digits
    for w in range(bitmap.shape[0]):
        word, digits = 0, chance | 256  # the sentinel ends the loop after eight digits
        while not digits & 1:
            digits >>= 1                # trailing zeros leave an empty word empty
        while digits > 1:
            word = (word | next64(rng)) if digits & 1 else (word & next64(rng))
            digits >>= 1
        if w == bitmap.shape[0] - 1 and n & 63:
            word &= ((<uint64_t> 1) << (n & 63)) - 1
        bitmap[w] = word
        marked += count_bits(word)
    return marked
