# Everything a user, a tester or a packager calls. Building the module itself
# is Kbuild's business (module/Kbuild) and DKMS's (dkms.conf).
#
#   make demo [N=500000] [KERNEL=6.12]         the main job, shown in a virtual machine
#   make check [KERNEL=6.12] [SUITE=smoke]     unit tests and virtual machine suites
#   make vm [KERNEL=6.12]                      a shell in such a virtual machine
#   make lint                                  static checks
#   make install, make uninstall               on this machine: DKMS, tool, man pages

KERNEL ?=
SUITE ?=

all: help

help:
	@sed -n 's/^#   //p' Makefile

check:
	@tests/vm/check $(addprefix -k ,$(KERNEL)) $(addprefix -s ,$(SUITE))

vm:
	@tests/vm/shell $(or $(KERNEL),6.12)

.PHONY: all help check vm
