import ChronicleValues

extension PathIndexPages {
    /// Puts a run into pages, and gives the bytes of these.
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
/// An entry is how much greater its key is than that of the one before in the page, the length of its postings, and these: for each how far
/// it is behind the one before, and then of an element which parts changed, else how many records follow each other.
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

    /// Adds the elements before a key, all their touches in one entry each.
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
