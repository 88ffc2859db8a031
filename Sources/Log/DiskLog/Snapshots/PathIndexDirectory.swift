internal import ChronicleLog
internal import ChronicleValues
internal import Glibc

/// Runs as files `places-N`, N being the first record: a length, a header as a row's value, and pages.
struct PathIndexDirectory: PlaceSeries {
    let recordsMax: UInt64
    private let directory: String

    init(_ directory: String, recordsMax: UInt64) {
        self.directory = directory
        self.recordsMax = recordsMax
    }

    private static let prefix = "places-"
    private static let lengthBytes = 4
    /// Size of the first read, which contains most headers.
    private static let openingBytes = 4_096

    func firsts() -> [UInt64] {
        ((try? Directory.names(directory)) ?? []).compactMap { name in
            name.hasPrefix(Self.prefix) ? UInt64(name.dropFirst(Self.prefix.utf8.count)) : nil
        }.sorted()
    }

    func summary(_ first: UInt64) -> PlaceSummary? {
        guard let file = InputFile(path(first)) else { return nil }
        return opened(file, first)?.pages.summary
    }

    func hits(_ keys: [PlaceKey], in first: UInt64) -> (summary: PlaceSummary, hits: [PlaceHit])? {
        guard let file = InputFile(path(first)), let (pages, start) = opened(file, first) else { return nil }
        var hits: [PlaceHit] = []
        for key in keys {
            guard let page = pages.page(for: key) else { continue }
            let range = pages.range(of: page)
            let bytes = file.bytes(at: start + range.lowerBound, range.count)
            guard pages.addHits(key, in: page, bytes.span.bytes, to: &hits) else { return nil }
        }
        return (pages.summary, keys.count < 2 ? hits : hits.sorted { $0.sequence < $1.sequence })
    }

    func read(_ first: UInt64) -> PathIndexRun? {
        guard let file = InputFile(path(first)), let (pages, start) = opened(file, first) else { return nil }
        let bytes = file.bytes(at: start, pages.byteCount)
        return pages.run(bytes.span.bytes)
    }

    /// The header of a file, and the offset of its pages; `nil` if its lengths don't match the file.
    private func opened(_ file: borrowing InputFile, _ first: UInt64) -> (pages: PathIndexPages, start: Int)? {
        var opening = file.next(Self.openingBytes)
        guard opening.count >= Self.lengthBytes else { return nil }
        let length = (0..<Self.lengthBytes).reduce(0) { $0 | Int(opening[$1]) << (8 * $1) }
        let start = Self.lengthBytes + length
        guard start <= file.byteCount else { return nil }
        if start > opening.count { opening += file.next(start - opening.count) }
        guard start <= opening.count else { return nil }
        let key = Array(Self.name(first).utf8)
        let header = opening.span.bytes.extracting(Self.lengthBytes..<start)
        guard
            let pages = try? Row.open(header, key: key.span.bytes, as: PathIndexPages.self, sequence: first, of: "the places"),
            pages.summary.first == first, start + pages.byteCount == file.byteCount
        else { return nil }
        return (pages, start)
    }

    func write(_ run: PathIndexRun) throws(ActionLogError) {
        try Directory.create(directory)
        let (pages, bytes) = PathIndexPages.of(run)
        let name = Self.name(run.summary.first)
        let header = Row.sealed(pages, key: Array(name.utf8))
        let length = (0..<Self.lengthBytes).map { UInt8(truncatingIfNeeded: header.count >> (8 * $0)) }
        let opening = length + header
        try OutputFile.write(opening.span.bytes, bytes.span.bytes, name: name, directory: directory, durability: .none)
    }

    func remove(_ first: UInt64) { unlink(path(first)) }

    private func path(_ first: UInt64) -> String { "\(directory)/\(Self.name(first))" }

    private static func name(_ first: UInt64) -> String { prefix + first.digits }
}
