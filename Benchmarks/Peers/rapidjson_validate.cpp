// Validates a JSON document of any size against a JSON Schema (draft 4) with RapidJSON, as a stream: no document is built.
//
// Usage: rapidjson_validate SCHEMA FILE     exit status 0: valid, 1: invalid, 3: unreadable or malformed
//
// As RapidJSON's documentation recommends for streams, its SAX reader passes every event to a SchemaValidator. UTF-8 is checked, like in Coffer
// and yajl.
#include <cstdio>
#include <memory>

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/filereadstream.h>
#include <rapidjson/reader.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

namespace {

struct Closing {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closing>;

char buffer[1 << 16];

int complain(const char *path, const char *problem, std::size_t offset) {
  std::fprintf(stderr, "%s: %s, byte %zu\n", path, problem, offset);
  return 3;
}

int validate(const char *path, const rapidjson::SchemaDocument &schema) {
  File file(std::fopen(path, "rb"));
  if (!file) return complain(path, "can't be opened", 0);
  rapidjson::FileReadStream stream(file.get(), buffer, sizeof buffer);
  rapidjson::SchemaValidator validator(schema);
  rapidjson::Reader reader;
  const auto result = reader.Parse<rapidjson::kParseValidateEncodingFlag>(stream, validator);
  if (!validator.IsValid()) {
    rapidjson::StringBuffer place;
    validator.GetInvalidDocumentPointer().StringifyUriFragment(place);
    std::printf("%s: %s breaks '%s'\n", path, place.GetString(), validator.GetInvalidSchemaKeyword());
    return 1;
  }
  return result ? 0 : complain(path, rapidjson::GetParseError_En(result.Code()), result.Offset());
}

}  // namespace

int main(int count, char **arguments) {
  if (count != 3) {
    std::fputs("usage: rapidjson_validate SCHEMA FILE\n", stderr);
    return 2;
  }
  File file(std::fopen(arguments[1], "rb"));
  if (!file) return complain(arguments[1], "can't be opened", 0);
  rapidjson::FileReadStream stream(file.get(), buffer, sizeof buffer);
  rapidjson::Document document;
  if (document.ParseStream(stream).HasParseError())
    return complain(arguments[1], rapidjson::GetParseError_En(document.GetParseError()), document.GetErrorOffset());
  return validate(arguments[2], rapidjson::SchemaDocument(document));
}
