internal import ChronicleValues

/// Checks the bytes of one record, and locates its parts.
package struct RecordCheck {
    package let payload: Range<Int>
    let header: Range<Int>
    /// The checksum of the record before, to which it is linked.
    let previous: UInt64
    package let checksum: UInt64
    let isRedacted: Bool

    /// Throws `damaged` or `newerFormat` with the sequence that the record should have.
    package init(_ value: RawSpan, sequence: UInt64) throws(ActionLogError) {
        guard let trailer = RecordTrailer(value) else {
            throw .damaged(sequence: sequence, what: "the record is too short")
        }
        let end = value.byteCount - RecordTrailer.byteCount
        guard trailer.payloadLength + trailer.headerLength == end else {
            throw .damaged(sequence: sequence, what: "the record's length")
        }
        payload = 0..<trailer.payloadLength
        let rest = trailer.payloadLength..<end
        let covered = rest.lowerBound..<value.byteCount - 8
        guard Checksum.of(value.extracting(covered)) == trailer.checksum else {
            throw .damaged(sequence: sequence, what: "the record's checksum")
        }
        guard Checksum.of(value.extracting(payload)) == trailer.payloadChecksum else {
            throw .damaged(sequence: sequence, what: "the payload's checksum")
        }
        switch trailer.format {
        case RecordTrailer.format:
            header = rest
            previous = trailer.previous
            checksum = trailer.checksum
            isRedacted = false
        case RecordTrailer.redactedFormat:
            guard let first = RecordTrailer(redacted: value.extracting(rest), previous: trailer.previous) else {
                throw .damaged(sequence: sequence, what: "the trailer of the record that was redacted")
            }
            header = rest.lowerBound..<rest.upperBound - RecordTrailer.byteCount
            previous = first.previous
            checksum = first.checksum
            isRedacted = true
        default: throw .newerFormat(sequence: sequence, what: "the record's format is \(trailer.format)")
        }
    }

    /// The header without its texts and commands.
    package func fields(_ value: RawSpan, sequence: UInt64) throws(ActionLogError) -> HeaderFields {
        var cursor = CanonicalCursor(header)
        let fields: HeaderFields
        do { fields = try HeaderFields(from: value, &cursor) } catch { throw ActionLogError(header: error, sequence: sequence) }
        guard fields.sequence == sequence else {
            throw .damaged(sequence: sequence, what: "the record of \(fields.sequence) stands in its place")
        }
        return fields
    }

    package func fullHeader(_ value: RawSpan, sequence: UInt64) throws(ActionLogError) -> RecordHeader {
        var cursor = CanonicalCursor(header)
        let decoded: RecordHeader
        do { decoded = try RecordHeader(from: value, &cursor) } catch { throw ActionLogError(header: error, sequence: sequence) }
        guard decoded.sequence == sequence else {
            throw .damaged(sequence: sequence, what: "the record of \(decoded.sequence) stands in its place")
        }
        return decoded
    }
}
