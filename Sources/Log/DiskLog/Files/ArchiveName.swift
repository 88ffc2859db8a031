public import ChronicleLog

/// The name of an archive, which says which records it holds.
public struct ArchiveName: Sendable, Equatable {
    private static let prefix = "archive-"
    private static let suffix = ".jsonl.zst"

    public let first: UInt64
    public let last: UInt64

    /// Names an archive of these records.
    public init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }

    /// Reads the name of a file; `nil` when it is none of an archive.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), text.hasSuffix(Self.suffix) else { return nil }
        let numbers = text.dropFirst(Self.prefix.utf8.count).dropLast(Self.suffix.utf8.count).split(separator: "-")
        guard numbers.count == 2, let first = UInt64(numbers[0]), let last = UInt64(numbers[1]) else { return nil }
        self.init(first: first, last: last)
        guard self.text == text else { return nil }
    }

    /// The name of the file.
    public var text: String { "\(Self.prefix)\(first)-\(last)\(Self.suffix)" }

    /// Those of all archives in a directory, the earliest first.
    public static func all(in directory: String) throws(ActionLogError) -> [ArchiveName] {
        try Directory.names(directory).compactMap(ArchiveName.init).sorted { ($0.last, $0.first) < ($1.last, $1.first) }
    }
}
