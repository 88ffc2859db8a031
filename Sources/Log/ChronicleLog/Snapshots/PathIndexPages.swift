public import ChronicleValues

/// A run of places as it stands in a file: a header, and behind it pages that are read one by one.
///
/// A page holds entries in ascending order of their keys, and has a checksum of its own, so one is read without the others.
public struct PathIndexPages: Sendable, Equatable {
    /// Bytes after which a page ends with the entry that reaches them.
    static let pageBytes = 8_192
    // Of the table of pages in the header.
    private static let entryBytes = 20

    /// A page: the key it begins with, and its bytes.
    struct Page: Sendable, Equatable {
        var key: PlaceKey
        var range: Range<Int>
        var checksum: UInt64 = 0
    }

    /// What is said of the run.
    public private(set) var summary: PlaceSummary
    private(set) var pages: [Page] = []

    /// The bytes of all pages.
    public var byteCount: Int { pages.last?.range.upperBound ?? 0 }

    /// Where the page is that may list some key; `nil` where none is.
    public func page(for key: PlaceKey) -> Int? {
        var (low, high) = (0, pages.count)
        while low < high {
            let middle = (low + high) / 2
            if pages[middle].key > key { high = middle } else { low = middle + 1 }
        }
        return low == 0 ? nil : low - 1
    }

    /// The bytes of a page among those of all.
    public func range(of page: Int) -> Range<Int> { pages[page].range }

    /// Adds the records that a page lists under a key; `false` where the page is not what was written.
    public func addHits(_ key: PlaceKey, in page: Int, _ bytes: RawSpan, to hits: inout [PlaceHit]) -> Bool {
        var found: [PlaceHit] = []
        let isWhole = forEachEntry(in: page, bytes) { own, bytes, cursor throws(CanonicalError) in
            guard own == key else { return own < key }
            try Self.readPostings(of: key, bytes, &cursor) { offset, count, parts in
                for place in offset..<offset + count {
                    found.append(PlaceHit(sequence: summary.first + place, parts: parts))
                }
            }
            return false
        }
        if isWhole { hits += found }
        return isWhole
    }

    /// The run, of all pages; `nil` where they are not what was written.
    public func run(_ bytes: RawSpan) -> PathIndexRun? {
        var run = PathIndexRun(first: summary.first, from: summary.from, redactions: summary.redactions)
        run.summary = summary
        for page in pages.indices {
            guard pages[page].range.upperBound <= bytes.byteCount else { return nil }
            let isWhole = forEachEntry(in: page, bytes.extracting(pages[page].range)) {
                key, bytes, cursor throws(CanonicalError) in
                try Self.readPostings(of: key, bytes, &cursor) { offset, count, parts in
                    if key.isElement {
                        run.touches.append(.init(key: key, parts: parts, offset: UInt16(truncatingIfNeeded: offset)))
                    } else {
                        run.stretches[key, default: []].append(
                            .init(offset: UInt16(truncatingIfNeeded: offset), count: UInt32(truncatingIfNeeded: count)))
                    }
                }
                return true
            }
            guard isWhole else { return nil }
        }
        return run
    }

    /// Lends each entry of a page until the closure gives `false`.
    private func forEachEntry(
        in page: Int, _ bytes: RawSpan,
        _ body: (PlaceKey, RawSpan, inout CanonicalCursor) throws(CanonicalError) -> Bool
    ) -> Bool {
        guard bytes.byteCount == pages[page].range.count, Checksum.of(bytes) == pages[page].checksum else { return false }
        var cursor = CanonicalCursor(0..<bytes.byteCount)
        var number = pages[page].key.number
        do throws(CanonicalError) {
            while !cursor.isAtEnd {
                number &+= try cursor.varint(bytes)
                let length = try cursor.varint(bytes)
                guard length <= UInt64(cursor.end - cursor.offset) else { return false }
                let end = cursor.offset + Int(length)
                var postings = CanonicalCursor(cursor.offset..<end)
                guard try body(PlaceKey(number: number), bytes, &postings) else { return true }
                cursor = CanonicalCursor(end..<bytes.byteCount)
            }
            return true
        } catch {
            return false
        }
    }

    /// Lends the postings of an entry: how far behind the first record of the run, how many records, and the parts of an element.
    private static func readPostings(
        of key: PlaceKey, _ bytes: RawSpan, _ cursor: inout CanonicalCursor,
        _ body: (_ offset: UInt64, _ count: UInt64, _ parts: UInt64) -> Void
    ) throws(CanonicalError) {
        var offset: UInt64 = 0
        while !cursor.isAtEnd {
            offset &+= try cursor.varint(bytes)
            let number = try cursor.varint(bytes)
            let count = key.isElement ? 1 : number
            guard offset < PathIndexRun.recordsMax, count <= PathIndexRun.recordsMax - offset else {
                throw CanonicalError(.notCanonical, at: cursor.offset)
            }
            body(offset, count, key.isElement ? number : 0)
            if !key.isElement { offset += count }
        }
    }
}

extension PathIndexPages: CanonicalCodable {
    /// Fields: 1 first, 2 from, 3 last, 4 checksum, 5 fingerprint, 6 redactions, 7 pages (bytes, twenty each: key, length, checksum).
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, summary.first)
        writer.field(2, summary.from)
        writer.field(3, summary.last)
        writer.field(4, summary.checksum)
        writer.field(5, summary.fingerprint)
        writer.field(6, summary.redactions)
        var table: [UInt8] = []
        table.reserveCapacity(pages.count * Self.entryBytes)
        for page in pages {
            table.append(littleEndian: page.key.number)
            for shift in [0, 8, 16, 24] { table.append(UInt8(truncatingIfNeeded: page.range.count >> shift)) }
            table.append(littleEndian: page.checksum)
        }
        writer.field(7, table)
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        summary = PlaceSummary(first: 0, from: 0, last: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: summary.first = try cursor.uint(bytes)
            case 2: summary.from = try cursor.uint(bytes)
            case 3: summary.last = try cursor.uint(bytes)
            case 4: summary.checksum = try cursor.uint(bytes)
            case 5: summary.fingerprint = try cursor.text(bytes)
            case 6: summary.redactions = try cursor.uint(bytes)
            case 7:
                let stored = try cursor.bytes(bytes)
                guard stored.count % Self.entryBytes == 0 else { throw CanonicalError(.notCanonical, at: cursor.offset) }
                let table = stored.span.bytes
                var start = 0
                for place in stride(from: 0, to: stored.count, by: Self.entryBytes) {
                    let length = (0..<4).reduce(0) { $0 | Int(stored[place + 8 + $1]) << (8 * $1) }
                    pages.append(
                        Page(
                            key: PlaceKey(number: table.littleEndian(at: place)), range: start..<start + length,
                            checksum: table.littleEndian(at: place + 12)))
                    start += length
                }
            default: throw cursor.unknown()
            }
        }
    }
}
