import Chronicle
import Glibc
import TodoAPI
import Varlink

extension DaemonApp {
    /// Reads a state from a file, as printed by `todoctl state --json`.
    static func state(inFile path: String) throws(StartFailure) -> State {
        let bytes = try StateFile.contents(path)
        let value: Value
        do {
            value = try Value(parsing: bytes)
        } catch {
            throw StartFailure(.configuration, "\(path) is not a state: \(error).")
        }
        do {
            // Accepts the reply with its sequence, or the state alone.
            return try State(value["state"] ?? value)
        } catch {
            throw StartFailure(.configuration, "\(path) is not a state: \(error.path): \(error.message)")
        }
    }
}

extension ForkMessage {
    /// Reads the origin of a fork; `nil`: the log is no fork.
    /// - Throws: if the file can't be read: a fork must not be mistaken for its origin.
    init?(beside directory: String) throws(StartFailure) {
        let path = "\(directory)/\(Self.fileName)"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        // Any other error means that the file exists.
        guard descriptor >= 0 || errno != ENOENT else { return nil }
        defer { if descriptor >= 0 { close(descriptor) } }
        do throws(APIError) {
            self = try ForkMessage(file: StateFile.smallContents(descriptor, bytesMax: Self.fileBytesMax))
        } catch {
            throw StartFailure(
                .damagedData,
                """
                \(path), the origin of this fork, can't be read. \
                To keep its records as a separate log, start with --restore \(directory) --data NEW-DIRECTORY.
                """)
        }
    }
}

private enum StateFile {
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

    static func smallContents(_ descriptor: Int32, bytesMax: Int) -> [UInt8]? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= bytesMax else { return nil }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes[..<count])
    }

    private static func unreadable(_ path: String, _ reason: String) -> StartFailure {
        StartFailure(.configuration, "\(path) can't be read: \(reason).")
    }
}
