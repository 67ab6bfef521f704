# shellcheck shell=bash
# Completion for xhroomctl: the tool itself knows its words.
_xhroomctl()
{
	local line=${COMP_LINE:0:COMP_POINT} candidates words
	# Words as the shell passes them: bash's own list has kind:veth in three pieces.
	read -ra words <<<"$line"
	[[ $line != *[[:space:]] ]] || words+=('')
	candidates=$(xhroomctl __complete "${words[@]:1}" 2>/dev/null)
	if [ "$candidates" = '<file>' ]; then
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "${words[-1]}")
	else
		mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "${words[-1]}")
	fi
}
complete -F _xhroomctl xhroomctl
