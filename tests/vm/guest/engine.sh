# shellcheck shell=bash
# How suites talk to the test modules xhr_hooktest (the engine with hooks of its
# own) and xhr_target (functions to be hooked).

H=/sys/kernel/debug/xhr_hooktest
T=/sys/kernel/debug/xhr_target
ENABLED=$TRACING/enabled_functions

load() { modprobe xhr_hooktest "$@"; }
unload() { modprobe -r xhr_hooktest; }
on() { echo 1 >$H/features/$1; }
off() { echo 0 >$H/features/$1; }
# hook FEATURE [SYMBOL]: its line of the status
hook() { awk -v f="$1" -v s="$2" '$1 == f && (s == "" || $2 == s) { print; exit }' $H/status; }
state() { hook "$@" | cut -d' ' -f3; }
backend() { hook "$@" | cut -d' ' -f4; }
calls() { hook "$@" | sed 's/.* calls=\([0-9]*\) .*/\1/'; }
inside() { hook "$@" | sed 's/.* inside=\(-*[0-9]*\) .*/\1/'; }
reason() { hook "$@" | sed 's/.* reason=\(.*\) holder=.*/\1/'; }
holder() { hook "$@" | sed 's/.* holder=//'; }
feature() { cat $H/features/$1; }
said() { cat $H/error; }
hooked() { grep -c "^$1 " $ENABLED; }

CMDLINE=$(cat /proc/cmdline)
VERSION=$(cat /proc/version)

# A prefix for the names of tests, within a loop over backends.
as() { echo "$1: $2"; }
