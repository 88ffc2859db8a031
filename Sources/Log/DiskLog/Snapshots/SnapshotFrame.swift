internal import ChronicleLog
internal import ChronicleValues
internal import Zstandard

/// What stands before the state in a snapshot's file.
///
/// The magic, a format and two lengths, the checksum of all the rest, and a header in canonical form.
struct SnapshotFrame: Equatable {
    static let magic: UInt64 = 0x504E_5344_4F44_4F54  // "TODODSNP", its first letter lowest
    static let prefixBytes = 32
    static let headerBytesMax = 4_096

    var sequence: UInt64
    var checksum: UInt64
    var epoch: UInt64
    var time: Int64
    var fingerprint: String
    /// 0 in the files of builds that did not write it.
    var digest: UInt64
    var redactions: UInt64
    /// Not written where it is the length of what is stored.
    var stateBytes: UInt64

    /// How a state is stored; the raw value is the number of the format.
    enum Form: UInt64 {
        /// As it is.
        case plain = 1
        /// As a Zstandard frame.
        case compressed = 2

        /// Bytes of a state that is decompressed; it takes several times as much in memory, from 2 GiB of which on the daemon is slowed down.
        static let stateBytesMax: UInt64 = 512 << 20
        /// How many times the stored bytes that may be, since whoever forges a file can have a few bytes stand for any number.
        static let expansionMax: UInt64 = 1_000
        /// Bytes up to which it may be more.
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

    /// The file's bytes before its checksum, and those between the checksum and the stored state.
    func opening(storedCount: Int, as form: Form) -> (prefix: [UInt8], header: [UInt8]) {
        var frame = self
        // Builds that know no other form know no such field, either.
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

    /// Whether a compressed state may have so many bytes.
    static func accepts(_ stateBytes: UInt64, of storedBytes: Int) -> Bool {
        stateBytes <= min(stateBytesMax, max(expandedBytesMin, UInt64(storedBytes) * expansionMax))
    }

    /// Passes the stored bytes of a state to a closure, in the same pieces each time.
    func forEachPiece(of snapshot: Snapshot, _ body: ([UInt8]) -> Void) {
        guard self == .compressed else { return snapshot.forEachPiece(body) }
        // What is read again and again is worth no more effort: all of them together keep to a budget, and are caches.
        var compressor = Compressor(effort: 1)
        snapshot.forEachPiece { body(compressor.compress($0)) }
        body(compressor.finish())
    }

    /// The state in stored bytes; `nil` unless it has as many bytes as it had.
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

extension SnapshotFrame: CanonicalCodable {
    func encode(into writer: inout CanonicalWriter) {
        writer.field(1, sequence)
        writer.field(2, checksum)
        writer.field(3, epoch)
        writer.field(4, time)
        writer.field(5, fingerprint)
        writer.field(6, digest)
        writer.field(7, redactions)
        writer.field(8, stateBytes)
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(Snapshot(sequence: 0, checksum: 0, epoch: 0, time: 0, fingerprint: "", state: []))
        (digest, stateBytes) = (0, 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: sequence = try cursor.uint(bytes)
            case 2: checksum = try cursor.uint(bytes)
            case 3: epoch = try cursor.uint(bytes)
            case 4: time = try cursor.int(bytes)
            case 5: fingerprint = try cursor.text(bytes)
            case 6: digest = try cursor.uint(bytes)
            case 7: redactions = try cursor.uint(bytes)
            case 8: stateBytes = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

extension SnapshotFrame {
    /// The snapshot in a file; `nil` unless it is exactly what was written, by a build whose format this one knows.
    static func read(_ path: String, sequence: UInt64) -> Snapshot? {
        // Read, not mapped: a mapped file that is cut off meanwhile ends the process.
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

    /// What a file says before its state, which is not looked at: it may be damaged.
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

    /// The first bytes of a file, whose lengths agree with the file's.
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
