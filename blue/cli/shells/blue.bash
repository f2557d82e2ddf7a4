# Completion of blue for bash: source <(blue completion bash)
_blue() {
	local rest=${COMP_LINE:0:COMP_POINT} words=() n=0 word reply kind strip
	# bash takes words apart at = and :, which belong to them here
	for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
		if ((n > 0)) && [[ $rest != [[:space:]]* ]]; then
			words[n-1]+=$word
		else
			words[n++]=$word
		fi
		rest=${rest#"${rest%%[![:space:]]*}"}
		[[ $rest == "$word"* ]] || words[n-1]=${words[n-1]%"$word"}$rest # the cursor stands in the word
		rest=${rest#"$word"}
	done
	word=${words[n-1]}
	strip=${word%"${word##*[=:]}"}
	COMPREPLY=()
	{
		IFS= read -r kind
		case $kind in
		files | dirs)
			compopt -o filenames 2>/dev/null
			while IFS= read -r reply; do
				COMPREPLY+=("$reply")
			done < <(compgen "-${kind:0:1}" -- "${word#"$strip"}")
			;;
		words)
			while IFS= read -r reply; do
				printf -v reply %q "${reply%%$'\t'*}"
				COMPREPLY+=("${reply#"$strip"}")
			done
			;;
		esac
	} < <(command blue __complete bash "${words[@]:1}" 2>/dev/null)
}
complete -F _blue blue
