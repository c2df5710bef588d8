from libc.stdint cimport int32_t, uint8_t, uint64_t
from numpy cimport intp_t

from fairrank._kernels.generator cimport Generator

cdef unsigned int cheapest_chance(intp_t n, intp_t n_drawn) noexcept nogil
cdef void fill_deck(uint8_t[::1] deck, const intp_t[:, ::1] n_drawn) noexcept nogil
cdef void place(uint64_t[::1] bitmap, Generator* rng, const int32_t[::1] position,
                const intp_t[::1] stratum_start, const intp_t[::1] n_drawn,
                unsigned int chance) noexcept nogil
cdef void place_labels(uint64_t[::1] bitmap, uint8_t[::1] label, uint8_t[::1] deck,
                       Generator* rng, const int32_t[::1] position,
                       const intp_t[::1] stratum_start, const intp_t[:, ::1] n_drawn,
                       unsigned int chance) noexcept nogil
