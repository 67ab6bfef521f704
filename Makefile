# Everything a user, a tester or a packager calls. Building the module itself
# is Kbuild's business (module/Kbuild) and DKMS's (dkms.conf).
#
#   make demo [N=500000] [KERNEL=6.12]      the main job, shown in a virtual machine
#   make check [KERNEL=6.12] [SUITE=smoke]  unit tests and virtual machine suites
#   make soak [KERNEL=6.12] [LOOPS=1000]    everything comes and goes under traffic
#   make check-debug [SUITE=...] [LOOPS=N]  suites on a kernel that finds memory and locking faults
#   make vm [KERNEL=6.12]                   a shell in such a virtual machine
#   make bench [KERNEL=6.12] [LOADS=push]   counts and instructions per packet, stock against module
#   make lint                               static checks
#   make install [PREFIX=/usr/local]        module (through DKMS), tool, man pages, boot files
#   make uninstall                          leaves nothing of them
#   make deb                                xhroom and xhroom-dkms, in dist/

KERNEL ?=
SUITE ?=
N ?= 500000
LOOPS ?=

PREFIX ?= /usr/local
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
# Places that systemd and udev look at, for a PREFIX of /usr/local or /usr.
UNITDIR ?= $(PREFIX)/lib/systemd/system
UDEVRULESDIR ?= $(PREFIX)/lib/udev/rules.d
MODULESLOADDIR ?= $(PREFIX)/lib/modules-load.d
# The kernel to install the module for.
KVER ?= $(shell uname -r)
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
SOURCES := /usr/src/xhroom-$(VERSION)
MANPAGES = $(wildcard ctl/man/*.[1-8] docs/man/*.[1-8])
COMPLETIONS = $(wildcard ctl/*.bash)

all: help

help:
	@sed -n 's/^#   //p' Makefile

check:
	@tests/vm/check $(addprefix -k ,$(KERNEL)) $(addprefix -s ,$(SUITE))

soak:
	@tests/vm/run $(addprefix -k ,$(KERNEL)) $(addprefix -s ,$(or $(SUITE),engine-churn tx-churn)) -l $(or $(LOOPS),1000)

# Not part of check: the kernel is built, and slow.
check-debug:
	@tests/vm/run -k 6.12-debug $(addprefix -s ,$(or $(SUITE),smoke engine tx-head tx-verdicts tx-churn)) \
		$(addprefix -l ,$(LOOPS))

vm:
	@tests/vm/shell $(or $(KERNEL),6.12)

demo:
	@tests/vm/demo $(or $(KERNEL),6.12) $(N)

bench:
	@tests/bench/run $(if $(DOC),-u) $(KERNEL)

lint:
	@tests/lint

# Packages that are missing, with one command to be had. With DESTDIR the module
# is not built.
MISSING_FOR_MODULE = $(if $(DESTDIR),,$(shell \
	command -v dkms >/dev/null || echo dkms; \
	[ -e /lib/modules/$(KVER)/build/Makefile ] || echo linux-headers-$(KVER)))
MISSING_FOR_TOOL = $(shell \
	command -v $(CC) >/dev/null || echo gcc; \
	command -v pkg-config >/dev/null || echo pkg-config; \
	pkg-config --exists libnl-3.0 2>/dev/null || echo libnl-3-dev; \
	pkg-config --exists libnl-genl-3.0 2>/dev/null || echo libnl-genl-3-dev; \
	pkg-config --exists json-c 2>/dev/null || echo libjson-c-dev)
MISSING_FOR_DEB = $(shell \
	dpkg-query -W build-essential >/dev/null 2>&1 || echo build-essential; \
	command -v dh >/dev/null || echo debhelper; \
	command -v dh_dkms >/dev/null || echo dh-dkms)
need = @missing='$(strip $(1))'; [ -z "$$missing" ] || \
	{ echo "xhroom needs packages that are missing: apt-get install $$missing" >&2; exit 1; }

install:
	$(call need,$(MISSING_FOR_MODULE) $(MISSING_FOR_TOOL))
	$(MAKE) install-module install-tool install-boot

# What dpkg-buildpackage leaves beside a source tree should not end up beside
# this one.
deb:
	$(call need,$(MISSING_FOR_TOOL) $(MISSING_FOR_DEB))
	rm -rf dist
	mkdir -p dist/build/xhroom
	tar -c --exclude=./.git --exclude=./dist . | tar -x -C dist/build/xhroom
	cd dist/build/xhroom && dpkg-buildpackage -us -uc -b
	mv dist/build/*.deb dist/
	rm -rf dist/build
	@echo "install them with: apt-get install $$(cd dist && printf './dist/%s ' *.deb)"

# With DESTDIR only the files are placed; DKMS runs where they end up.
install-module:
	$(call need,$(MISSING_FOR_MODULE))
	install -d $(DESTDIR)$(SOURCES)
	install -m 644 dkms.conf $(DESTDIR)$(SOURCES)
	find module dkms -type f -not -name '*.o' -not -name '*.ko' -not -name '*.mod' -not -name '*.mod.c' \
		-not -name '.*' -not -name Module.symvers -not -name modules.order \
		-exec cp --parents --preserve=mode {} $(DESTDIR)$(SOURCES) \;
	[ -n "$(DESTDIR)" ] || dkms status -m xhroom -v $(VERSION) | grep -q . || dkms add -m xhroom -v $(VERSION)
	[ -n "$(DESTDIR)" ] || XHROOM_NO_STUB=1 dkms install --force -m xhroom -v $(VERSION) -k $(KVER) || \
		{ cat /var/lib/dkms/xhroom/$(VERSION)/build/make.log; exit 1; }
	[ -n "$(DESTDIR)" ] || for s in /usr/src/xhroom-*; do \
		[ $$s = $(SOURCES) ] || { dkms remove -m xhroom -v $${s#*xhroom-} --all; rm -rf $$s; }; done

install-tool:
	$(call need,$(MISSING_FOR_TOOL))
	$(MAKE) -C ctl
	install -d $(DESTDIR)$(PREFIX)/sbin
	install -m 755 ctl/xhroomctl $(DESTDIR)$(PREFIX)/sbin
	for m in $(MANPAGES); do s=$${m##*.}; install -D -m 644 $$m $(DESTDIR)$(MANDIR)/man$$s/$${m##*/}; done
	for c in $(COMPLETIONS); do install -D -m 644 $$c $(DESTDIR)$(COMPLETIONDIR)/xhroomctl; done

