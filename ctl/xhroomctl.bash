# shellcheck shell=bash
# Completion for xhroomctl: the tool itself knows its words.
_xhroomctl()
{
	local candidates
	candidates=$(xhroomctl __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -F _xhroomctl xhroomctl
