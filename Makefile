# Peck: one GNU Makefile.  `make help` lists the targets.
#
#   VARIANT=release (default)  build/peck, build/libpeck.a, build/libpeck.so
#   VARIANT=asan | tsan | ...  the same under build/<variant>/
#   CROSS=aarch64-linux-gnu-   for another machine, under build/aarch64-linux-gnu/

VERSION   := $(shell sed -n 's/^\#define PECK_VERSION "\(.*\)"/\1/p' include/peck.h)
SONAME    := libpeck.so.0
PREFIX    ?= /usr/local
LIBDIR    ?= $(PREFIX)/lib
VARIANT   ?= release
SECONDS   ?= 60
OUT       := build$(CROSS:%-=/%)$(if $(filter release,$(VARIANT)),,/$(VARIANT))
OBJ       := build$(CROSS:%-=/%)/$(VARIANT)/obj

quote      = '$(subst ','\'',$(1))'# one word for the shell, whatever is in it
PKGS      := zlib libzstd
PKG_CONFIG ?= $(if $(CROSS),$(or $(shell command -v $(CROSS)pkg-config),false),pkg-config)

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
        -Wvla -Wconversion -Wno-sign-conversion -Wformat=2 -Wundef $(if $(WERROR),-Werror)
MODE_release := -O3 -DNDEBUG
MODE_debug   := -O0
MODE_asan    := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
MODE_tsan    := -O1 -fsanitize=thread
MODE_cover   := -O0 --coverage
MODE_trace   := $(MODE_release) -DTRACE
MODE_clang   := $(MODE_release)
MODE_fuzz    := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
MODE := $(MODE_$(VARIANT))
ifeq ($(MODE),)
$(error VARIANT=$(VARIANT) is unknown: release debug clang asan tsan cover fuzz trace)
endif
ifneq ($(filter clang fuzz,$(VARIANT)),)
CC := clang $(CROSS:%-=--target=%)
else ifeq ($(origin CC),default)
CC := $(CROSS)gcc
endif

# Same bits on every processor: no multiply-add is fused but those that the source says.
# Nobody asks errno about a root, so a root is one instruction, and a loop of them vectors.
# Under a sanitizer gcc warns of what cannot be; the plain builds warn of what can.
CPPFLAGS_ALL := -std=c17 -D_POSIX_C_SOURCE=200809L -Iinclude $(CPPFLAGS)
CFLAGS_ALL   := -g -ffile-prefix-map=$(call quote,$(CURDIR))=. -fno-math-errno -ffp-contract=off $(MODE) $(if $(findstring sanitize,$(MODE)),,$(WARN)) -fvisibility=hidden -fPIC -pthread $(CFLAGS)
# Without pkg-config, or where it does not know them: by their usual names.
LIBS         := $(or $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null),-lz -lzstd) -lm -pthread
LINK         := $(CC) $(MODE) $(LDFLAGS)

