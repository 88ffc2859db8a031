internal import ActionCoding
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
    /// Throws `storageFull`, `notPermitted` or `io`; what was there before stays then.
    public func write(_ snapshot: Snapshot) throws(ActionLogError) {
        let frame = SnapshotFrame(snapshot).bytes(state: snapshot.state)
        let name = Self.name(snapshot.sequence)
        try DurableFile.write(frame.span.bytes, snapshot.state.span.bytes, name: name, directory: directory)
        try removeOld()
    }

    /// The newest snapshot of the given code, up to a sequence, that the caller accepts; `nil` when there is none.
    ///
    /// The caller says whether its log has the record that the snapshot names by its checksum.
    public func newest(
        fingerprint: String, through sequence: UInt64, where accepts: (Snapshot) -> Bool = { _ in true }
    ) -> Snapshot? {
        guard let sequences = try? sequences() else { return nil }
        for candidate in sequences.reversed() where candidate <= sequence {
            guard let snapshot = read(candidate), snapshot.fingerprint == fingerprint, accepts(snapshot) else { continue }
            return snapshot
        }
        return nil
    }

    /// The sequences of all files, whether they can be used or not, the oldest first.
    public func sequences() throws(ActionLogError) -> [UInt64] {
        try Directory.names(directory).compactMap(Self.sequence).sorted()
    }

    // The snapshot in a file; `nil` unless it is exactly what was written, by a build whose format this one knows.
    private func read(_ sequence: UInt64) -> Snapshot? {
        // Read, not mapped: a mapped file that is cut off meanwhile ends the process.
        guard let file = InputFile("\(directory)/\(Self.name(sequence))") else { return nil }
        let prefix = file.next(SnapshotFrame.prefixBytes)
        guard prefix.count == SnapshotFrame.prefixBytes else { return nil }
        let (magic, lengths) = (prefix.span.bytes.littleEndian(at: 0), prefix.span.bytes.littleEndian(at: 8))
        let (stateLength, stored) = (prefix.span.bytes.littleEndian(at: 16), prefix.span.bytes.littleEndian(at: 24))
        let headerLength = Int(lengths >> 32)
        guard magic == SnapshotFrame.magic, lengths & 0xFFFF_FFFF == SnapshotFrame.format,
            headerLength <= SnapshotFrame.headerBytesMax,
            let stateCount = Int(exactly: stateLength), stateCount <= file.byteCount,
            stateCount + headerLength + prefix.count == file.byteCount
        else { return nil }
        let header = file.next(headerLength)
        let state = file.next(stateCount)
        guard header.count == headerLength, state.count == stateCount,
            SnapshotFrame.checksum(prefix: Array(prefix[..<24]), header: header, state: state) == stored,
            let frame = try? SnapshotFrame(canonical: header), frame.sequence == sequence
        else { return nil }
        return Snapshot(
            sequence: sequence, checksum: frame.checksum, epoch: frame.epoch, time: frame.time, fingerprint: frame.fingerprint,
            state: state)
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
}
