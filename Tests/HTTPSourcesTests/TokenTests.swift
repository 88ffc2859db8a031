import Chronicle
import Glibc
import TestSupport
import Testing

@testable import HTTPSources

/// Writes a token file and returns its path.
func writeToken(_ text: String, mode: mode_t = 0o600, in directory: String, named name: String = "token") throws -> String {
    let path = "\(directory)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    try #require(fchmod(descriptor, mode) == 0)
    return path
}

@Suite struct `A token` {
    @Test func `a token can be used and is not printed`() throws {
        let token = try #require(Token(Array("ghp_secret\r\n".utf8)))
        #expect(token.lend { $0 } == "ghp_secret")
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped, "\([token])"] {
            #expect(!text.contains("ghp_"), "\(text)")
        }
    }

    @Test(arguments: ["", "\n", "two words", "a\nb", "é", "a\r\nX-Header: b"])
    func `a token is one word that is valid in a header`(text: String) {
        #expect(Token(Array(text.utf8)) == nil)
    }

    @Test(
        arguments: [(0o600, nil), (0o400, nil), (0o640, "can be read by others"), (0o604, "can be read by others")]
            as [(mode_t, String?)])
    func `a token is read from a file that only its owner can read`(mode: mode_t, mistake: String?) async throws {
        let directory = TemporaryDirectory()
        let file = TokenFile(path: try writeToken("ghp_secret", mode: mode, in: directory.path))
        guard let mistake else {
            #expect(try file.token().lend { $0 } == "ghp_secret")
            return
        }
        let error = try await failure { try file.token() }
        #expect(error.reason == "\(file.path) \(mistake), so it is not read as a token. Run: chmod 600 \(file.path)")
        #expect(error.isPermanent)
    }

    @Test func `a token file from systemd may be readable by its group`() throws {
        let directory = TemporaryDirectory()
        _ = try writeToken("ghp_secret", mode: 0o440, in: directory.path, named: "github-token")
        #expect(try TokenFile(credentialsDirectory: directory.path).token().lend { $0 } == "ghp_secret")
    }

    @Test func `the error for a missing token names its file and not its contents`() async throws {
        let directory = TemporaryDirectory()
        let missing = try await failure { try TokenFile(path: "\(directory.path)/none").token() }
        #expect(missing == CommandFailure("\(directory.path)/none can't be read: no such file or directory.", isPermanent: true))
        let path = try writeToken("ghp_secret in words", in: directory.path)
        let words = try await failure { try TokenFile(path: path).token() }
        #expect(words.reason == "\(path) holds no token: one line of printable characters without blanks.")
        let folder = try await failure { try TokenFile(path: directory.path).token() }
        #expect(folder.reason == "\(directory.path) is not a regular file.")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `a token file of another user is not read`() async throws {
        let directory = TemporaryDirectory()
        let path = try writeToken("ghp_secret", in: directory.path)
        try #require(chown(path, 4711, 4711) == 0)
        let error = try await failure { try TokenFile(path: path).token() }
        #expect(error.reason == "\(path) does not belong to the user that todod runs as, so it is not read as a token.")
    }
}
