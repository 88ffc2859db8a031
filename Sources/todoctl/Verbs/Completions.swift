import ArgumentParser

struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a script that lets a shell complete todoctl's verbs and options.",
        discussion: """
            EXAMPLES:
              todoctl completions bash > ~/.local/share/bash-completion/completions/todoctl
              todoctl completions zsh > ~/.zfunc/_todoctl
              todoctl completions fish > ~/.config/fish/completions/todoctl.fish
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash
        case zsh
        case fish
    }

    @Argument(help: "bash, zsh or fish.")
    var shell = Shell.bash

    func run() throws {
        var output = Output()
        output.line(Todoctl.completionScript(for: CompletionShell(rawValue: shell.rawValue) ?? .bash))
        output.flush()
    }
}
