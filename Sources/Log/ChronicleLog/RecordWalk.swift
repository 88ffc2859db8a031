internal import ChronicleValues

/// One pass over records in order: checks, position and limits; it holds one value at a time.
public struct RecordWalk: Sendable {
    /// Limits in records and bytes after which a read transaction is replaced by a new one.
    static let viewRecordsMax = 256
    static let viewBytesMax = 1 << 20

    package private(set) var next: UInt64
    /// The checksum of the record before; `nil` until it is known.
    package var previous: UInt64?
    package private(set) var error: ActionLogError?
    /// Whether the last record was passed, the reader stopped, or the walk failed.
    package private(set) var isDone: Bool
    /// Whether the link of each record to the one before is checked.
    package let isLinked: Bool
    private var last: UInt64
    package private(set) var recordsLeft: Int
    private var bytesLeft: Int
    private var viewRecords = 0
    private var viewBytes = 0

    package init(from first: UInt64, through last: UInt64, recordsMax: Int = .max, bytesMax: Int = .max) {
        next = max(first, 1)
        self.last = last
        isLinked = true
        recordsLeft = recordsMax
        bytesLeft = bytesMax
        isDone = next > last || recordsMax <= 0
        if next == 1 { previous = 0 }
    }

    /// One record, without a check of its link: the record before it may be damaged.
    package init(only sequence: UInt64) {
        (next, last, isLinked, isDone) = (sequence, sequence, false, false)
        (recordsLeft, bytesLeft) = (1, .max)
    }

    /// Begins in a log; records up to its base can't be read, and those after `last` don't exist.
    package mutating func begin(behind base: Base?, through last: UInt64) throws(ActionLogError) {
        end(at: last)
        guard let base, !isDone else { return }
        guard next > base.sequence else { throw .pruned(through: base.sequence, archive: base.archive) }
        if next == base.sequence + 1 { previous = base.checksum }
    }

    /// Whether the walk comes to a record, as far as its limits allow.
    package func covers(_ sequence: UInt64) -> Bool { next <= sequence && sequence <= last }

    package mutating func end(at last: UInt64) {
        self.last = min(self.last, last)
        isDone = isDone || next > self.last
    }

    package mutating func beginView() {
        viewRecords = 0
        viewBytes = 0
    }

    package mutating func fail(_ error: ActionLogError) {
        self.error = error
        isDone = true
    }

    /// Ends the read transaction; fails if records are missing.
    package mutating func endView() {
        guard !isDone, viewRecords < Self.viewRecordsMax, viewBytes < Self.viewBytesMax else { return }
        fail(.damaged(sequence: next, what: "the record is missing"))
    }

    /// Checks a value and passes it on; returns whether to continue in this read transaction.
    package mutating func take(
        _ sequence: UInt64, _ value: RawSpan, _ body: (RecordCheck, UInt64) throws(ActionLogError) -> Bool
    ) -> Bool {
        guard sequence == next else {
            fail(.damaged(sequence: next, what: "the record is missing"))
            return false
        }
        do throws(ActionLogError) {
            let check = try RecordCheck(value, sequence: sequence)
            guard check.previous == previous || !isLinked else {
                throw .damaged(sequence: sequence, what: "the link to the previous record")
            }
            let goesOn = try body(check, sequence)
            previous = check.checksum
            next += 1
            return count(value.byteCount, goesOn)
        } catch {
            fail(error)
            return false
        }
    }

    private mutating func count(_ bytes: Int, _ goesOn: Bool) -> Bool {
        recordsLeft -= 1
        bytesLeft -= bytes
        viewRecords += 1
        viewBytes += bytes
        isDone = !goesOn || next > last || recordsLeft <= 0 || bytesLeft <= 0
        return !isDone && viewRecords < Self.viewRecordsMax && viewBytes < Self.viewBytesMax
    }
}

/// Checks the bytes of one record, and locates its parts.
public struct RecordCheck: Sendable {
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
                throw .damaged(sequence: sequence, what: "the trailer of the redacted record")
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
            throw .damaged(sequence: sequence, what: "record \(fields.sequence) is in its place")
        }
        return fields
    }

    package func fullHeader(_ value: RawSpan, sequence: UInt64) throws(ActionLogError) -> RecordHeader {
        var cursor = CanonicalCursor(header)
        let decoded: RecordHeader
        do { decoded = try RecordHeader(from: value, &cursor) } catch { throw ActionLogError(header: error, sequence: sequence) }
        guard decoded.sequence == sequence else {
            throw .damaged(sequence: sequence, what: "record \(decoded.sequence) is in its place")
        }
        return decoded
    }
}

