internal import Glibc

/// The snapshots of a log: files beside its environment, of which the newest two are kept.
///
/// A file appears as a whole or not at all. What is torn, damaged, of other code or of another log is passed over, because
/// the log can always be folded again.
public struct SnapshotFiles: Sendable {
    /// How many are kept.
    public static let filesMax = 2

    private let directory: String

    /// The snapshots in a directory that exists.
    public init(directory: String) { self.directory = directory }

    /// Writes a snapshot, makes it durable, and removes all but the newest two.
    ///
    /// Throws `storageFull` or `io`; what was there before stays then.
    public func write(_ header: SnapshotHeader, state: RawSpan) throws(ActionLogError) {
        let frame = Snapshot.frame(header, state: state)
        try DurableFile.write(frame.span.bytes, state, name: Self.name(header.sequence), directory: directory)
        try removeOld()
    }

    /// The newest snapshot of the given code that the caller accepts.
    ///
    /// The caller says whether the log has a record of this sequence, checksum and epoch.
    public func newest(
        fingerprint: String, where accepts: (SnapshotHeader) -> Bool
    ) throws(ActionLogError) -> Snapshot? {
        for sequence in try sequences().reversed() {
            guard let bytes = Self.bytes("\(directory)/\(Self.name(sequence))"), let snapshot = Snapshot(bytes) else { continue }
            let header = snapshot.header
            if header.sequence == sequence, header.fingerprint == fingerprint, accepts(header) { return snapshot }
        }
        return nil
    }

    /// The sequences of all files, whether they can be used or not, the oldest first.
    public func sequences() throws(ActionLogError) -> [UInt64] {
        try Directory.names(directory).compactMap(Self.sequence).sorted()
    }

    private func removeOld() throws(ActionLogError) {
        for name in try Directory.names(directory)
        where name.hasPrefix(Self.prefix) && name.hasSuffix(DurableFile.temporarySuffix) {
            unlink("\(directory)/\(name)")
        }
        for sequence in try sequences().dropLast(Self.filesMax) { unlink("\(directory)/\(Self.name(sequence))") }
    }

    private static let prefix = "snapshot-"
    private static let digits = 20

    private static func name(_ sequence: UInt64) -> String {
        let number = String(sequence)
        return prefix + String(repeating: "0", count: digits - number.utf8.count) + number
    }

    private static func sequence(_ name: String) -> UInt64? {
        guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + digits else { return nil }
        return UInt64(name.dropFirst(prefix.utf8.count))
    }

    // One read into memory of the file's size: mapping it would end the process if the file were cut off meanwhile.
    private static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: status.st_size) { buffer, count in
            while count < buffer.count {
                let read = read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                guard read > 0 else { break }
                count += read
            }
        }
    }
}