SRC_OBJ  := $(patsubst %.c,$(OBJ)/%.o,$(sort $(wildcard src/*/*.c)))
CLI_OBJ  := $(patsubst %.c,$(OBJ)/%.o,$(filter-out %_mpi.c,$(sort $(wildcard cli/*.c))))

.PHONY: all help docs install uninstall clean tests check check-all check-cpus check-mpi lint additions bench papers peers golden-update suite \
        suite-short suite-all asan tsan fuzz fuzz-run fuzz-keep
.SUFFIXES:
.SECONDARY:
.DELETE_ON_ERROR:

all: $(OUT)/peck $(OUT)/libpeck.a $(OUT)/libpeck.so $(OUT)/peck.pc $(if $(MPI),$(OUT)/peck-mpi) ## the command and the library (the default)

help: ## this list
	@sed -n 's/^\([a-z -]*\):.*## \(.*\)/\1|\2/p' Makefile docs/rules.mk scripts/install.mk python/rules.mk | \
	    awk -F'|' '{ printf "make %-14s %s\n", $$1, $$2 }'
	@echo 'VARIANT=release|debug|clang|asan|tsan|cover|fuzz|trace  WERROR=1  CROSS=  PREFIX=  LIBDIR=  DESTDIR=  MPI=1'

$(OBJ)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

# One relocatable object whose hidden names are made local: a program that links the
# archive sees peck_* and nothing else.
$(OUT)/libpeck.a: $(SRC_OBJ)
	@mkdir -p $(@D)
	$(CROSS)ld -r -o $(OBJ)/peck-all.o $(SRC_OBJ)
	$(CROSS)objcopy --localize-hidden $(OBJ)/peck-all.o
	rm -f $@ && $(CROSS)ar rcs $@ $(OBJ)/peck-all.o

# A sanitizer's runtime stays undefined in a shared library; the program brings it.
$(OUT)/libpeck.so: $(SRC_OBJ)
	$(LINK) -shared -Wl,-soname,$(SONAME) $(if $(findstring sanitize,$(MODE)),,-Wl,--no-undefined) \
	    -o $@ $(SRC_OBJ) $(LIBS)

# With the rooms ask and web, which stand on base: so the objects, not the library.
$(OUT)/peck: $(CLI_OBJ) $(SRC_OBJ)
	$(LINK) -o $@ $^ $(LIBS)

# The same command for mpirun, by MPI=1 (Debian's libopenmpi-dev); libpeck knows nothing of MPI.
$(OBJ)/cli/comm_mpi.o: CPPFLAGS_ALL += $(or $(shell $(PKG_CONFIG) --cflags mpi-c 2>/dev/null),$(shell mpicc --showme:compile 2>/dev/null))
$(OUT)/peck-mpi: $(OBJ)/cli/comm_mpi.o $(filter-out %/comm_none.o,$(CLI_OBJ)) $(SRC_OBJ)
	$(LINK) -o $@ $^ $(LIBS) $(or $(shell $(PKG_CONFIG) --libs mpi-c 2>/dev/null),$(shell mpicc --showme:link 2>/dev/null))

# PREFIX and LIBDIR as pkg-config has them: what lies below the prefix moves with it.
PC := sed -e $(call quote,s|@PREFIX@|$(subst &,\&,$(PREFIX))|) -e $(call quote,s|@LIBDIR@|$(subst &,\&,$(LIBDIR))|) \
    -e $(call quote,s|^libdir=$(subst &,\&,$(PREFIX))/|libdir=$${prefix}/|) -e 's|@VERSION@|$(VERSION)|' -e 's|@PKGS@|$(PKGS)|' peck.pc.in

$(OUT)/peck.pc: peck.pc.in Makefile include/peck.h
	@mkdir -p $(@D)
	$(PC) > $@

docs: $(OUT)/peck ## man pages, and tables of the documents, from the code
	python3 tools/docs.py $(OUT)/peck

clean: ## removes build/
	rm -rf build

# Tests ---------------------------------------------------------------------------
# Unit, contract, fault and fuzz programs see the rooms: they link the objects, not the library.
TEST_BIN   := $(patsubst %.c,$(OBJ)/%,$(sort $(wildcard tests/unit/*/test_*.c tests/contract/contract_*.c)))
FAULT_BIN  := $(patsubst %.c,$(OBJ)/%,$(sort $(wildcard tests/fault/fault_*.c)))
FUZZ       := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_NAMES := $(FUZZ:tests/fuzz/fuzz_%.c=%)
REPLAY     := $(FUZZ:%.c=$(OBJ)/%-replay)
# What runs on several threads: these programs go through ThreadSanitizer.
THREADED   := pool norm decoder cache letor letor_twin dataset summary evaluate compare signif \
              verdict score rank probe learner train sgd ridge cv sortnet bins grow shared_model watch own_metric own_loss poll comm
TSAN_BIN   := $(filter $(foreach t,$(THREADED),%_$(t)),$(TEST_BIN))
TEST_FLAGS := -Isrc -Itests -UNDEBUG

$(OBJ)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(TEST_FLAGS) -MMD -MP -c $< -o $@

