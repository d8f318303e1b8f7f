# The room web: linked into the command, never into libpeck.  HTTPD= builds without libmicrohttpd,
# as where Debian's libmicrohttpd-dev is not installed; `peck ask --web` says so then.  Only its
# header is needed to build: http.c loads the library when somebody serves.

HTTPD    ?= $(shell $(PKG_CONFIG) --exists libmicrohttpd 2>/dev/null && echo yes)
WEB_SRC  := $(filter-out $(if $(HTTPD),%_missing.c,web/http.c),$(sort $(wildcard web/*.c)))
WEB_OBJ  := $(WEB_SRC:%.c=$(OBJ)/%.o)
WEB_TEST := $(filter $(OBJ)/tests/unit/web/%,$(TEST_BIN)) $(OBJ)/tests/fuzz/fuzz_request-replay $(OBJ)/tests/fuzz/fuzz_request-fuzz

$(OUT)/peck $(OUT)/peck-mpi $(WEB_TEST): $(WEB_OBJ)
$(WEB_TEST): $(ASK_OBJ)
$(WEB_TEST): LIBS += $(SQLITE)

# The assembler takes the page's files in.
$(OBJ)/web/static.o: $(wildcard web/page/*)

LINES_web = '$(LABEL)web: python3 tests/web/ask.py $(OUT)/peck'
