// The texts a document can be written in. A source names the code unit and what the units above 0x7f mean; the parser is
// instantiated once per source.
#pragma once

#include "base/config.h"

namespace ocior::grammar {

struct Utf8Source {  // bytes, and ASCII str
    using Unit = std::uint8_t;
    static constexpr bool kUtf8 = true;
    static constexpr unsigned kIndex = 0;
};

struct Latin1Source {
    using Unit = std::uint8_t;
    static constexpr bool kUtf8 = false;
    static constexpr unsigned kIndex = 1;
};

struct Ucs2Source {
    using Unit = std::uint16_t;
    static constexpr bool kUtf8 = false;
    static constexpr unsigned kIndex = 2;
};

struct Ucs4Source {
    using Unit = std::uint32_t;
    static constexpr bool kUtf8 = false;
    static constexpr unsigned kIndex = 3;
};

inline constexpr unsigned kSourceCount = 4;

// What is written for each of them: instantiations.
#define OCIOR_FOR_EACH_SOURCE(write) write(Utf8Source) write(Latin1Source) write(Ucs2Source) write(Ucs4Source)

// A document: units in [first, last), a NUL at *last and kReadSlack readable bytes behind it.
template <typename Source>
struct Text {
    const typename Source::Unit* first;
    const typename Source::Unit* last;
};

}  // namespace ocior::grammar
