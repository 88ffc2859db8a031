public import ChronicleLog
internal import Glibc

extension SnapshotStore {
    /// The snapshots next to the log in an existing directory.
    ///
    /// - Parameter runRecords: records per block of the path index, at most `PathIndexRun.recordsMax`.
    public init(directory: String, runRecords: UInt64 = PathIndexRun.recordsMax) {
        self.init(
            newest: SnapshotDirectory(directory, makesDirectory: false, durability: .full, form: .plain),
            // Waiting for the disk would delay commits, and a torn file is ignored. Compression allows several times as many
            // snapshots, so folds are shorter.
            history: SnapshotDirectory(directory + "/travel", makesDirectory: true, durability: .none, form: .compressed),
            places: PathIndexDirectory(directory + "/travel", recordsMax: runRecords))
    }
}

/// Snapshots as files that appear completely or not at all; a checksum detects those torn by a power failure.
struct SnapshotDirectory: SnapshotSeries {
    private let directory: String
    private let makesDirectory: Bool
    private let durability: OutputFile.Durability
    private let form: SnapshotFrame.Form

    init(_ directory: String, makesDirectory: Bool, durability: OutputFile.Durability, form: SnapshotFrame.Form) {
        self.directory = directory
        self.makesDirectory = makesDirectory
        self.durability = durability
        self.form = form
    }

    func sequences() -> [UInt64] { ((try? Directory.names(directory)) ?? []).compactMap(Self.sequence).sorted() }

    func read(_ sequence: UInt64) -> Snapshot? { SnapshotFrame.read(path(sequence), sequence: sequence) }

    func summary(_ sequence: UInt64) -> SnapshotSummary? {
        SnapshotFrame.withoutState(path(sequence), sequence: sequence).map {
            SnapshotSummary(
                sequence: $0.sequence, checksum: $0.checksum, fingerprint: $0.fingerprint, digest: $0.digest,
                redactions: $0.redactions, stateBytes: $0.stateBytes)
        }
    }

    func byteCount(of sequence: UInt64) -> Int? {
        var status = stat()
        return stat(path(sequence), &status) == 0 ? Int(status.st_size) : nil
    }

    func write(_ snapshot: Snapshot, where accepts: (Int) -> Bool) throws(ActionLogError) {
        if makesDirectory { try Directory.create(directory) }
        let (form, byteCount) = form.storing(snapshot)
        let (prefix, header) = SnapshotFrame(snapshot).opening(storedCount: byteCount, as: form)
        guard accepts(SnapshotFrame.prefixBytes + header.count + byteCount) else { return }
        var file = try OutputFile(Self.name(snapshot.sequence), in: directory)
        try file.append((prefix + Array(repeating: 0, count: 8) + header).span.bytes)
        var checksum = Checksum.Running(seed: Checksum.of((prefix + header).span.bytes))
        var failure: ActionLogError?
        form.forEachPiece(of: snapshot) { piece in
            guard failure == nil else { return }
            checksum.add(piece)
            do throws(ActionLogError) { try file.append(piece.span.bytes) } catch { failure = error }
        }
        if let failure { throw failure }
        try file.set(checksum.value, at: prefix.count)
        try file.finish(durability)
        // Two threads write snapshots of the past, so an unfinished file may be the other's.
        guard durability == .full else { return }
        for name in try Directory.names(directory)
        where name.hasPrefix(Self.prefix) && name.hasSuffix(OutputFile.temporarySuffix) {
            unlink("\(directory)/\(name)")
        }
    }

    func remove(_ sequence: UInt64) { unlink(path(sequence)) }

    private func path(_ sequence: UInt64) -> String { "\(directory)/\(Self.name(sequence))" }

    private static let prefix = "snapshot-"
    private static let digits = 20

    /// A file name; the sequence has leading zeros, so that names sort by it.
    private static func name(_ sequence: UInt64) -> String {
        let number = String(sequence)
        return prefix + String(repeating: "0", count: digits - number.utf8.count) + number
    }

    private static func sequence(_ name: String) -> UInt64? {
        guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + digits else { return nil }
        return UInt64(name.dropFirst(prefix.utf8.count))
    }
}