/// One record byte for byte as stored, checked by itself; its links to other records are not checked.
public struct SealedRecord: Sendable {
    /// The bytes, as described in FORMAT.md.
    public let bytes: [UInt8]
    public let header: RecordHeader
    public let fields: HeaderFields
    public let payload: Range<Int>
    /// The checksum of the record before; 0 for the first.
    public let previous: UInt64
    /// The record's checksum, which covers all history up to it.
    public let checksum: UInt64

    /// Whether its payload was replaced, so that it differs from the one in the chain.
    public let isRedacted: Bool

    /// Parses the bytes of a record; throws `damaged` or `newerFormat` with the expected sequence.
    public init(_ bytes: [UInt8], sequence: UInt64) throws(ActionLogError) {
        let value = bytes.span.bytes
        let check = try RecordCheck(value, sequence: sequence)
        header = try check.fullHeader(value, sequence: sequence)
        fields = try check.fields(value, sequence: sequence)
        payload = check.payload
        previous = check.previous
        checksum = check.checksum
        isRedacted = check.isRedacted
        self.bytes = bytes
    }

    public var payloadBytes: [UInt8] { Array(bytes[payload]) }
}

extension [UInt8] {
    package init(_ span: RawSpan) {
        self = (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
}

/// The last 32 bytes of a record: the lengths and checksums of its parts.
package struct RecordTrailer {
    static let byteCount = 32
    static let format: UInt8 = 1
    static let redactedFormat: UInt8 = 2
    static let payloadBytesMax = Int(UInt32.max)
    static let headerBytesMax = 1 << 24 - 1

    var payloadLength: Int
    var format: UInt8
    var headerLength: Int
    var previous: UInt64
    var payloadChecksum: UInt64
    var checksum: UInt64

    /// Payload length, format and header length in 32, 8 and 24 bits, the lowest first.
    static func lengths(payload: Int, header: Int, format: UInt8 = Self.format) -> UInt64 {
        precondition(payload <= payloadBytesMax && header <= headerBytesMax, "a record's parts have a maximum")
        return UInt64(payload) | UInt64(format) << 32 | UInt64(header) << 40
    }

    init?(_ value: RawSpan) {
        let start = value.byteCount - Self.byteCount
        guard start >= 0 else { return nil }
        let lengths = value.littleEndian(at: start)
        payloadLength = Int(lengths & 0xFFFF_FFFF)
        format = UInt8(truncatingIfNeeded: lengths >> 32)
        headerLength = Int(lengths >> 40)
        previous = value.littleEndian(at: start + 8)
        payloadChecksum = value.littleEndian(at: start + 16)
        checksum = value.littleEndian(at: start + 24)
    }
}

extension RecordTrailer {
    /// The trailer that a record had before it was redacted; `nil` unless it matches the header before it.
    ///
    /// It keeps the original checksums, so the chain stays valid.
    init?(redacted rest: RawSpan, previous: UInt64) {
        guard let trailer = RecordTrailer(rest), trailer.format == Self.format, trailer.previous == previous,
            trailer.headerLength == rest.byteCount - Self.byteCount,
            Checksum.of(rest.extracting(0..<rest.byteCount - 8)) == trailer.checksum
        else { return nil }
        self = trailer
    }

    package static func redacting(_ record: SealedRecord, payload: [UInt8]) -> [UInt8] {
        // If it was redacted before, it already has the original trailer.
        let ending = record.isRedacted ? byteCount : 0
        let rest = record.bytes[record.payload.upperBound..<record.bytes.count - ending]
        var value = payload + rest
        value.append(
            littleEndian: lengths(payload: payload.count, header: rest.count, format: redactedFormat))
        value.append(littleEndian: record.previous)
        value.append(littleEndian: Checksum.of(payload.span.bytes))
        value.append(littleEndian: Checksum.of(value.span.bytes.extracting(payload.count..<value.count)))
        return value
    }
}
