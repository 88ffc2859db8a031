import Glibc
import ProcessTesting

/// A web server program that serves a directory and ends with its owner.
final class FileServer {
    static let python = Products.tool("python3")

    let address: String
    private let process: ChildProcess

    init(serving directory: String) throws {
        guard let python = Self.python else { throw SystemFailure(what: "python3", number: ENOENT) }
        let channel = try Channel()
        defer { close(channel.ours) }
        let silent = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(silent) }
        process = try ChildProcess(
            [python, Products.repository + "/Tests/DaemonTests/python/serve.py", directory], environment: [:],
            output: channel.theirs,
            error: silent)
        close(channel.theirs)
        var port = ""
        var byte: UInt8 = 0
        while try Deadline(seconds: 60).awaitReadable(channel.ours), read(channel.ours, &byte, 1) == 1, byte != 0x0A {
            port.unicodeScalars.append(Unicode.Scalar(byte))
        }
        address = "http://127.0.0.1:\(port)"
    }

    deinit {
        process.signal(SIGKILL)
        _ = try? process.wait(seconds: 10)
    }
}
