# Completion of blue for fish: blue completion fish >~/.config/fish/completions/blue.fish
function __blue_complete
	set -l typed (commandline -opc)
	set -l last (commandline -ct)
	set -l answer (command blue __complete fish $typed[2..-1] "$last" 2>/dev/null)
	set -l flag (string match -r -- '^--[^=]*=' $last)
	set -l part (string replace -r -- '^--[^=]*=' '' $last)
	switch "$answer[1]"
		case files
			for path in (__fish_complete_path "$part")
				printf '%s\n' "$flag$path"
			end
		case dirs
			for path in (__fish_complete_directories "$part" directory)
				printf '%s\n' "$flag$path"
			end
		case words
			printf '%s\n' $answer[2..-1]
	end
end
complete -c blue -f -a '(__blue_complete)'
