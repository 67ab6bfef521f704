# shellcheck shell=bash
# TAP for suites, in the virtual machine and on the host.

T_COUNT=0
T_FAILED=0

pass() { T_COUNT=$((T_COUNT + 1)); echo "ok $T_COUNT - $1"; }
fail() { T_COUNT=$((T_COUNT + 1)); T_FAILED=$((T_FAILED + 1)); echo "not ok $T_COUNT - $1"; return 0; }
skip() { T_COUNT=$((T_COUNT + 1)); echo "ok $T_COUNT - $1 # SKIP ${2:-}"; }
note() { printf '%s\n' "$*" | sed 's/^/# /'; }
bail() { echo "Bail out! $*"; exit 1; }

# ok NAME COMMAND...: passes when COMMAND succeeds; shows its output when not.
ok()
{
	local name=$1 out rc
	shift
	out=$("$@" 2>&1) && rc=0 || rc=$?
	if [ $rc = 0 ]; then
		pass "$name"
	else
		fail "$name"
		note "exit code $rc from: $*"
		[ -z "$out" ] || note "$out"
	fi
}

# not_ok NAME COMMAND...: passes when COMMAND fails.
not_ok()
{
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then
		fail "$name"
		note "unexpected success of: $*"
		[ -z "$out" ] || note "$out"
	else
		pass "$name"
	fi
}

# exits NAME CODE COMMAND...: passes when COMMAND exits with exactly CODE.
exits()
{
	local name=$1 want=$2 out rc
	shift 2
	out=$("$@" 2>&1) && rc=0 || rc=$?
	if [ "$rc" = "$want" ]; then
		pass "$name"
	else
		fail "$name"
		note "exit code $rc instead of $want from: $*"
		[ -z "$out" ] || note "$out"
	fi
}

# is NAME GOT WANT
is()
{
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1"
		note "     got: $2"
		note "expected: $3"
	fi
}

# like NAME GOT EXTENDED-REGEX
like()
{
	if [[ $2 =~ $3 ]]; then
		pass "$1"
	else
		fail "$1"
		note "     got: $2"
		note "no match: $3"
	fi
}

# between NAME GOT LOW HIGH
between()
{
	if [[ $2 =~ ^-?[0-9]+$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		pass "$1"
	else
		fail "$1"
		note "got $2, expected $3 to $4"
	fi
}
