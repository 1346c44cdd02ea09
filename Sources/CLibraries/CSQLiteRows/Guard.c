#include <stddef.h>

#include "CSQLiteRows.h"

int coffer_guard(sqlite3 *database) {
  static const int settings[][2] = {
    {SQLITE_DBCONFIG_DEFENSIVE, 1},
    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    {SQLITE_DBCONFIG_DQS_DML, 0},
  };
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    int code = sqlite3_db_config(database, settings[i][0], settings[i][1], NULL);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}
