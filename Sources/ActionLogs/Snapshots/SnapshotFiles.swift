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

    /// Those all along the log, which lie beside these.
    public var travel: TravelSnapshots { TravelSnapshots(directory: directory) }

    /// Writes a snapshot, makes it durable, and removes all but the newest two.
    ///
    /// Throws `storageFull`, `notPermitted` or `io`; what was there before stays then.
    public func write(_ snapshot: Snapshot) throws(ActionLogError) {
        let frame = SnapshotFrame(snapshot).bytes(state: snapshot.state)
        let name = SnapshotName.of(snapshot.sequence)
        try OutputFile.write(frame.span.bytes, snapshot.state.span.bytes, name: name, directory: directory)
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
        try Directory.names(directory).compactMap(SnapshotName.sequence).sorted()
    }

    /// The snapshot of a sequence; `nil` unless its file is exactly what was written, by a build whose format this one knows.
    public func read(_ sequence: UInt64) -> Snapshot? {
        SnapshotFrame.read("\(directory)/\(SnapshotName.of(sequence))", sequence: sequence)
    }

    /// The size of the file of a sequence; 0 when there is none.
    public func byteCount(of sequence: UInt64) -> Int {
        travel.byteCount(of: sequence) ?? SnapshotFrame.byteCount("\(directory)/\(SnapshotName.of(sequence))") ?? 0
    }

    /// Removes all snapshots from a sequence on, also those all along the log: what they hold is no longer what the log says.
    public func removeAll(from sequence: UInt64) {
        for place in (try? sequences()) ?? [] where place >= sequence { unlink("\(directory)/\(SnapshotName.of(place))") }
        travel.removeAll(from: sequence)
    }

    /// Removes all snapshots before a sequence, also those all along the log: nobody can ask for them any more.
    public func removeAll(before sequence: UInt64) {
        for place in (try? sequences()) ?? [] where place < sequence { unlink("\(directory)/\(SnapshotName.of(place))") }
        for place in travel.sequences() where place < sequence { travel.remove(place) }
    }

    private func removeOld() throws(ActionLogError) {
        for name in try Directory.names(directory)
        where name.hasPrefix(SnapshotName.prefix) && name.hasSuffix(OutputFile.temporarySuffix) {
            unlink("\(directory)/\(name)")
        }
        for sequence in try sequences().dropLast(Self.filesMax) { unlink("\(directory)/\(SnapshotName.of(sequence))") }
    }
}
