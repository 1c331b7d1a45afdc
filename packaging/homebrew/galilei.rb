# A formula for Homebrew. `url` and `sha256` are those of the source of a release; see packaging/README.md.
class Galilei < Formula
  desc "Equations of motion, proofs and simulations of mechanical systems"
  version "0.2.0"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "apps/cli")
    generate_completions_from_executable(bin/"galilei", "completions")
    system bin/"galilei", "man", "man"
    man1.install Dir["man/*.1"]
    pkgshare.install "models"
  end

  test do
    (testpath/"oscillator.gal").write <<~EOS
      coord x
      kinetic: x'^2/2
      potential: x^2/2
      initial x = 1
      simulate to 1
    EOS
    assert_match "\"ok\": true", shell_output("#{bin}/galilei check oscillator.gal --json")
  end
end
