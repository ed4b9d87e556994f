#include "text/rich.h"

#include <cmath>

namespace ocior::text {
namespace {

// Text that is read from its beginning on.
class Scanner {
public:
    Scanner(const std::uint8_t* text, std::size_t length) noexcept : at_(text), end_(text + length) {}

    bool is_at_end() const noexcept { return at_ == end_; }
    std::uint8_t peek() const noexcept { return at_ == end_ ? 0 : *at_; }
    bool take(char one, char other = 0) noexcept {
        if (at_ == end_ || (*at_ != static_cast<std::uint8_t>(one) && (other == 0 || *at_ != static_cast<std::uint8_t>(other))))
            return false;
        return ++at_, true;
    }
    // Exactly so many digits.
    bool digits(int count, int& value) noexcept {
        if (end_ - at_ < count) return false;
        value = 0;
        for (int i = 0; i < count; ++i, ++at_) {
            const unsigned digit = *at_ - '0';
            if (digit > 9) return false;
            value = 10 * value + static_cast<int>(digit);
        }
        return true;
    }
    static constexpr std::uint64_t kMost = 10'000'000'000'000'000'000u;
    // One digit or more; what is above kMost stays there.
    bool number(std::uint64_t& value) noexcept {
        const std::uint8_t* const first = at_;
        value = 0;
        for (; at_ != end_ && static_cast<unsigned>(*at_ - '0') <= 9; ++at_)
            value = value >= kMost / 10 ? kMost : 10 * value + static_cast<unsigned>(*at_ - '0');
        return at_ != first;
    }
    struct Fraction {
        std::int64_t billionths = 0;
        bool is_exact = true, is_short = true;  // nothing but zeros was cut; nothing was
    };
    // One digit or more behind a point.
    bool fraction(Fraction& read) noexcept {
        const std::uint8_t* const first = at_;
        std::int64_t unit = 100'000'000;
        for (; at_ != end_ && static_cast<unsigned>(*at_ - '0') <= 9; ++at_, unit /= 10) {
            read.billionths += unit * (*at_ - '0');
            read.is_exact &= unit > 0 || *at_ == '0';
        }
        read.is_short = at_ - first <= 9;
        return at_ != first;
    }

private:
    const std::uint8_t* at_;
    const std::uint8_t* const end_;
};

bool is_leap(int year) noexcept { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_of_month(const Moment& m) noexcept {
    constexpr std::uint8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return kDays[m.month - 1] + (m.month == 2 && is_leap(m.year));
}

bool take_date(Scanner& scanner, Moment& m) noexcept {
    if (!scanner.digits(4, m.year) || !scanner.take('-') || !scanner.digits(2, m.month) || !scanner.take('-') || !scanner.digits(2, m.day))
        return false;
    if (m.year < 1 || m.month < 1 || m.month > 12 || m.day < 1) return false;
    return m.day <= days_of_month(m);
}

bool take_time(Scanner& scanner, Moment& m) noexcept {
    if (!scanner.digits(2, m.hour) || !scanner.take(':') || !scanner.digits(2, m.minute) || !scanner.take(':') ||
        !scanner.digits(2, m.second))
        return false;
    if (m.hour > 23 || m.minute > 59 || m.second > 59) return false;
    if (scanner.take('.')) {
        Scanner::Fraction fraction;
        if (!scanner.fraction(fraction)) return false;
        m.microsecond = static_cast<int>(fraction.billionths / 1000);
        m.nanosecond = static_cast<int>(fraction.billionths % 1000);
        m.is_nearer_to_next = m.nanosecond >= 500;
        m.is_exact = fraction.is_exact;
    }
    m.has_offset = !scanner.is_at_end();
    if (!m.has_offset || scanner.take('Z', 'z')) return true;
    const bool is_negative = scanner.peek() == '-';
    int hours, minutes;
    if (!scanner.take('+', '-') || !scanner.digits(2, hours) || (scanner.take(':'), !scanner.digits(2, minutes)) || hours > 23 ||
        minutes > 59)
        return false;
    m.offset_seconds = (is_negative ? -60 : 60) * (60 * hours + minutes);
    return true;
}

constexpr std::int64_t kMicrosecond = 1'000'000;  // in a second
constexpr std::uint32_t kBillion = 1'000'000'000;
constexpr std::int64_t kMostDays = 999'999'999;

}  // namespace

bool read_datetime(const std::uint8_t* text, std::size_t length, Moment& m) noexcept {
    Scanner scanner(text, length);
    if (!take_date(scanner, m) || !(scanner.take('T', 't') || scanner.take(' '))) return false;
    return take_time(scanner, m) && scanner.is_at_end();
}

bool read_date(const std::uint8_t* text, std::size_t length, Moment& m) noexcept {
    Scanner scanner(text, length);
    return take_date(scanner, m) && scanner.is_at_end();
}

bool read_time(const std::uint8_t* text, std::size_t length, Moment& m) noexcept {
    Scanner scanner(text, length);
    return take_time(scanner, m) && scanner.is_at_end();
}

bool round_up(Moment& m, bool has_date) noexcept {
    // From the microsecond up, each part that is full begins again, and the next one goes on.
    const auto is_full = [](int& part, int last, int first) { return part++ == last && (part = first, true); };
    if (!is_full(m.microsecond, 999'999, 0) || !is_full(m.second, 59, 0) || !is_full(m.minute, 59, 0) || !is_full(m.hour, 23, 0))
        return true;
    if (!has_date) return true;
    return !is_full(m.day, days_of_month(m), 1) || !is_full(m.month, 12, 1) || ++m.year <= 9999;
}

bool split_duration(std::int64_t microseconds, Duration& duration) noexcept {
    const std::int64_t seconds = floor_divide(microseconds, kMicrosecond);
    duration.microseconds = microseconds - seconds * kMicrosecond;
    duration.days = floor_divide(seconds, kSecondsOfDay);
    duration.seconds = seconds - duration.days * kSecondsOfDay;
    return -kMostDays <= duration.days && duration.days <= kMostDays;
}

bool read_period(const std::uint8_t* text, std::size_t length, Period& period) noexcept {
    Scanner scanner(text, length);
    period.is_negative = scanner.take('-');
    if (!period.is_negative) (void)scanner.take('+');
    if (!scanner.take('P')) return false;
    // The parts in the order in which they may come, the time behind a T.
    constexpr struct {
        char letter;
        std::int64_t seconds;
    } kParts[] = {{'W', 7 * kSecondsOfDay}, {'D', kSecondsOfDay}, {'T', 0}, {'H', 3600}, {'M', 60}, {'S', 1}};
    std::size_t next = 0;
    Scanner::Fraction fraction;
    bool is_any = false, is_last = false;
    while (!scanner.is_at_end()) {
        if (scanner.peek() == 'T') {
            if (next > 2 || is_last || !scanner.take('T') || scanner.is_at_end()) return false;
            next = 3;
            continue;
        }
        std::uint64_t whole;
        if (is_last || !scanner.number(whole)) return false;
        if (scanner.take('.')) {
            is_last = true;
            if (!scanner.fraction(fraction)) return false;
        }
        const bool is_time = next >= 3;
        std::size_t part = next;
        while (part < 6 && scanner.peek() != static_cast<std::uint8_t>(kParts[part].letter)) ++part;
        if (part >= 6 || kParts[part].seconds == 0 || is_time != (part >= 3)) return false;
        (void)scanner.take(kParts[part].letter);
        is_last |= part == 0;  // weeks stand alone
        period.has_weeks |= part == 0;
        next = part + 1;
        is_any = true;
        // Of at most 4 parts of 10^19 weeks 128 bits hold the sum; only the last part has a fraction.
        const auto seconds = static_cast<std::uint64_t>(kParts[part].seconds);
        period.billionths += static_cast<uint128>(whole) * seconds * kBillion + static_cast<std::uint64_t>(fraction.billionths) * seconds;
    }
    period.is_exact = fraction.is_exact;
    period.is_short = fraction.is_short;
    return is_any;
}

bool read_duration(const std::uint8_t* text, std::size_t length, Duration& duration) noexcept {
    Period period;
    constexpr std::int64_t kMost = (kMostDays + 1) * kSecondsOfDay;  // in seconds
    if (!read_period(text, length, period) || period.billionths >= static_cast<uint128>(kMost) * kBillion) return false;
    const Division parts = divide(period.billionths, kBillion);
    const auto seconds = static_cast<std::int64_t>(static_cast<std::uint64_t>(parts.quotient));
    const bool is_exact = period.is_short && parts.rest % 1000 == 0;
    duration = {seconds / kSecondsOfDay, seconds % kSecondsOfDay, parts.rest / 1000, is_exact, period.has_weeks};
    if (!period.is_negative) return duration.days <= kMostDays;
    duration.days = -duration.days, duration.seconds = -duration.seconds, duration.microseconds = -duration.microseconds;
    if (duration.microseconds < 0) duration.microseconds += kMicrosecond, --duration.seconds;
    if (duration.seconds < 0) duration.seconds += kSecondsOfDay, --duration.days;
    return duration.days >= -kMostDays;
}

bool datetime_of_seconds(double seconds, Moment& m) noexcept {
    constexpr double kFirst = -62135596800.0, kLast = 253402300800.0;  // 0001-01-01, 10000-01-01
    if (!(seconds >= kFirst && seconds < kLast)) return false;
    double whole = std::floor(seconds);
    auto microsecond = static_cast<std::int64_t>(std::nearbyint((seconds - whole) * 1e6));
    if (microsecond >= kMicrosecond) microsecond -= kMicrosecond, whole += 1;
    if (whole >= kLast) return false;
    const auto since = static_cast<std::int64_t>(whole);
    const Date date = date_of_day(floor_divide(since, kSecondsOfDay));
    const auto second = static_cast<int>(floor_modulo(since, kSecondsOfDay));
    m = {static_cast<int>(date.year),
         static_cast<int>(date.month),
         static_cast<int>(date.day),
         second / 3600,
         second / 60 % 60,
         second % 60,
         static_cast<int>(microsecond),
         true,
         0};
    return true;
}

bool duration_of_seconds(double seconds, Duration& duration) noexcept {
    constexpr double kMost = 86400.0 * (kMostDays + 1);
    if (!(seconds > -kMost && seconds < kMost)) return false;
    const double days = std::floor(seconds / 86400.0), rest = seconds - days * 86400.0;
    const auto microseconds = static_cast<std::int64_t>(std::nearbyint(rest * 1e6));
    duration = {static_cast<std::int64_t>(days), microseconds / kMicrosecond, microseconds % kMicrosecond};
    if (duration.seconds >= kSecondsOfDay) duration.seconds -= kSecondsOfDay, ++duration.days;
    return -kMostDays <= duration.days && duration.days <= kMostDays;
}

namespace {

struct Values {
    std::uint8_t of[256] = {};
};
constexpr std::uint8_t kNone = 0xff;
constexpr Values kHex = [] {
    Values values;
    for (std::uint8_t& value : values.of) value = kNone;
    for (int i = 0; i < 10; ++i) values.of['0' + i] = static_cast<std::uint8_t>(i);
    for (int i = 0; i < 6; ++i) values.of['a' + i] = values.of['A' + i] = static_cast<std::uint8_t>(10 + i);
    return values;
}();
constexpr Values kBase64 = [] {
    Values values;
    for (std::uint8_t& value : values.of) value = kNone;
    for (int i = 0; i < 26; ++i) {
        values.of['A' + i] = static_cast<std::uint8_t>(i);
        values.of['a' + i] = static_cast<std::uint8_t>(26 + i);
    }
    for (int i = 0; i < 10; ++i) values.of['0' + i] = static_cast<std::uint8_t>(52 + i);
    values.of['+'] = 62, values.of['/'] = 63;
    return values;
}();

}  // namespace

bool read_uuid(const std::uint8_t* text, std::size_t length, std::uint8_t (&bytes)[16]) noexcept {
    const bool has_dashes = length == 36;
    if (!has_dashes && length != 32) return false;
    if (has_dashes && !(text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-')) return false;
    unsigned found = 0;
    for (std::size_t i = 0; i < 16; ++i) {
        if (has_dashes && (i == 4 || i == 6 || i == 8 || i == 10)) ++text;
        const unsigned high = kHex.of[text[0]], low = kHex.of[text[1]];
        found |= high | low;
        bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
        text += 2;
    }
    return found < 16;
}

std::ptrdiff_t base64_length(const std::uint8_t* text, std::size_t length) noexcept {
    if (length % 4 != 0) return -1;
    if (length == 0) return 0;
    return static_cast<std::ptrdiff_t>(length / 4 * 3 - (text[length - 1] == '=') - (text[length - 2] == '='));
}

bool read_base64(const std::uint8_t* text, std::size_t length, std::uint8_t* bytes) noexcept {
    if (length == 0) return true;
    unsigned found = 0;
    for (; length > 4; length -= 4, text += 4, bytes += 3) {
        const unsigned a = kBase64.of[text[0]], b = kBase64.of[text[1]], c = kBase64.of[text[2]], d = kBase64.of[text[3]];
        found |= a | b | c | d;
        const unsigned word = a << 18 | b << 12 | c << 6 | d;
        bytes[0] = static_cast<std::uint8_t>(word >> 16), bytes[1] = static_cast<std::uint8_t>(word >> 8),
        bytes[2] = static_cast<std::uint8_t>(word);
    }
    const bool has_two = text[2] == '=', has_three = !has_two && text[3] == '=';
    if (has_two && text[3] != '=') return false;
    const unsigned a = kBase64.of[text[0]], b = kBase64.of[text[1]], c = has_two ? 0 : kBase64.of[text[2]],
                   d = has_two || has_three ? 0 : kBase64.of[text[3]];
    found |= a | b | c | d;
    const unsigned word = a << 18 | b << 12 | c << 6 | d;
    bytes[0] = static_cast<std::uint8_t>(word >> 16);
    if (!has_two) bytes[1] = static_cast<std::uint8_t>(word >> 8);
    if (!has_two && !has_three) bytes[2] = static_cast<std::uint8_t>(word);
    return found < 64;
}

bool is_word(const std::uint8_t* text, std::size_t length, const char* word) noexcept {
    for (; length > 0 && *word; --length, ++text, ++word)
        if ((*text | 0x20) != static_cast<std::uint8_t>(*word)) return false;
    return length == 0 && !*word;
}

namespace {

const std::uint8_t* skip_digits(const std::uint8_t* at, const std::uint8_t* end) noexcept {
    while (at != end && static_cast<unsigned>(*at - '0') <= 9) ++at;
    return at;
}
// The end of the integer that begins the text; null where there is none.
const std::uint8_t* skip_integer(const std::uint8_t* at, const std::uint8_t* end) noexcept {
    at += at != end && *at == '-';
    if (at == end) return nullptr;
    const std::uint8_t* const last = skip_digits(at, end);
    return last == at || (*at == '0' && last != at + 1) ? nullptr : last;
}

}  // namespace

bool is_integer(const std::uint8_t* text, std::size_t length) noexcept { return skip_integer(text, text + length) == text + length; }

bool is_number(const std::uint8_t* text, std::size_t length) noexcept {
    const std::uint8_t* const end = text + length;
    const std::uint8_t* at = skip_integer(text, end);
    if (!at) return false;
    if (at != end && *at == '.') {
        const std::uint8_t* const last = skip_digits(at + 1, end);
        if (last == at + 1) return false;
        at = last;
    }
    if (at != end && (*at | 0x20) == 'e') {
        ++at;
        at += at != end && (*at == '-' || *at == '+');
        const std::uint8_t* const last = skip_digits(at, end);
        if (last == at) return false;
        at = last;
    }
    return at == end;
}

}  // namespace ocior::text
