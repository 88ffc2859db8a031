internal import ChronicleLog
internal import Glibc

/// Runs of checks as files of a directory: `checks-` and the first record, a row's value each.
struct FoldCheckDirectory: FoldCheckSeries {
    private let directory: String

    init(_ directory: String) { self.directory = directory }

    private static let prefix = "checks-"

    func firsts() -> [UInt64] {
        ((try? Directory.names(directory)) ?? []).compactMap { name in
            name.hasPrefix(Self.prefix) ? UInt64(name.dropFirst(Self.prefix.utf8.count)) : nil
        }.sorted()
    }

    func read(_ first: UInt64) -> FoldChecks? {
        guard let bytes = SmallFile.bytes("\(directory)/\(Self.name(first))") else { return nil }
        let key = Array(Self.name(first).utf8)
        let checks = try? Row.open(bytes.span.bytes, key: key.span.bytes, as: FoldChecks.self, sequence: first, of: "the checks")
        return checks?.first == first ? checks : nil
    }

    func write(_ checks: FoldChecks) throws(ActionLogError) {
        try Directory.create(directory)
        let name = Self.name(checks.first)
        let row = Row.sealed(checks, key: Array(name.utf8))
        try OutputFile.write(row.span.bytes, name: name, directory: directory, durability: .none)
    }

    func remove(_ first: UInt64) { unlink("\(directory)/\(Self.name(first))") }

    private static func name(_ first: UInt64) -> String {
        let digits = String(first)
        return prefix + String(repeating: "0", count: max(0, 20 - digits.utf8.count)) + digits
    }
}
