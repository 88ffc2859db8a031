import Testing

/// A forbidden construct and its exceptions.
struct Ban: Sendable, CustomTestStringConvertible {
    /// A regular expression.
    let pattern: String
    let folders: [String]
    let reason: String
    /// Files, or folders with a trailing slash.
    var exceptions: [(path: String, reason: String)] = []

    func offences(in path: String, _ source: SourceText) throws -> [String] {
        guard !exceptions.contains(where: { Self.covers($0.path, path) }) else { return [] }
        return try source.lineNumbers(of: pattern).map { "\(path):\($0)" }
    }

    static func covers(_ exception: String, _ path: String) -> Bool {
        exception.hasSuffix("/") ? path.hasPrefix(exception) : path == exception
    }

    var testDescription: String { pattern }
}
