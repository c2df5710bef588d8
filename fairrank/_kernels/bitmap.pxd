"""One bit a row: sets drawn without shuffling and walked in order."""

from libc.stdint cimport uint32_t, uint64_t

from fairrank._kernels.generator cimport Generator, below

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static __inline int fairrank_lowest_bit(unsigned long long x)
    { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
    #else
    static inline int fairrank_lowest_bit(unsigned long long x)
    { return __builtin_ctzll(x); }
    #endif
    """
    int lowest_bit "fairrank_lowest_bit"(uint64_t x) noexcept nogil


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
