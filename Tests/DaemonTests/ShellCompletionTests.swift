import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Completions of real shells for todos.
@Suite(.ownThreads) struct ShellCompletionTests {
    static let bash = Products.tool("bash")

    /// Calls the function of the script as bash does, with the words of a command line whose last word is being typed.
    private static let asking = """
        source "$1"
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(( $# - 1 ))
        COMP_LINE="$*"
        COMP_POINT=${#COMP_LINE}
        COMPREPLY=()
        typed="${@: -1}"
        if [[ $typed == ":" ]]; then typed=""; fi
        _todoctl "$1" "$typed" "${@: -2:1}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """

    /// A daemon with three todos, the last one done, and the completion script.
    private func begun() throws -> (Daemon, script: String) {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Call the bank", "Buy the milk", "It's 5/6: done")])
        try client.dispatch([Actions.complete(3)])
        #expect(try daemon.todoctl("edit", "1", "--tag", "work,work.tax").end == .exit(0))
        return (daemon, try daemon.directory.write(try daemon.todoctl("completions", "bash").text, to: "completions"))
    }

    @Test(.enabled(if: ShellCompletionTests.bash != nil, "bash is not installed"))
    func `bash completes todos with their titles, tags and the words of filters`() throws {
        let (daemon, script) = try begun()
        let bash = try #require(Self.bash)
        func offered(_ words: String...) throws -> [String] {
            let answer = try Command.run(
                [bash, "--norc", "-c", Self.asking, "bash", script, Products.todoctl] + words,
                environment: ["TODOD_SOCKET": daemon.socket, "HOME": daemon.directory.path])
            #expect(answer.end == .exit(0) && answer.error.isEmpty, "\(answer)")
            return answer.lines
        }
        let all = try offered("done", "")
        for word in ["1: Call the bank", "2: Buy the milk", "+work", "+work.tax", "due:", "is:", "priority>"] {
            #expect(all.contains(word), "\(word): \(all)")
        }
        #expect(!all.contains { $0.hasPrefix("3") })
        #expect(try offered("done", "2") == ["2"])
        #expect(try offered("show", "3") == ["3"])
        #expect(try offered("do", "2") == ["2"])
        #expect(try offered("rm", "1", "2") == ["2"])
        #expect(try offered("ls", "+work.") == ["+work.tax"])
        #expect(try offered("edit", "1", "-t", "") == ["work", "work.tax"])
        #expect(try offered("done", "1", "2") == ["2"])
        #expect(try offered("list", "+work.") == ["+work.tax"])
        #expect(try offered("list", "due", ":", "to") == ["today", "tomorrow"])
        #expect(try offered("list", "is", ":").contains("blocked"))
        #expect(try offered("list", "after", ":", "1") == ["1"])
        #expect(try offered("edit", "1", "--tag", "") == ["work", "work.tax"])
        #expect(try offered("edit", "1", "--untag", "work.t") == ["work.tax"])
        #expect(try offered("edit", "1", "--after", "2") == ["2"])
        #expect(try offered("add", "Milk", "--priority", "h") == ["high"])
        #expect(try offered("note", "1") == ["1"])
        #expect(try offered("done", "1,") == ["1,2"] && offered("edit", "1", "--after", "2,") == ["2,1"])
        #expect(try offered("list", "after", ":", "2,") == ["2,1"])
        #expect(try Set(offered("add", "Milk", "--due", "to")) == ["today", "tomorrow", "tonight"])
        #expect(try Set(offered("edit", "1", "-e", "m")) == ["monday", "monthly"])
        #expect(try offered("edit", "1", "--wait-until", "fr") == ["friday"] && !offered("add", "Milk", "--due", "").isEmpty)
        // An alias is completed like its verb.
        #expect(try offered("ls", "+work.") == ["+work.tax"] && offered("rm", "2") == ["2"])
        #expect(try offered("do", "") == all && offered("ls", "--sor") == offered("list", "--sor"))
        #expect(try offered("revert", "--scope", "cou") == ["counter"])
        // Words that match no todo, and a missing daemon, are harmless.
        #expect(try offered("done", "99").isEmpty)
        #expect(try daemon.stop() == .exit(0))
        #expect(try offered("done", "1").isEmpty)
    }

    @Test(arguments: [("zsh", "", "1:Call the bank"), ("fish", "''", "1\tCall the bank"), ("fish", "1", "1\tCall the bank")])
    func `zsh and fish get the meaning of an id`(shell: String, typed: String, offered: String) throws {
        let (daemon, _) = try begun()
        let answer = try Command.run(
            [Products.todoctl, "---completion", "done", "--", "positional@0", "2", "0", "todoctl", "done", typed],
            environment: ["SAP_SHELL": shell, "TODOD_SOCKET": daemon.socket, "HOME": daemon.directory.path])
        #expect(answer.lines.contains(offered), "\(answer)")
        #expect(answer.lines.contains(shell == "zsh" ? "due\\:" : "due:") == (typed != "1"), "\(answer)")
    }

    @Test(.enabled(if: ShellCompletionTests.bash != nil, "bash is not installed"))
    func `bash offers no words of the list that it would execute, and executes none during completion`() throws {
        let (daemon, script) = try begun()
        let bash = try #require(Self.bash)
        let marker = daemon.directory.path + "/ran"
        let tags = ["hh`touch \(marker)`", "$(touch \(marker))", "a;touch \(marker)", "'\ntouch \(marker)\n'", "-rf", "plain"]
        let edit: Value = ["id": 1, "title": .text("Call `touch \(marker)`"), "tags": .list(tags.map { .text($0) })]
        try daemon.connect().dispatch([["todos": ["edit": edit]]])
        let lines = [
            ["done", ""], ["list", "+"], ["edit", "1", "--tag", ""], ["list", "@"], ["list", "--at", ""], ["done", "1"],
        ]
        for words in lines {
            let answer = try Command.run(
                [bash, "--norc", "-c", Self.asking, "bash", script, Products.todoctl] + words,
                environment: ["TODOD_SOCKET": daemon.socket, "HOME": daemon.directory.path])
            #expect(answer.end == .exit(0) && answer.error.isEmpty, "\(answer)")
            for sign in ["`", "$(", ";"] { #expect(!answer.text.contains(sign), "\(words): \(answer)") }
            #expect(!answer.lines.contains { $0.hasPrefix("-rf") || $0.hasPrefix("touch") }, "\(words): \(answer)")
            if words.last == "+" { #expect(answer.lines.contains("+plain"), "\(answer)") }
        }
        #expect(!FileManager.default.fileExists(atPath: marker))
    }
}
