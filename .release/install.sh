#!/bin/sh
# Installs Blue VERSION on Linux or macOS: downloads the archive for this system, refuses it
# unless its checksum is the one below, and puts the program into a directory.
#
#   BLUE_BIN  the directory, by default ~/.local/bin
#   BLUE_URL  where the archives are, by default the release at GitHub
set -eu

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

# checksum prints the SHA-256 of a file.
checksum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum <"$1"
	elif command -v shasum >/dev/null 2>&1; then
		shasum -a 256 <"$1"
	elif command -v openssl >/dev/null 2>&1; then
		openssl dgst -sha256 -r <"$1"
	else
		fail "there is no sha256sum, shasum or openssl to check the download with; nothing was installed"
	fi | cut -d ' ' -f 1
}

download() {
	if command -v curl >/dev/null 2>&1; then
		curl -fsSL -o "$2" "$1"
	elif command -v wget >/dev/null 2>&1; then
		wget -q -O "$2" "$1"
	else
		fail "there is no curl or wget to download with"
	fi
}

main() {
	url=${BLUE_URL:-https://github.com/OWNER/blue/releases/download/vVERSION}
	bin=${BLUE_BIN:-$HOME/.local/bin}
	case $(uname -s)-$(uname -m) in
	Linux-x86_64 | Linux-amd64) name=linux_amd64 want=SHA256(blue_VERSION_linux_amd64.tar.gz) ;;
	Linux-aarch64 | Linux-arm64) name=linux_arm64 want=SHA256(blue_VERSION_linux_arm64.tar.gz) ;;
	Darwin-x86_64) name=darwin_amd64 want=SHA256(blue_VERSION_darwin_amd64.tar.gz) ;;
	Darwin-arm64) name=darwin_arm64 want=SHA256(blue_VERSION_darwin_arm64.tar.gz) ;;
	*) fail "there is no binary for $(uname -s) on $(uname -m); build Blue from its sources" ;;
	esac
	name=blue_VERSION_$name
	tmp=$(mktemp -d)
	new=$bin/.blue-$$
	trap 'rm -rf "$tmp" "$new"' EXIT
	trap 'exit 1' HUP INT TERM
	download "$url/$name.tar.gz" "$tmp/archive" || fail "$url/$name.tar.gz could not be downloaded; nothing was installed"
	got=$(checksum "$tmp/archive")
	[ "$got" = "$want" ] || fail "the checksum of $url/$name.tar.gz is ${got:-unknown}, not $want; nothing was installed"
	tar -xzf "$tmp/archive" -C "$tmp"
	mkdir -p "$bin"
	[ ! -d "$bin/blue" ] || fail "$bin/blue is a directory; nothing was installed. Move it away, or set BLUE_BIN to another directory"
	if [ -e "$bin/blue" ]; then
		case $("$bin/blue" version 2>/dev/null </dev/null) in
		"blue "*) ;;
		*) fail "$bin/blue is another program, or fails; nothing was installed. Move it away, or set BLUE_BIN to another directory" ;;
		esac
	fi
	cp "$tmp/$name/blue" "$new" || fail "$new could not be written; nothing was installed"
	mv -f "$new" "$bin/blue" || fail "$bin/blue could not be replaced; nothing was installed" # a program that runs is not written to
	echo "Installed $bin/blue, version VERSION"
	case :$PATH: in
	*:"$bin":*) ;;
	*) echo "Put $bin on your PATH" ;;
	esac
	echo "Next, in your project: blue init"
}

main # at the end, so that a script that was cut off does nothing
