public import ChronicleLog
internal import ChronicleValues
internal import Glibc
internal import Zstandard

extension SnapshotStore {
    /// The snapshots next to the log in an existing directory.
    ///
    /// - Parameter runRecords: records per block of the path index, at most `PathIndexRun.recordsMax`.
    public init(directory: String, runRecords: UInt64 = PathIndexRun.recordsMax) {
        let travel = directory + "/travel"
        self.init(
            newest: SnapshotDirectory(directory: directory, makesDirectory: false, durability: .full, form: .plain),
            // Waiting for the disk would delay commits, and a torn file is ignored. Compression allows several times as many
            // snapshots, so folds are shorter.
            history: SnapshotDirectory(directory: travel, makesDirectory: true, durability: .none, form: .compressed),
            places: PathIndexDirectory(travel, recordsMax: runRecords))
    }
}

/// Snapshots as files that appear completely or not at all; a checksum detects those torn by a power failure.
struct SnapshotDirectory: SnapshotSeries {
    let directory: String
    let makesDirectory: Bool
    let durability: OutputFile.Durability
    let form: SnapshotFrame.Form

    func sequences() -> [UInt64] { ((try? Directory.names(directory)) ?? []).compactMap(Self.sequence).sorted() }

    func read(_ sequence: UInt64) -> Snapshot? { SnapshotFrame.read(path(sequence), sequence: sequence) }

    func summary(_ sequence: UInt64) -> SnapshotSummary? {
        SnapshotFrame.summary(path(sequence), sequence: sequence)
    }

    func byteCount(of sequence: UInt64) -> Int? {
        var status = stat()
        return stat(path(sequence), &status) == 0 ? Int(status.st_size) : nil
    }

    func write(_ snapshot: Snapshot, where accepts: (Int) -> Bool) throws(ActionLogError) {
        if makesDirectory { try Directory.create(directory) }
        let (form, byteCount) = form.storing(snapshot)
        let (prefix, header) = SnapshotFrame(summary: snapshot.summary).opening(storedCount: byteCount, as: form)
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

    private static func name(_ sequence: UInt64) -> String { prefix + sequence.digits }

    private static func sequence(_ name: String) -> UInt64? {
        guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + 20 else { return nil }
        return UInt64(name.dropFirst(prefix.utf8.count))
    }
}

/// The beginning of a snapshot file: magic, format, two lengths, a checksum of the rest, and a canonical header.
struct SnapshotFrame {
    static let magic: UInt64 = 0x504E_5344_4F44_4F54  // "TODODSNP", its first letter lowest
    static let prefixBytes = 32
    static let headerBytesMax = 4_096

    var summary: SnapshotSummary

    /// How a state is stored; the raw value is the format number.
    enum Form: UInt64 {
        case plain = 1
        case compressed = 2

        /// Maximum size of a state to decompress; it takes several times as much memory, and the daemon is slowed down from 2 GiB
        /// on.
        static let stateBytesMax: UInt64 = 512 << 20
        /// Maximum ratio of decompressed to stored bytes, because a forged file can expand without limit.
        static let expansionMax: UInt64 = 1_000
        /// Decompressed size up to which the ratio is not limited.
        static let expandedBytesMin: UInt64 = 16 << 20
    }

    /// The file's bytes before the checksum, and those between the checksum and the stored state.
    func opening(storedCount: Int, as form: Form) -> (prefix: [UInt8], header: [UInt8]) {
        var summary = summary
        // Older builds know neither the other form nor this field.
        if form == .plain { summary.stateBytes = 0 }
        let header = summary.canonicalBytes
        var bytes: [UInt8] = []
        bytes.append(littleEndian: Self.magic)
        bytes.append(littleEndian: form.rawValue | UInt64(header.count) << 32)
        bytes.append(littleEndian: UInt64(storedCount))
        return (bytes, header)
    }

    static func checksum(prefix: [UInt8], header: [UInt8], stored: [UInt8]) -> UInt64 {
        let named = prefix + header
        return Checksum.of(stored.span.bytes, seed: Checksum.of(named.span.bytes))
    }
}

extension SnapshotFrame.Form {
    /// The form in which a state is stored, and its size; plain if a reader would refuse the compressed size.
    func storing(_ snapshot: Snapshot) -> (form: Self, byteCount: Int) {
        let plain = (Self.plain, Int(snapshot.stateBytes))
        guard self == .compressed, snapshot.stateBytes <= Self.stateBytesMax else { return plain }
        var byteCount = 0
        forEachPiece(of: snapshot) { byteCount += $0.count }
        return Self.accepts(snapshot.stateBytes, of: byteCount) ? (self, byteCount) : plain
    }

