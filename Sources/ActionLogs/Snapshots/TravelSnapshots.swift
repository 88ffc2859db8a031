internal import Glibc

/// Snapshots all along a log, so that a state of the past needs only a short fold.
///
/// They lie in a directory of their own and are caches through and through: written without waiting for the disk, found
/// out by their checksums when they are torn, thinned out where they take too much room. Their files have the form of the others.
public struct TravelSnapshots: Sendable {
    /// Records between two of them, at least.
    public static let recordsMin: UInt64 = 8_192
    /// Records between two of them, at most, where there is room.
    public static let recordsMax: UInt64 = 65_536

    /// A file.
    public struct Place: Sendable, Equatable {
        /// Of which sequence it is, by its name.
        public var sequence: UInt64
        /// Its size.
        public var bytes: Int

        /// Makes a place.
        public init(sequence: UInt64, bytes: Int) {
            self.sequence = sequence
            self.bytes = bytes
        }
    }

    /// What a file says of its state.
    public struct Outline: Sendable, Equatable {
        /// Of which sequence it is.
        public var sequence: UInt64
        /// The checksum of the record there.
        public var checksum: UInt64
        /// Names the code that folded the state.
        public var fingerprint: String
        /// The digest of the state.
        public var digest: UInt64
        /// How many redactions the log had when the fold began.
        public var redactions: UInt64
    }

    private let directory: String

    /// The travel snapshots of the log in a directory; their own is made with the first of them.
    public init(directory: String) { self.directory = directory + "/travel" }

    /// The files, by sequence, whether they can be used or not.
    public func places() -> [Place] {
        sequences().compactMap { sequence in byteCount(of: sequence).map { Place(sequence: sequence, bytes: $0) } }
    }

    func byteCount(of sequence: UInt64) -> Int? { SnapshotFrame.byteCount(path(sequence)) }

    /// The sequences of the files, the smallest first.
    public func sequences() -> [UInt64] {
        ((try? Directory.names(directory)) ?? []).compactMap(SnapshotName.sequence).sorted()
    }

    /// The snapshot of a sequence; `nil` unless its file is exactly what was written.
    public func read(_ sequence: UInt64) -> Snapshot? { SnapshotFrame.read(path(sequence), sequence: sequence) }

    /// What a file says of its state; `nil` when it is damaged, though its state may be even if this is given.
    public func outline(_ sequence: UInt64) -> Outline? {
        SnapshotFrame.outline(path(sequence), sequence: sequence).map {
            Outline(
                sequence: $0.sequence, checksum: $0.checksum, fingerprint: $0.fingerprint, digest: $0.digest,
                redactions: $0.redactions)
        }
    }

    /// Writes a snapshot if all of them together keep to a budget, or can be thinned out to do so; answers whether it did.
    ///
    /// Throws `storageFull`, `notPermitted` or `io`.
    @discardableResult
    public func write(_ snapshot: Snapshot, budgetBytes: Int) throws(ActionLogError) -> Bool {
        let bytes = snapshot.state.count + SnapshotFrame.prefixBytes
        guard
            let unneeded = Self.unneeded(
                in: places(), for: Place(sequence: snapshot.sequence, bytes: bytes), budgetBytes: budgetBytes)
        else { return false }
        for sequence in unneeded { remove(sequence) }
        try Directory.create(directory)
        let frame = SnapshotFrame(snapshot).bytes(state: snapshot.state)
        // Waiting for the disk here would make a commit wait, too; a torn file is one that is not there.
        try OutputFile.write(
            frame.span.bytes, snapshot.state.span.bytes, name: SnapshotName.of(snapshot.sequence), directory: directory,
            durability: .none)
        return true
    }

    /// Removes the snapshot of a sequence.
    public func remove(_ sequence: UInt64) { unlink(path(sequence)) }

    /// Removes all snapshots from a sequence on: what they hold is no longer what the log says.
    public func removeAll(from sequence: UInt64) {
        for place in sequences() where place >= sequence { remove(place) }
    }

    private func path(_ sequence: UInt64) -> String { "\(directory)/\(SnapshotName.of(sequence))" }

    /// Whether a further file would be written, and not only be found to have no room.
    public static func hasRoom(for new: Place, among places: [Place], budgetBytes: Int) -> Bool {
        unneeded(in: places, for: new, budgetBytes: budgetBytes) != nil
    }

    /// Which files have to go so that there is room for a further one; `nil` when there is none for it.
    ///
    /// Only those go between whose neighbours there are then no more than `recordsMax` records, the closest first.
    static func unneeded(in places: [Place], for new: Place, budgetBytes: Int) -> [UInt64]? {
        var rest = places.filter { $0.sequence != new.sequence }
        let index = rest.firstIndex { $0.sequence > new.sequence } ?? rest.count
        rest.insert(new, at: index)
        var bytes = rest.reduce(0) { $0 + $1.bytes }
        var unneeded: [UInt64] = []
        while bytes > budgetBytes {
            let gaps = rest.indices.dropFirst().dropLast().map { (rest[$0 + 1].sequence - rest[$0 - 1].sequence, $0) }
            guard let closest = gaps.min(by: { $0.0 < $1.0 }), closest.0 <= recordsMax else { return nil }
            let gone = rest.remove(at: closest.1)
            guard gone.sequence != new.sequence else { return nil }
            bytes -= gone.bytes
            unneeded.append(gone.sequence)
        }
        return unneeded
    }
}
