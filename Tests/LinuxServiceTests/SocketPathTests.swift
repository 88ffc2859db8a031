import Glibc
import TestSupport
import Testing

@testable import LinuxService

@Suite struct SocketPathTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = TemporaryDirectory()
    }

    func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test func `missing directories are created for the user alone`() throws {
        try SocketPath("\(directory.path)/a/b/socket").makeDirectory()
        #expect(mode("\(directory.path)/a") == 0o700)
        #expect(mode("\(directory.path)/a/b") == 0o700)
        try SocketPath("\(directory.path)/a/b/socket").makeDirectory()
    }

    @Test func `a directory in a shared place is refused if others can write to it`() throws {
        chmod(directory.path, 0o1777)
        mkdir("\(directory.path)/own", 0o700)
        try SocketPath("\(directory.path)/own/socket").makeDirectory()
        chmod("\(directory.path)/own", 0o770)
        #expect(throws: StartFailure.self) { try SocketPath("\(directory.path)/own/socket").makeDirectory() }
    }

    @Test func `a directory in a shared place is refused if it is a symbolic link`() throws {
        chmod(directory.path, 0o1777)
        symlink("/tmp", "\(directory.path)/link")
        #expect(throws: StartFailure.self) { try SocketPath("\(directory.path)/link/socket").makeDirectory() }
    }

    @Test(.enabled(if: geteuid() == 0)) func `a directory in a shared place is refused if it belongs to another user`() throws {
        chmod(directory.path, 0o1777)
        mkdir("\(directory.path)/theirs", 0o700)
        chown("\(directory.path)/theirs", 12345, 12345)
        let failure = #expect(throws: StartFailure.self) { try SocketPath("\(directory.path)/theirs/socket").makeDirectory() }
        #expect(failure?.status == .notPermitted)
    }

    @Test func `only the user can access the socket, whatever the umask is`() throws {
        let socket = try SocketPath("\(directory.path)/socket").listen()
        defer { close(socket.descriptor) }
        #expect(mode(socket.path) == 0o600)
        #expect(UnixSocket.isListening(socket.descriptor) == true)
        #expect(fcntl(socket.descriptor, F_GETFD) == FD_CLOEXEC)
    }

    @Test func `the socket of a killed daemon is removed`() throws {
        let path = try SocketPath("\(directory.path)/socket")
        close(try path.listen().descriptor)
        #expect(throws: StartFailure(.tryAgain, "\(path.path) exists already.")) { try path.listen() }
        try path.removeStaleSocketUnderLock()
        let socket = try path.listen()
        close(socket.descriptor)
    }

    @Test func `a socket with a listener is left alone`() throws {
        let path = try SocketPath("\(directory.path)/socket")
        let socket = try path.listen()
        defer { close(socket.descriptor) }
        let failure = #expect(throws: StartFailure.self) { try path.removeStaleSocketUnderLock() }
        #expect(failure?.status == .tryAgain)
        #expect(mode(path.path) != nil)
    }

    @Test func `a file that is not a socket is left alone`() throws {
        let path = try SocketPath(directory.write("precious", to: "socket"))
        let failure = #expect(throws: StartFailure.self) { try path.removeStaleSocketUnderLock() }
        #expect(failure?.status == .configuration)
        #expect(mode(path.path) != nil)
    }

    @Test func `a stop removes the daemon's own socket and no other`() throws {
        let path = try SocketPath("\(directory.path)/socket")
        let first = try path.listen()
        close(first.descriptor)
        try path.removeStaleSocketUnderLock()
        // A file in between, so that the next socket does not get the first one's inode again.
        _ = try directory.write("", to: "between")
        let second = try path.listen()
        defer { close(second.descriptor) }
        first.removeFile()
        #expect(mode(path.path) != nil)
        second.removeFile()
        #expect(mode(path.path) == nil)
    }

    @Test(arguments: ["", "relative", "/" + String(repeating: "x", count: 107)])
    func `an invalid socket path is refused`(path: String) {
        #expect(throws: StartFailure.self) { try SocketPath(path) }
    }

    @Test func `a path of 107 bytes is the longest`() throws {
        let longest = directory.path + "/" + String(repeating: "x", count: 106 - directory.path.utf8.count)
        let socket = try SocketPath(longest).listen()
        defer { close(socket.descriptor) }
        #expect(mode(longest) != nil)
    }
}
