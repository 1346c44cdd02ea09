// Parses a JSON document with simdjson: a reference for the cost of a syntax check.
//
// Usage: simdjson_check dom|ondemand FILE     exit status 0: valid, 3: unreadable or malformed
//
// The file is loaded into memory. `dom` parses it into simdjson's tape; `ondemand` walks through it, reads the value of every scalar, and keeps
// nothing.
#include <cstdio>
#include <cstring>

#include <simdjson.h>

namespace {

using namespace simdjson;

void walk(ondemand::value value) {
  switch (value.type()) {
    case ondemand::json_type::array:
      for (auto item : value.get_array()) walk(item.value());
      break;
    case ondemand::json_type::object:
      for (auto field : value.get_object()) {
        (void)field.unescaped_key().value();
        walk(field.value());
      }
      break;
    case ondemand::json_type::string: (void)value.get_string().value(); break;
    case ondemand::json_type::number: (void)value.get_number().value(); break;
    case ondemand::json_type::boolean: (void)value.get_bool().value(); break;
    case ondemand::json_type::null:
      if (!value.is_null()) throw simdjson_error(N_ATOM_ERROR);
      break;
  }
}

void check(const char *way, const char *path) {
  const padded_string text = padded_string::load(path);
  if (std::strcmp(way, "dom") == 0) {
    dom::parser parser;
    (void)parser.parse(text).value();
    return;
  }
  ondemand::parser parser;
  ondemand::document document = parser.iterate(text);
  walk(document.get_value());
  if (document.current_location().error() != OUT_OF_BOUNDS) throw simdjson_error(TRAILING_CONTENT);
}

}  // namespace

int main(int count, char **arguments) {
  if (count != 3 || (std::strcmp(arguments[1], "dom") != 0 && std::strcmp(arguments[1], "ondemand") != 0)) {
    std::fputs("usage: simdjson_check dom|ondemand FILE\n", stderr);
    return 2;
  }
  try {
    check(arguments[1], arguments[2]);
  } catch (const simdjson_error &error) {
    std::fprintf(stderr, "%s: %s\n", arguments[2], error.what());
    return 3;
  }
}
