# Peck: one GNU Makefile.  `make help` lists the targets.
#
#   VARIANT=release (default)  build/peck, build/libpeck.a, build/libpeck.so
#   VARIANT=asan | tsan | ...  the same under build/<variant>/

VERSION   := $(shell sed -n 's/^\#define PECK_VERSION "\(.*\)"/\1/p' include/peck.h)
SONAME    := libpeck.so.0
PREFIX    ?= /usr/local
DESTDIR   ?=
VARIANT   ?= release
WERROR    ?=

OUT       := $(if $(filter release,$(VARIANT)),build,build/$(VARIANT))
OBJ       := build/$(VARIANT)/obj

PKGS      := zlib libzstd jansson
PKG_CONFIG ?= pkg-config

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
        -Wvla -Wconversion -Wno-sign-conversion -Wformat=2 -Wundef $(if $(WERROR),-Werror)
MODE_release := -O2 -DNDEBUG
MODE_debug   := -O0
MODE_asan    := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
MODE_tsan    := -O1 -fsanitize=thread
MODE_cover   := -O0 --coverage
MODE_clang   := -O2 -DNDEBUG
MODE_fuzz    := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
MODE := $(MODE_$(VARIANT))
ifeq ($(filter clang fuzz,$(VARIANT)),$(VARIANT))
CC := clang
endif

CPPFLAGS_ALL := -std=c17 -D_POSIX_C_SOURCE=200809L -Iinclude $(CPPFLAGS)
CFLAGS_ALL   := -g $(MODE) $(WARN) -fvisibility=hidden -fPIC -pthread $(CFLAGS)
LIBS         := $(shell $(PKG_CONFIG) --libs $(PKGS)) -lm -pthread
LINK         := $(CC) $(MODE) $(LDFLAGS)

SRC      := $(sort $(wildcard src/*/*.c))
CLI      := $(sort $(wildcard cli/*.c))
SRC_OBJ  := $(SRC:%.c=$(OBJ)/%.o)
CLI_OBJ  := $(CLI:%.c=$(OBJ)/%.o)
TESTS    := $(sort $(wildcard tests/unit/*/test_*.c tests/contract/contract_*.c))
TEST_BIN := $(TESTS:%.c=$(OBJ)/%)
FUZZ     := $(sort $(wildcard tests/fuzz/fuzz_*.c))
REPLAY   := $(FUZZ:%.c=$(OBJ)/%-replay)

.PHONY: all check check-all lint bench install clean help docs golden-update tests fuzz asan tsan
.SUFFIXES:
.SECONDARY:

all: $(OUT)/peck $(OUT)/libpeck.a $(OUT)/libpeck.so $(OUT)/peck.pc

$(OBJ)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

# One relocatable object whose hidden names are made local: a program that links the
# archive sees peck_* and nothing else.
$(OUT)/libpeck.a: $(SRC_OBJ)
	@mkdir -p $(@D)
	ld -r -o $(OBJ)/peck-all.o $(SRC_OBJ)
	objcopy --localize-hidden $(OBJ)/peck-all.o
	rm -f $@ && ar rcs $@ $(OBJ)/peck-all.o

$(OUT)/libpeck.so: $(SRC_OBJ)
	$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined -o $@ $(SRC_OBJ) $(LIBS)

$(OUT)/peck: $(CLI_OBJ) $(OUT)/libpeck.a
	$(LINK) -o $@ $(CLI_OBJ) $(OUT)/libpeck.a $(LIBS)

$(OUT)/peck.pc: peck.pc.in Makefile include/peck.h
	@mkdir -p $(@D)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@PKGS@|$(PKGS)|' peck.pc.in > $@

# Tests ---------------------------------------------------------------------------
# Unit and contract tests see the rooms, so they link the objects, not the library.
TEST_FLAGS := -Isrc -Itests -UNDEBUG

$(OBJ)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(TEST_FLAGS) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

TEST_HELP := $(patsubst %.c,$(OBJ)/%.o,$(wildcard tests/support/*.c))
TEST_LIBS := $(LIBS) -lcmocka

$(OBJ)/tests/unit/%: $(OBJ)/tests/unit/%.o $(TEST_HELP) $(SRC_OBJ)
	$(LINK) -o $@ $^ $(TEST_LIBS)
$(OBJ)/tests/contract/%: $(OBJ)/tests/contract/%.o $(TEST_HELP) $(SRC_OBJ)
	$(LINK) -o $@ $^ $(TEST_LIBS)
$(OBJ)/tests/fault/%: $(OBJ)/tests/fault/%.o $(TEST_HELP) $(SRC_OBJ)
	$(LINK) -o $@ $^ $(TEST_LIBS)
$(OBJ)/tests/fuzz/%-replay: $(OBJ)/tests/fuzz/%.o $(OBJ)/tests/fuzz/replay.o $(SRC_OBJ)
	$(LINK) -o $@ $^ $(LIBS)
$(OBJ)/tests/fuzz/%-fuzz: $(OBJ)/tests/fuzz/%.o $(SRC_OBJ)
	$(LINK) -fsanitize=fuzzer -o $@ $^ $(LIBS)

tests: all $(TEST_BIN) $(REPLAY)

check: tests
	sh tests/run.sh $(VARIANT) $(TEST_BIN)

clean:
	rm -rf build

-include $(SRC_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TESTS:%.c=$(OBJ)/%.d) $(FUZZ:%.c=$(OBJ)/%.d) $(TEST_HELP:.o=.d)