# What makes settings outlive a restart. Does nothing as long as there is no
# /etc/xhroom.conf, and is enabled, therefore; with DESTDIR by who packs it.
install-boot:
	install -d $(DESTDIR)$(UNITDIR) $(DESTDIR)$(UDEVRULESDIR) $(DESTDIR)$(MODULESLOADDIR)
	sed 's|@sbindir@|$(PREFIX)/sbin|' boot/xhroom.service >$(DESTDIR)$(UNITDIR)/xhroom.service
	sed 's|@sbindir@|$(PREFIX)/sbin|' boot/90-xhroom.rules >$(DESTDIR)$(UDEVRULESDIR)/90-xhroom.rules
	install -m 644 boot/modules-load.conf $(DESTDIR)$(MODULESLOADDIR)/xhroom.conf
	chmod 644 $(DESTDIR)$(UNITDIR)/xhroom.service $(DESTDIR)$(UDEVRULESDIR)/90-xhroom.rules
	[ -n "$(DESTDIR)" ] || ! command -v systemctl >/dev/null || systemctl -q enable xhroom.service

uninstall: uninstall-boot uninstall-module uninstall-tool
	@[ -n "$(DESTDIR)" ] || ! [ -e /etc/xhroom.conf ] || echo "/etc/xhroom.conf is yours, and stays"

uninstall-boot:
	[ -n "$(DESTDIR)" ] || ! command -v systemctl >/dev/null || \
		! [ -e $(UNITDIR)/xhroom.service ] || systemctl -q disable xhroom.service
	rm -f $(DESTDIR)$(UNITDIR)/xhroom.service $(DESTDIR)$(UDEVRULESDIR)/90-xhroom.rules \
		$(DESTDIR)$(MODULESLOADDIR)/xhroom.conf

# Whatever versions there are.
uninstall-module:
	[ -n "$(DESTDIR)" ] || ! [ -d /sys/module/xdp_skbext ] || modprobe -r xdp_skbext
	[ -n "$(DESTDIR)" ] || for d in /var/lib/dkms/xhroom/[0-9]*; do \
		! [ -e "$$d" ] || dkms remove -m xhroom -v "$${d##*/}" --all || exit 1; done
	rm -rf $(DESTDIR)/usr/src/xhroom-[0-9]*
	[ -n "$(DESTDIR)" ] || rmdir /var/lib/dkms/xhroom 2>/dev/null || :

uninstall-tool:
	rm -f $(DESTDIR)$(PREFIX)/sbin/xhroomctl $(DESTDIR)$(COMPLETIONDIR)/xhroomctl
	for m in $(MANPAGES); do s=$${m##*.}; rm -f $(DESTDIR)$(MANDIR)/man$$s/$${m##*/}; done

.PHONY: all help check check-debug soak vm demo bench lint deb install install-module install-tool install-boot \
	uninstall uninstall-boot uninstall-module uninstall-tool
