import Foundation
import Glibc
import Testing
import TodoAPI
import TodoClient

@testable import todoctl

@Suite struct SocketPlaceTests {
    static let isRoot: Bool = getuid() == 0

    /// Runs `body` with a new directory that only the user can change.
    func withDirectory(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "place-\(UInt32.random(in: 0 ... .max))").path
        #expect(mkdir(path, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    func file(_ path: String) { close(open(path, O_CREAT | O_WRONLY, 0o600)) }

    func isTrusted(_ path: String, uid: UInt32 = getuid()) throws -> Bool {
        do throws(VarlinkClientError) {
            _ = try SocketPlace(path, uid: uid)
            return true
        } catch {
            guard case .untrusted(let message) = error else { throw error }
            #expect(message.contains("--socket") || message.contains("chmod"), "\(message)")
            return false
        }
    }

    @Test func `a socket below a directory that others can change is not trusted`() throws {
        try withDirectory { directory in
            try #require(mkdir(directory + "/a", 0o700) == 0)
            file(directory + "/a/socket")
            for (path, mode) in [(directory, 0o777), (directory, 0o770), (directory + "/a", 0o722), (directory + "/a", 0o720)] {
                #expect(try isTrusted(directory + "/a/socket"))
                chmod(path, mode_t(mode))
                #expect(try !isTrusted(directory + "/a/socket"), "\(path)")
                chmod(path, 0o700)
            }
            #expect(try isTrusted(directory + "/./a/../a/socket"))
            #expect(throws: VarlinkClientError.unreachable(ENOENT)) { try SocketPlace(directory + "/b/socket", uid: getuid()) }
        }
    }

    @Test func `the target of a symbolic link is checked as well`() throws {
        try withDirectory { directory in
            try #require(mkdir(directory + "/a", 0o700) == 0)
            file(directory + "/a/socket")
            symlink("a", directory + "/link")
            symlink(directory + "/link/socket", directory + "/socket")
            symlink("round", directory + "/round")
            #expect(try isTrusted(directory + "/socket"))
            chmod(directory + "/a", 0o777)
            #expect(try !isTrusted(directory + "/socket"))
            #expect(throws: VarlinkClientError.unreachable(ELOOP)) { try SocketPlace(directory + "/round", uid: getuid()) }
        }
    }

    @Test(.enabled(if: isRoot, "giving files to others needs root"))
    func `in a world-writable directory only directories of the user or of root are trusted`() throws {
        try withDirectory { directory in
            chmod(directory, 0o1777)
            try #require(mkdir(directory + "/theirs", 0o700) == 0)
            file(directory + "/theirs/socket")
            #expect(try isTrusted(directory + "/theirs/socket", uid: 7))
            chown(directory + "/theirs", 7, 7)
            #expect(try isTrusted(directory + "/theirs/socket", uid: 7))
            // Not of a third user, not even for root, although only the owner can change it: any user could have created it first.
            #expect(try !isTrusted(directory + "/theirs/socket", uid: 0))
            #expect(try !isTrusted(directory + "/theirs/socket", uid: 8))
        }
    }

    @Test(.enabled(if: isRoot, "giving files to others needs root"))
    func `another user may serve from its own directory if the socket was named explicitly`() throws {
        try withDirectory { directory in
            chmod(directory, 0o755)
            try #require(mkdir(directory + "/a", 0o755) == 0 && mkdir(directory + "/a/b", 0o755) == 0)
            let path = directory + "/a/b/socket"
            file(path)
            chown(directory + "/a/b", 7, 7)
            let place = try SocketPlace(path, uid: 8)
            #expect(place.stranger == 7 && place.holder == 7)
            for server: UInt32 in [0, 7, 8] { try place.check(server: server, own: "/elsewhere") }
            for server: UInt32 in [0, 8] { try place.check(server: server, own: path) }
            #expect(throws: VarlinkClientError.self) { try place.check(server: 7, own: path) }
            #expect(throws: VarlinkClientError.self) { try place.check(server: 9, own: "/elsewhere") }
            chown(directory + "/a", 9, 9)
            #expect(try !isTrusted(path, uid: 8))
        }
    }

    @Test(.enabled(if: isRoot, "giving files to others needs root"))
    func `at the system socket the owner that root gave it may serve, otherwise only the owner of its directory`() throws {
        try withDirectory { directory in
            chmod(directory, 0o755)
            try #require(mkdir(directory + "/todod", 0o755) == 0)
            let path = directory + "/todod/socket"
            file(path)
            // The user of a unit differs at each start.
            for uid: UInt32 in [0, 8] {
                try SocketPlace(path, uid: uid).check(server: 62_063, own: "/elsewhere", system: path)
                #expect(throws: VarlinkClientError.self) {
                    try SocketPlace(path, uid: uid).check(server: 62_063, own: path, system: "/elsewhere")
                }
            }
            chown(directory + "/todod", 7, 7)
            let place = try SocketPlace(path, uid: 8)
            try place.check(server: 7, own: "/elsewhere", system: path)
            #expect(throws: VarlinkClientError.self) { try place.check(server: 9, own: "/elsewhere", system: path) }
        }
    }

    @Test func `another user's directory in place of the own one does not hide the system socket`() throws {
        try withDirectory { directory in
            let uid = getuid() + 1
            try #require(mkdir("\(directory)/todod-\(uid)", 0o700) == 0)
            func path(existing: Set<String>) throws -> String {
                try SocketChoice.path(option: nil, environment: { $0 == "TMPDIR" ? directory : nil }, uid: uid) {
                    existing.contains($0)
                }
            }
            let own = "\(directory)/todod-\(uid)/todod/org.todod.Store"
            #expect(try path(existing: [own, SocketLocation.system]) == SocketLocation.system)
            let failure = #expect(throws: Failure.self) { try path(existing: [own]) }
            #expect(failure?.code == .notPermitted && failure?.message.contains("--socket") == true)
        }
    }
}
