# make install, make uninstall: what goes where.  DESTDIR stands before every place and shows in
# no file; LIBDIR is for systems with several, such as /usr/lib/x86_64-linux-gnu.

MAN      := $(wildcard docs/man/*.[1-9])
MAN_IN    = share/man/man$(patsubst .%,%,$(suffix $(1)))
# Where bash, zsh and fish look for what they complete.
BASH_AT  := share/bash-completion/completions/peck
ZSH_AT   := share/zsh/site-functions/_peck
FISH_AT  := share/fish/vendor_completions.d/peck.fish

# Every file, below PREFIX and below LIBDIR.
PLACED     := bin/peck include/peck.h $(foreach m,$(MAN),$(call MAN_IN,$(m))/$(notdir $(m))) \
              $(BASH_AT) $(ZSH_AT) $(FISH_AT)
LIB_PLACED := libpeck.a libpeck.so $(SONAME) pkgconfig/peck.pc
TO     := $(call quote,$(DESTDIR)$(PREFIX))
LIB_TO := $(call quote,$(DESTDIR)$(LIBDIR))

# PREFIX may differ from the one `make` saw, so peck.pc is written anew.
install: all ## to DESTDIR/PREFIX (libraries to DESTDIR/LIBDIR): command, header, pkg-config, man pages, completion
	install -d $(addprefix $(TO)/,$(sort $(dir $(PLACED)))) $(addprefix $(LIB_TO)/,$(sort $(dir $(LIB_PLACED))))
	install -m 755 $(OUT)/peck $(TO)/bin/
	install -m 644 include/peck.h $(TO)/include/
	install -m 644 $(OUT)/libpeck.a $(LIB_TO)/
	install -m 755 $(OUT)/libpeck.so $(LIB_TO)/$(SONAME)
	ln -sf $(SONAME) $(LIB_TO)/libpeck.so
	$(PC) > $(LIB_TO)/pkgconfig/peck.pc
	$(foreach m,$(MAN),install -m 644 $(m) $(TO)/$(call MAN_IN,$(m))/ &&) :
	install -m 644 docs/completion/peck.bash $(TO)/$(BASH_AT)
	install -m 644 docs/completion/peck.zsh $(TO)/$(ZSH_AT)
	install -m 644 docs/completion/peck.fish $(TO)/$(FISH_AT)

uninstall: ## takes away from DESTDIR/PREFIX and DESTDIR/LIBDIR what `make install` put there
	rm -f $(addprefix $(TO)/,$(PLACED)) $(addprefix $(LIB_TO)/,$(LIB_PLACED))

LINES_install += 'tables in a terminal: python3 tests/terminal/tables.py $(OUT)/peck' 'completion by zsh and fish: python3 tests/terminal/completion.py $(OUT)/peck'