    static func accepts(_ stateBytes: UInt64, of storedBytes: Int) -> Bool {
        stateBytes <= min(stateBytesMax, max(expandedBytesMin, UInt64(storedBytes) * expansionMax))
    }

    /// Passes the stored bytes of a state to a closure, in the same pieces each time.
    func forEachPiece(of snapshot: Snapshot, _ body: ([UInt8]) -> Void) {
        guard self == .compressed else { return snapshot.forEachPiece(body) }
        // Low effort, because the snapshots are caches with a budget.
        var compressor = Compressor(effort: 1)
        snapshot.forEachPiece { body(compressor.compress($0)) }
        body(compressor.finish())
    }

    /// Decodes a stored state; `nil` unless it has `count` bytes.
    func state(in stored: consuming [UInt8], bytes count: UInt64) -> [UInt8]? {
        guard self == .compressed else { return stored.count == count ? stored : nil }
        guard Self.accepts(count, of: stored.count) else { return nil }
        var decompressor = Decompressor()
        decompressor.add(stored)
        var state: [UInt8] = []
        do throws(DecompressionError) {
            while case let piece = try decompressor.next(), !piece.isEmpty {
                guard UInt64(state.count + piece.count) <= count else { return nil }
                if state.isEmpty { state.reserveCapacity(Int(clamping: count)) }
                state += piece
            }
        } catch { return nil }
        return decompressor.isComplete && state.count == count ? state : nil
    }
}

extension SnapshotFrame {
    /// Reads a snapshot file; `nil` unless it is intact and its format is known.
    static func read(_ path: String, sequence: UInt64) -> Snapshot? {
        // Not mapped: truncating a mapped file would end the process.
        guard let file = InputFile(path), let opening = Opening(file) else { return nil }
        let header = file.next(opening.headerCount)
        let stored = file.next(opening.storedCount)
        guard header.count == opening.headerCount, stored.count == opening.storedCount,
            checksum(prefix: Array(opening.prefix[..<24]), header: header, stored: stored) == opening.checksum,
            let summary = summary(header, opening), summary.sequence == sequence,
            let state = opening.form.state(in: stored, bytes: summary.stateBytes)
        else { return nil }
        let snapshot = Snapshot(
            sequence: sequence, checksum: summary.checksum, epoch: summary.epoch, time: summary.time,
            fingerprint: summary.fingerprint, redactions: summary.redactions, state: state)
        return [0, snapshot.digest].contains(summary.digest) ? snapshot : nil
    }

    /// Reads only the header; the state may be damaged.
    static func summary(_ path: String, sequence: UInt64) -> SnapshotSummary? {
        guard let file = InputFile(path), let opening = Opening(file) else { return nil }
        return summary(file.next(opening.headerCount), opening).flatMap { $0.sequence == sequence ? $0 : nil }
    }

    private static func summary(_ header: [UInt8], _ opening: Opening) -> SnapshotSummary? {
        guard var summary = try? SnapshotSummary(canonical: header) else { return nil }
        if opening.form == .plain { summary.stateBytes = UInt64(opening.storedCount) }
        return summary
    }

    /// The fixed-size beginning of a file; fails if its lengths contradict the file's size.
    private struct Opening {
        var prefix: [UInt8]
        var form: Form
        var headerCount: Int
        var storedCount: Int
        var checksum: UInt64

        init?(_ file: borrowing InputFile) {
            let prefix = file.next(SnapshotFrame.prefixBytes)
            guard prefix.count == SnapshotFrame.prefixBytes else { return nil }
            let (magic, lengths) = (prefix.span.bytes.littleEndian(at: 0), prefix.span.bytes.littleEndian(at: 8))
            let (stored, checksum) = (prefix.span.bytes.littleEndian(at: 16), prefix.span.bytes.littleEndian(at: 24))
            let headers = Int(lengths >> 32)
            guard magic == SnapshotFrame.magic, let form = Form(rawValue: lengths & 0xFFFF_FFFF),
                headers <= SnapshotFrame.headerBytesMax, let count = Int(exactly: stored), count <= file.byteCount,
                count + headers + prefix.count == file.byteCount
            else { return nil }
            self.prefix = prefix
            self.form = form
            headerCount = headers
            storedCount = count
            self.checksum = checksum
        }
    }
}
