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
