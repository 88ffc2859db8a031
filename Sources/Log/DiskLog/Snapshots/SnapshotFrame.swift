internal import Records
internal import Values

/// What stands before the state in a snapshot's file.
///
/// The magic, a format and two lengths, the checksum of all the rest, and a header in canonical form.
struct SnapshotFrame: Equatable {
    static let magic: UInt64 = 0x504E_5344_4F44_4F54  // "TODODSNP", its first letter lowest
    static let format: UInt64 = 1
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

    init(_ snapshot: Snapshot) {
        sequence = snapshot.sequence
        checksum = snapshot.checksum
        epoch = snapshot.epoch
        time = snapshot.time
        fingerprint = snapshot.fingerprint
        digest = snapshot.digest
        redactions = snapshot.redactions
    }

    /// The file's bytes before the state.
    func bytes(state: [UInt8]) -> [UInt8] {
        let header = canonicalBytes
        var bytes: [UInt8] = []
        bytes.append(littleEndian: Self.magic)
        bytes.append(littleEndian: Self.format | UInt64(header.count) << 32)
        bytes.append(littleEndian: UInt64(state.count))
        let checksum = Self.checksum(prefix: bytes, header: header, state: state)
        bytes.append(littleEndian: checksum)
        return bytes + header
    }

    static func checksum(prefix: [UInt8], header: [UInt8], state: [UInt8]) -> UInt64 {
        let named = prefix + header
        return Checksum.of(state.span.bytes, seed: Checksum.of(named.span.bytes))
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
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(Snapshot(sequence: 0, checksum: 0, epoch: 0, time: 0, fingerprint: "", state: []))
        digest = 0
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: sequence = try cursor.uint(bytes)
            case 2: checksum = try cursor.uint(bytes)
            case 3: epoch = try cursor.uint(bytes)
            case 4: time = try cursor.int(bytes)
            case 5: fingerprint = try cursor.text(bytes)
            case 6: digest = try cursor.uint(bytes)
            case 7: redactions = try cursor.uint(bytes)
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
        let state = file.next(opening.stateCount)
        guard header.count == opening.headerCount, state.count == opening.stateCount,
            checksum(prefix: Array(opening.prefix[..<24]), header: header, state: state) == opening.checksum,
            let frame = try? SnapshotFrame(canonical: header), frame.sequence == sequence
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
        guard let frame = try? SnapshotFrame(canonical: header), frame.sequence == sequence else { return nil }
        return frame
    }

    /// The first bytes of a file, whose lengths agree with the file's.
    private struct Opening {
        var prefix: [UInt8]
        var headerCount: Int
        var stateCount: Int
        var checksum: UInt64

        init?(_ file: borrowing InputFile) {
            let prefix = file.next(SnapshotFrame.prefixBytes)
            guard prefix.count == SnapshotFrame.prefixBytes else { return nil }
            let (magic, lengths) = (prefix.span.bytes.littleEndian(at: 0), prefix.span.bytes.littleEndian(at: 8))
            let (state, stored) = (prefix.span.bytes.littleEndian(at: 16), prefix.span.bytes.littleEndian(at: 24))
            let headers = Int(lengths >> 32)
            guard magic == SnapshotFrame.magic, lengths & 0xFFFF_FFFF == SnapshotFrame.format,
                headers <= SnapshotFrame.headerBytesMax, let count = Int(exactly: state), count <= file.byteCount,
                count + headers + prefix.count == file.byteCount
            else { return nil }
            self.prefix = prefix
            headerCount = headers
            stateCount = count
            checksum = stored
        }
    }
}
