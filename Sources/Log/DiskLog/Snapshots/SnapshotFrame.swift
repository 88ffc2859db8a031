internal import ChronicleLog
internal import ChronicleValues
internal import Zstandard

/// The beginning of a snapshot file: magic, format, two lengths, a checksum of the rest, and a canonical header.
struct SnapshotFrame: Equatable {
    static let magic: UInt64 = 0x504E_5344_4F44_4F54  // "TODODSNP", its first letter lowest
    static let prefixBytes = 32
    static let headerBytesMax = 4_096

    var sequence: UInt64
    var checksum: UInt64
    var epoch: UInt64
    var time: Int64
    var fingerprint: String
    /// 0 in files of older builds.
    var digest: UInt64
    var redactions: UInt64
    /// Omitted if it equals the stored length.
    var stateBytes: UInt64

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

    init(_ snapshot: Snapshot) {
        sequence = snapshot.sequence
        checksum = snapshot.checksum
        epoch = snapshot.epoch
        time = snapshot.time
        fingerprint = snapshot.fingerprint
        digest = snapshot.digest
        redactions = snapshot.redactions
        stateBytes = snapshot.stateBytes
    }

    /// The file's bytes before the checksum, and those between the checksum and the stored state.
    func opening(storedCount: Int, as form: Form) -> (prefix: [UInt8], header: [UInt8]) {
        var frame = self
        // Older builds know neither the other form nor this field.
        if form == .plain { frame.stateBytes = 0 }
        let header = frame.canonicalBytes
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

extension SnapshotFrame: RowCoding {
    init() {
        self.init(Snapshot(sequence: 0, checksum: 0, epoch: 0, time: 0, fingerprint: "", state: []))
        (digest, stateBytes) = (0, 0)
    }

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &sequence)
        try fields.field(2, &checksum)
        try fields.field(3, &epoch)
        try fields.field(4, &time)
        try fields.field(5, &fingerprint)
        try fields.field(6, &digest)
        try fields.field(7, &redactions)
        try fields.field(8, &stateBytes)
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
            let frame = frame(header, opening), frame.sequence == sequence,
            let state = opening.form.state(in: stored, bytes: frame.stateBytes)
        else { return nil }
        let snapshot = Snapshot(
            sequence: sequence, checksum: frame.checksum, epoch: frame.epoch, time: frame.time, fingerprint: frame.fingerprint,
            redactions: frame.redactions, state: state)
        guard frame.digest == 0 || frame.digest == snapshot.digest else { return nil }
        return snapshot
    }

    /// Reads only the header; the state may be damaged.
    static func withoutState(_ path: String, sequence: UInt64) -> SnapshotFrame? {
        guard let file = InputFile(path), let opening = Opening(file) else { return nil }
        let header = file.next(opening.headerCount)
        guard let frame = frame(header, opening), frame.sequence == sequence else { return nil }
        return frame
    }

    private static func frame(_ header: [UInt8], _ opening: Opening) -> SnapshotFrame? {
        guard var frame = try? SnapshotFrame(canonical: header) else { return nil }
        if opening.form == .plain { frame.stateBytes = UInt64(opening.storedCount) }
        return frame
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