TEST_HELP := $(patsubst %.c,$(OBJ)/%.o,$(wildcard tests/support/*.c))
FUZZ_HELP := $(OBJ)/tests/fuzz/memory_file.o $(OBJ)/tests/fuzz/promise.o
# Fuzzed bytes reach the readers as files in memory: see tests/fuzz/memory_file.h.
FUZZ_WRAP := -Wl,--wrap=input_open,--wrap=input_exists,--wrap=builder_check_size

$(TEST_BIN): %: %.o $(TEST_HELP) $(SRC_OBJ)
	$(LINK) -o $@ $^ $(LIBS) -lcmocka

# Objectives and penalties once more, in double: one object that lets out these alone.
DOUBLE := $(patsubst src/%.c,$(OBJ)/double/%.o,$(wildcard src/learn/obj*.c) src/learn/pairloss.c src/learn/lambda.c src/rules/penalty.c)
LET_OUT := objectives penalty_add penalty_add_newton penalty_add_leads penalty_scratch
$(OBJ)/double/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -DREAL=double $(CFLAGS_ALL) -MMD -MP -c $< -o $@
$(OBJ)/double/objectives.o: $(DOUBLE)
	$(CROSS)ld -r -o $@ $^
	$(CROSS)objcopy $(foreach f,$(LET_OUT),--redefine-sym $(f)=$(f)_double --keep-global-symbol=$(f)_double) $@
$(OBJ)/tests/contract/contract_objective $(OBJ)/tests/unit/rules/test_penalty $(OBJ)/tests/unit/learn/test_duelling: $(OBJ)/double/objectives.o

$(OBJ)/tests/fault/fault_%: $(addprefix $(OBJ)/tests/fault/,fault_%.o operations.o embedding.o fixtures.o) $(SRC_OBJ)
	$(LINK) -o $@ $^ $(LIBS)
$(OBJ)/tests/fuzz/%-replay: $(OBJ)/tests/fuzz/%.o $(OBJ)/tests/fuzz/replay.o $(FUZZ_HELP) $(SRC_OBJ)
	$(LINK) $(FUZZ_WRAP) -o $@ $^ $(LIBS)
$(OBJ)/tests/fuzz/%-fuzz: $(OBJ)/tests/fuzz/%.o $(FUZZ_HELP) $(SRC_OBJ)
	$(LINK) -fsanitize=fuzzer $(FUZZ_WRAP) -o $@ $^ $(LIBS)

tests: all $(TEST_BIN) $(REPLAY) ## builds the test programs

# A suite is a file of "label: command" lines for tests/run.sh.  The sub-makes of
# check-all add theirs to one file, so that one count closes the run.
SUITE      ?= build/suite
PARTS      ?= unit golden replay
LABEL      := $(if $(filter release,$(VARIANT)),,$(VARIANT) )
# What a part runs: its lines, or else the programs that it needs.
programs    = $(foreach t,$(1),'$(LABEL)$(t:$(OBJ)/tests/%=%): $(t)')
# In two halves: each command of a suite has a limit of time.
LINES_golden = $(foreach part,[a-l]* [!a-l]*,'$(LABEL)golden $(part): sh tests/golden.sh $(OUT)/peck "$(part)"')
LINES_replay = $(foreach t,$(FUZZ_NAMES),'$(LABEL)fuzz/$(t): $(OBJ)/tests/fuzz/fuzz_$(t)-replay tests/fuzz/corpus/$(t)')
LINES_docs   = 'documents: python3 tools/lint.py docs cards walk commands'
LINES_install = 'install: sh tests/install/test.sh' 'browser: python3 tests/browser/page.py $(OUT)/peck' 'ask in a browser: python3 tests/browser/ask.py $(OUT)/peck' 'additions: python3 tests/additions.py'
LINES_lint   = 'lint: python3 tools/lint.py' 'lint-rules: python3 tools/lint.py --self-test' 'walk: python3 tools/walk.py --self-test'
# Other programs' numbers: the first python that has numpy asks them.
PYTHON       = $(shell for p in python3 /usr/bin/python3; do \
                   $$p -c 'import numpy' 2>/dev/null && echo $$p && exit; done; echo python3)
LINES_reference = $(foreach t,referee peers mslr choix,'$(t): $(PYTHON) tests/reference/$(t).py $(OUT)/peck')
LINES_papers = $(foreach t,$(wildcard bench/papers/*_*.py),'$(t:bench/%.py=%): python3 $(t) --quick --peck $(OUT)/peck')
LINES_cpus   = 'cpus: python3 tests/cpus.py $(OUT)/peck --short'
LINES_mpi    = 'mpi: sh tests/mpi.sh $(OUT)/peck $(OUT)/peck-mpi'
NEEDS_unit   := $(TEST_BIN)
NEEDS_tsan   := $(TSAN_BIN)
NEEDS_fault  := $(FAULT_BIN)
NEEDS_replay := $(REPLAY)
NEEDS_install := $(filter $(OBJ)/tests/contract/%,$(TEST_BIN))
NEEDS_papers  = $(OUT)/bench_decode
NEEDS_mpi     = $(if $(shell command -v mpicc),$(OUT)/peck-mpi)

suite: all $(foreach p,$(PARTS),$(NEEDS_$(p)))
	@mkdir -p build
	@printf '%s\n' $(foreach p,$(PARTS),$(or $(LINES_$(p)),$(call programs,$(NEEDS_$(p))))) >> $(SUITE)

suite-short:
	@rm -f $(SUITE)
	@$(MAKE) --no-print-directory suite PARTS='unit golden replay papers docs install python web'

suite-all:
	@rm -f $(SUITE)
	$(MAKE) suite WERROR=1 PARTS='lint unit golden replay fault install papers reference cpus mpi python web'
	$(MAKE) suite VARIANT=clang WERROR=1 PARTS=unit
	$(MAKE) suite VARIANT=asan PARTS='unit golden replay'
	$(MAKE) suite VARIANT=tsan PARTS=tsan

check: suite-short ## short tests: unit, contract, golden, fuzz corpus, documents, install
check-all: suite-all ## everything short of fuzzing: gcc, clang, lint, sanitizers, faults
check check-all:
	@sh tests/run.sh $(SUITE)

asan tsan: ## tests under ASan and UBSan, or the threaded ones under ThreadSanitizer
	@rm -f $(SUITE)
	@$(MAKE) --no-print-directory suite VARIANT=$@ PARTS='$(if $(filter tsan,$@),tsan,unit golden replay)'
	@sh tests/run.sh $(SUITE)

lint additions: all ## style, layers, exports, limits; the additions of CONTRIBUTING.md in a copy of the tree
	python3 $(if $(filter lint,$@),tools/lint.py,tests/additions.py)

check-cpus: all ## the same bytes on every processor, emulated by qemu: see tests/cpus.py
	python3 tests/cpus.py $(OUT)/peck

check-mpi: all $(OUT)/peck-mpi ## the same bytes on 1 to 7 ranks, 1 to 5 threads, and on two hosts: see tests/mpi.sh, tests/netns.sh
	sh tests/mpi.sh $(OUT)/peck $(OUT)/peck-mpi --all
	sh tests/netns.sh $(OUT)/peck $(OUT)/peck-mpi

golden-update: all ## writes down what the command prints now
	sh tests/golden.sh $(OUT)/peck --update

BENCH := $(patsubst bench/%.c,$(OUT)/%,$(wildcard bench/bench_*.c))
# Products are no part of peck.h: that program links the objects.
$(filter-out %_gemm,$(BENCH)): $(OUT)/bench_%: $(OBJ)/bench/bench_%.o $(OUT)/libpeck.a
$(OUT)/bench_gemm: $(OBJ)/bench/bench_gemm.o $(SRC_OBJ)
$(BENCH):
	$(LINK) -o $@ $^ $(LIBS)

bench: all $(BENCH) ## speed against other programs; writes docs/BENCH.md
	python3 bench/bench.py $(OUT)

papers peers: all $(NEEDS_papers) $(BENCH) ## the papers' experiments; what users pick instead; docs/RESULTS.md, docs/PEERS.md
	python3 bench/$@/run.py $(OUT)

fuzz: ## libFuzzer on every reader, SECONDS=60 each; then `make fuzz-keep`
	@$(MAKE) --no-print-directory fuzz-run VARIANT=fuzz

FUZZ_FLAGS := -rss_limit_mb=2048 -timeout=10 -max_len=4096
# A crash is told and kept under build/fuzz/crashes; the other targets still run.
fuzz-run: $(FUZZ:%.c=$(OBJ)/%-fuzz)
	@mkdir -p build/fuzz/crashes
	@bad=0; for t in $(FUZZ_NAMES); do mkdir -p build/fuzz/found/$$t; \
	    $(OBJ)/tests/fuzz/fuzz_$$t-fuzz $(FUZZ_FLAGS) -max_total_time=$(SECONDS) \
	        -artifact_prefix=build/fuzz/crashes/$$t- \
	        build/fuzz/found/$$t tests/fuzz/corpus/$$t 2> build/fuzz/$$t.log || \
	        { bad=1; tail -50 build/fuzz/$$t.log; }; \
	    echo "$$t: $$(grep '#.*DONE' build/fuzz/$$t.log || echo CRASHED)"; done; exit $$bad

fuzz-keep: ## adds to the corpus what the last `make fuzz` found, as few files as will do
	@for t in $(FUZZ_NAMES); do build/fuzz/obj/tests/fuzz/fuzz_$$t-fuzz -set_cover_merge=1 \
	    -use_counters=0 -max_len=1024 tests/fuzz/corpus/$$t build/fuzz/found/$$t \
	    2> build/fuzz/$$t-keep.log || exit; echo "$$t: $$(ls tests/fuzz/corpus/$$t | wc -l) files"; done

-include docs/rules.mk scripts/install.mk python/rules.mk ask/rules.mk web/rules.mk $(shell find $(OBJ) -name '*.d' 2>/dev/null)
