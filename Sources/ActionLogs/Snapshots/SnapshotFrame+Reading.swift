internal import ActionCoding
internal import Glibc

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
    static func outline(_ path: String, sequence: UInt64) -> SnapshotFrame? {
        guard let file = InputFile(path), let opening = Opening(file) else { return nil }
        let header = file.next(opening.headerCount)
        guard let frame = try? SnapshotFrame(canonical: header), frame.sequence == sequence else { return nil }
        return frame
    }

    /// The size of a file; `nil` when there is none.
    static func byteCount(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
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
