// Writes a document of N records, each with a scattered id and a reference to another record: keys N.
// Every 10,000,019th reference dangles, and two ids are duplicates.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t scattered(uint64_t number) { return (number * 0x9E3779B97F4A7C15u) >> 20; }

int main(int argc, char **argv) {
  uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
  setvbuf(stdout, NULL, _IOFBF, 1 << 20);
  printf("{\"items\":[");
  for (uint64_t i = 0; i < count; i++) {
    uint64_t id = scattered(i == count / 3 || i == count / 2 ? 7 : i + 1);
    uint64_t next = i % 10000019 == 5 ? ((uint64_t)1 << 50) + i : scattered(1 + i * 2654435761u % count);
    printf("%s{\"id\":%" PRIu64 ",\"next\":%" PRIu64 "}", i ? "," : "", id, next);
  }
  printf("]}\n");
  return fflush(stdout) != 0;
}
