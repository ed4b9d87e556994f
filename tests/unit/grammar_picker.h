// What the tests of the grammar's doors share: documents of every source, and a builder that does not want every value.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grammar/parser.h"
#include "grammar/text.h"

namespace picker {

using namespace ocior;
using grammar::Error;

// Writes down what it is told: brackets, keys and numbers as they are, s for a string, the first letter of a word. It does not want the
// values of keys that begin with an underscore.
template <typename Source>
struct Picker : grammar::Call<Source> {
    using Unit = typename Source::Unit;
    using Value = bool;
    struct Cursor {};
    struct Frame {
        grammar::Inside inside;
    };

    std::string events{};
    std::vector<Frame> frames = std::vector<Frame>(1);
    std::size_t values = 0;

    Picker(grammar::Text<Source> document, grammar::Workspace& memory, std::size_t most_depth = ocior::kMaxDepth)
        : grammar::Call<Source>{document, true, memory, Error::kNone, most_depth} {}

    bool add(char event) { return events += event, true; }
    Frame* begin(Cursor&) { return frames[0] = {grammar::Inside::kNothing}, frames.data(); }
    Frame* enter(std::size_t depth, grammar::Inside inside, char event) {
        add(event);
        if (depth == frames.size()) frames.resize(2 * depth);
        frames[depth] = {inside};
        return frames.data() + depth;
    }
    Frame* enter_array(Cursor&, Frame*, std::size_t depth) { return enter(depth, grammar::Inside::kArray, '['); }
    Frame* enter_object(Cursor&, Frame*, std::size_t depth) { return enter(depth, grammar::Inside::kObject, '{'); }
    bool string(Cursor&, const Unit*& p) {
        const Unit* const first = p;
        return skip_string(*this, first, p) && add('s');
    }
    grammar::Key key(Cursor&, Frame&, const Unit*& p) {
        const Unit* const first = p;
        if (!skip_string(*this, first, p)) return grammar::Key::kFailed;
        if (*first == '_') return grammar::Key::kUnwanted;
        events.append(first, p - 1);
        return grammar::Key::kWanted;
    }
    bool number_text(Cursor&, const Unit* first, const Unit* last) { return events.append(first, last), true; }
    bool word(Cursor&, grammar::Word word, const Unit*) { return add("fnt"[word]); }
    bool non_finite(Cursor&, grammar::NonFinite which, const Unit*) { return add("NI-"[static_cast<unsigned>(which)]); }
    bool push(Cursor&, bool, const Unit*) { return ++values, true; }
    bool close_array(Cursor&, Frame&) { return add(']'); }
    bool close_object(Cursor&, Frame&) { return add('}'); }
    bool finish(Cursor&) { return true; }
    void drop(Cursor&) { add('!'); }
};

// A text of ASCII, in units of a source. '~' becomes a character of as many bits as the source has.
template <typename Source>
std::vector<typename Source::Unit> units_of(const std::string& text) {
    std::vector<typename Source::Unit> units;
    for (const char c : text) {
        if (c != '~') units.push_back(static_cast<typename Source::Unit>(static_cast<unsigned char>(c)));
        else if (Source::kUtf8) units.insert(units.end(), {0xE4, 0xB8, 0xAD});
        else units.push_back(static_cast<typename Source::Unit>(0x1F600E9u >> (sizeof(typename Source::Unit) == 1 ? 0 : 4)));
    }
    return units;
}

// The units with what a builder may read behind them, filled with what would do harm if it were taken for text.
template <typename Source>
struct Padded {
    using Unit = typename Source::Unit;
    std::vector<Unit> units;
    grammar::Text<Source> text;

    explicit Padded(std::vector<Unit> document) : units(std::move(document)) {
        const std::size_t length = units.size();
        units.push_back(0);
        for (std::size_t i = 0; i < kReadSlack / sizeof(Unit); ++i) units.push_back(static_cast<Unit>("\"]}0,u"[i % 6]));
        text = {units.data(), units.data() + length};
    }
    explicit Padded(const std::string& document) : Padded(units_of<Source>(document)) {}
    Padded(const Padded&) = delete;
};

// Calls act(Source{}) for every source.
template <typename Act>
void for_each_source(Act&& act) {
    act(grammar::Utf8Source{});
    act(grammar::Latin1Source{});
    act(grammar::Ucs2Source{});
    act(grammar::Ucs4Source{});
}

// What was read: the events, and the number of the unit behind the value, or of the one to blame.
struct Outcome {
    std::string events;
    Error error;
    std::size_t offset;
};

template <typename Source>
Outcome pick(grammar::Workspace& workspace, const grammar::Text<Source>& text, std::size_t most_depth = ocior::kMaxDepth,
             std::size_t depth = 0) {
    Picker<Source> builder(text, workspace, most_depth);
    const auto parsed = grammar::Parser<Source, Picker<Source>>::run(builder, text.first, depth);
    return {builder.events, builder.error, static_cast<std::size_t>(parsed.next - text.first)};
}

}  // namespace picker
