# The room ask: linked into the command, never into libpeck.  SQLITE= builds without sqlite3,
# as where Debian's libsqlite3-dev is not installed; `peck ask` says so then.

SQLITE   ?= $(shell $(PKG_CONFIG) --libs sqlite3 2>/dev/null)
ASK_SRC  := $(filter-out $(if $(SQLITE),%_missing.c,ask/votes.c),$(sort $(wildcard ask/*.c)))
ASK_OBJ  := $(ASK_SRC:%.c=$(OBJ)/%.o)
ASK_TEST := $(filter $(OBJ)/tests/unit/ask/%,$(TEST_BIN)) $(OBJ)/tests/fuzz/fuzz_items-replay $(OBJ)/tests/fuzz/fuzz_items-fuzz

$(OUT)/peck $(OUT)/peck-mpi $(ASK_TEST): $(ASK_OBJ)
$(OUT)/peck $(OUT)/peck-mpi $(ASK_TEST): LIBS += $(SQLITE)

LINES_install += 'terminal: python3 tests/terminal/ask.py $(OUT)/peck'
LINES_install += 'bare: sh tests/install/bare.sh'
