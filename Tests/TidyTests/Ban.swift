import Testing

/// Something that the sources do without, and the few places that can't.
struct Ban: Sendable, CustomTestStringConvertible {
    /// What is looked for, as a regular expression, and in which folders.
    let pattern: String
    let folders: [String]
    let reason: String
    /// Files, or folders ending in a slash, that may; each says why.
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
