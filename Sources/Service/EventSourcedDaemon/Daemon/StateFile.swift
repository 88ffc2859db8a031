import Glibc
import Reducing
import TodoAPI
import Varlink

extension DaemonApp {
    /// A state that a person keeps in a file, as `todoctl state --json` prints it.
    static func state(inFile path: String) throws(StartFailure) -> State {
        let bytes = try StateFile.contents(path)
        let value: Value
        do {
            value = try Value(parsing: bytes)
        } catch {
            throw StartFailure(.configuration, "\(path) is no state: \(error).")
        }
        do {
            // The reply's own schema has the state beside its sequence; the state alone will do as well.
            return try State(value["state"] ?? value)
        } catch {
            throw StartFailure(.configuration, "\(path) is no state: \(error.path): \(error.message)")
        }
    }
}

extension ForkMessage {
    /// What the log in a directory is a fork of; `nil`: it is none.
    ///
    /// - Throws: where that can't be read: a fork must not be taken for what it is a fork of.
    init?(beside directory: String) throws(StartFailure) {
        let path = "\(directory)/\(Self.fileName)"
        guard access(path, F_OK) == 0 else { return nil }
        do throws(APIError) { self = try ForkMessage(file: try? StateFile.contents(path)) } catch {
            throw StartFailure(
                .damagedData,
                "\(path), which says what this log is a fork of, can't be read. Make the fork again with todoctl fork.")
        }
    }
}

private enum StateFile {
    /// The largest file, in bytes.
    static let bytesMax = 1 << 30

    static func contents(_ path: String) throws(StartFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= bytesMax {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw unreadable(path, String(cString: strerror(errno))) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw unreadable(path, "it has more than \(bytesMax) bytes")
    }

    private static func unreadable(_ path: String, _ reason: String) -> StartFailure {
        StartFailure(.configuration, "\(path) can't be read: \(reason).")
    }
}
