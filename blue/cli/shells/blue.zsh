#compdef blue
# Completion of blue for zsh: source <(blue completion zsh), or this file as _blue
# in a directory of $fpath.
_blue() {
	local -a typed answer choices
	local line
	typed=("${(@Q)words[2,CURRENT-1]}")
	((CURRENT > 2)) || typed=()
	answer=("${(@f)$(command blue __complete zsh "${typed[@]}" "${(Q)PREFIX}" 2>/dev/null)}")
	case ${answer[1]} in
	files | dirs)
		compset -P '--*='
		if [[ ${answer[1]} == dirs ]]; then _files -/; else _files; fi
		;;
	words)
		for line in "${(@)answer[2,-1]}"; do
			[[ -n $line ]] || continue
			if [[ $line == *$'\t'* ]]; then
				choices+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
			else
				choices+=("${line//:/\\:}")
			fi
		done
		_describe -V blue choices
		;;
	esac
}
if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
	_blue "$@"
else
	compdef _blue blue
fi
