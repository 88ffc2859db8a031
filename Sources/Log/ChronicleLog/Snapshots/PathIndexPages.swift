import ChronicleValues

/// The form of a run in a file: a header, followed by pages with entries in ascending order of their keys.
///
/// Each page has its own checksum, so it can be read without the others.
public struct PathIndexPages: Sendable, Equatable {
    /// A page ends with the entry that reaches this size.
    static let pageBytes = 8_192
    private static let entryBytes = 20

    struct Page: Sendable, Equatable {
        var key: PlaceKey
        var range: Range<Int>
        var checksum: UInt64 = 0
    }

    public private(set) var summary: PlaceSummary
    private(set) var pages: [Page] = []
    private var hasWholeTable = true

    /// Size of all pages.
    public var byteCount: Int { pages.last?.range.upperBound ?? 0 }

    /// The index of the page that may contain a key; `nil` if none can.
    public func page(for key: PlaceKey) -> Int? {
        var (low, high) = (0, pages.count)
        while low < high {
            let middle = (low + high) / 2
            if pages[middle].key > key { high = middle } else { low = middle + 1 }
        }
        return low == 0 ? nil : low - 1
    }

    public func range(of page: Int) -> Range<Int> { pages[page].range }

    /// Adds the records that a page lists under a key; `false` if the page is damaged.
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

    /// Decodes all pages; `nil` if one is damaged.
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

    /// Passes each entry of a page to the closure until it returns `false`.
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

    /// Passes the postings of an entry: the offset from the first record, the number of records, and the parts of an element.
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

extension PathIndexPages: RowCoding {
    public init() { summary = PlaceSummary(first: 0, from: 0, last: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &summary.first)
        try fields.field(2, &summary.from)
        try fields.field(3, &summary.last)
        try fields.field(4, &summary.checksum)
        try fields.field(5, &summary.fingerprint)
        try fields.field(6, &summary.redactions)
        var table = table
        try fields.field(7, &table)
        self.table = table
    }

    public var isValid: Bool { hasWholeTable }

    /// The key, the length and the checksum of each page, in twenty bytes.
    private var table: [UInt8] {
        get {
            var table: [UInt8] = []
            table.reserveCapacity(pages.count * Self.entryBytes)
            for page in pages {
                table.append(littleEndian: page.key.number)
                for shift in [0, 8, 16, 24] { table.append(UInt8(truncatingIfNeeded: page.range.count >> shift)) }
                table.append(littleEndian: page.checksum)
            }
            return table
        }
        set {
            hasWholeTable = newValue.count % Self.entryBytes == 0
            let bytes = newValue.span.bytes
            pages = []
            guard hasWholeTable else { return }
            for place in stride(from: 0, to: newValue.count, by: Self.entryBytes) {
                let (start, length) = (byteCount, (0..<4).reduce(0) { $0 | Int(newValue[place + 8 + $1]) << (8 * $1) })
                pages.append(
                    Page(
                        key: PlaceKey(number: bytes.littleEndian(at: place)), range: start..<start + length,
                        checksum: bytes.littleEndian(at: place + 12)))
            }
        }
    }
}

extension PathIndexPages {
    /// Encodes a run; returns its header and the bytes of its pages.
    public static func of(_ run: PathIndexRun) -> (pages: PathIndexPages, bytes: [UInt8]) {
        var writer = PageWriter()
        var touches = run.touches.sorted { ($0.key.number, $0.offset) < ($1.key.number, $1.offset) }[...]
        for (key, stretches) in run.stretches.sorted(by: { $0.key < $1.key }) {
            writer.add(&touches, before: key)
            writer.add(stretches, of: key)
        }
        writer.add(&touches, before: nil)
        writer.endPage()
        return (PathIndexPages(summary: run.summary, pages: writer.pages), writer.writer.bytes)
    }
}

/// Writes entries in ascending order of their keys.
///
/// An entry is the difference of its key to the previous key of the page, the length of its postings, and the postings: each is its distance
/// from the previous one, followed by the changed parts of an element, or by the number of consecutive records.
private struct PageWriter {
    var writer = CanonicalWriter()
    var pages: [PathIndexPages.Page] = []
    private var start = 0
    private var last = PlaceKey(number: 0)

    mutating func add(_ stretches: [PathIndexRun.Stretch], of key: PlaceKey) {
        var (postings, end) = (CanonicalWriter(), UInt64(0))
        for stretch in stretches {
            postings.varint(UInt64(stretch.offset) - end)
            postings.varint(UInt64(stretch.count))
            end = UInt64(stretch.offset) + UInt64(stretch.count)
        }
        add(postings.bytes, of: key)
    }

    /// Adds the elements before a key, each as one entry.
    mutating func add(_ touches: inout ArraySlice<PathIndexRun.Touch>, before key: PlaceKey?) {
        while let first = touches.first, key.map({ first.key < $0 }) ?? true {
            var (postings, last) = (CanonicalWriter(), UInt64(0))
            while let touch = touches.first, touch.key == first.key {
                postings.varint(UInt64(touch.offset) - last)
                postings.varint(touch.parts)
                last = UInt64(touch.offset)
                touches.removeFirst()
            }
            add(postings.bytes, of: first.key)
        }
    }

    private mutating func add(_ postings: [UInt8], of key: PlaceKey) {
        if pages.isEmpty || writer.bytes.count - start >= PathIndexPages.pageBytes {
            endPage()
            pages.append(PathIndexPages.Page(key: key, range: start..<start))
            last = key
        }
        writer.varint(key.number - last.number)
        writer.varint(UInt64(postings.count))
        writer.bytes.append(contentsOf: postings)
        last = key
    }

    mutating func endPage() {
        guard !pages.isEmpty else { return }
        pages[pages.count - 1].range = start..<writer.bytes.count
        pages[pages.count - 1].checksum = Checksum.of(writer.bytes.span.bytes.extracting(start..<writer.bytes.count))
        start = writer.bytes.count
    }
}
