class Blue < Formula
  desc "Project's notes for coding agents and the people who work with them"
  homepage "https://github.com/OWNER/blue"
  version "VERSION"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/OWNER/blue/releases/download/vVERSION/blue_VERSION_darwin_arm64.tar.gz"
      sha256 "SHA256(blue_VERSION_darwin_arm64.tar.gz)"
    end
    on_intel do
      url "https://github.com/OWNER/blue/releases/download/vVERSION/blue_VERSION_darwin_amd64.tar.gz"
      sha256 "SHA256(blue_VERSION_darwin_amd64.tar.gz)"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/OWNER/blue/releases/download/vVERSION/blue_VERSION_linux_arm64.tar.gz"
      sha256 "SHA256(blue_VERSION_linux_arm64.tar.gz)"
    end
    on_intel do
      url "https://github.com/OWNER/blue/releases/download/vVERSION/blue_VERSION_linux_amd64.tar.gz"
      sha256 "SHA256(blue_VERSION_linux_amd64.tar.gz)"
    end
  end

  def install
    bin.install "blue"
    prefix.install "THIRD_PARTY_LICENSES"
    generate_completions_from_executable(bin/"blue", "completion")
    (man1/"blue.1").write Utils.safe_popen_read(bin/"blue", "man")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/blue version")
    mkdir "project"
    system bin/"blue", "init", "project"
    assert_match "friday", pipe_output("#{bin}/blue write --cwd project", "We deploy on Friday.")
    assert_match "Friday", shell_output("#{bin}/blue search --cwd project deploy")
  end
end
