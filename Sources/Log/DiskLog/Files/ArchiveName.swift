public import ChronicleLog

/// The file name of an archive, which contains the range of its records.
public struct ArchiveName: Sendable, Equatable {
    private static let prefix = "archive-"
    private static let suffix = ".jsonl.zst"

    public let first: UInt64
    public let last: UInt64

    public init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }

    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), text.hasSuffix(Self.suffix) else { return nil }
        let numbers = text.dropFirst(Self.prefix.utf8.count).dropLast(Self.suffix.utf8.count).split(separator: "-")
        guard numbers.count == 2, let first = UInt64(numbers[0]), let last = UInt64(numbers[1]) else { return nil }
        self.init(first: first, last: last)
        guard self.text == text else { return nil }
    }

    public var text: String { "\(Self.prefix)\(first)-\(last)\(Self.suffix)" }

    /// The archives in a directory, sorted by their last record.
    public static func all(in directory: String) throws(ActionLogError) -> [ArchiveName] {
        try Directory.names(directory).compactMap(ArchiveName.init).sorted { ($0.last, $0.first) < ($1.last, $1.first) }
    }
}
