import Testing

/// A rule for the imports and the target dependencies of a folder.
struct Wall: Sendable, CustomTestStringConvertible {
    enum Rule: Sendable {
        /// Allows only these modules.
        case only([String])
        /// Forbids these modules.
        case never([String])
    }

    let folder: String
    let rule: Rule
    let reason: String
    /// Dependencies whose own dependencies are not checked.
    var layers: Set<String> = []

    /// The forbidden imports of a file.
    func offences(in source: SourceText) -> [String] { offences(among: source.imports) }

    /// The forbidden ones among modules.
    ///
    /// A `*` at the beginning or the end of a name in a rule matches any characters.
    func offences(among modules: [String]) -> [String] {
        modules.filter { module in
            switch rule {
            case .only(let names): !names.contains { Self.matches(module, $0) }
            case .never(let names): names.contains { Self.matches(module, $0) }
            }
        }
    }

    var testDescription: String { folder }

    private static func matches(_ module: String, _ name: String) -> Bool {
        if name.hasSuffix("*") { return module.hasPrefix(name.dropLast()) }
        if name.hasPrefix("*") { return module.hasSuffix(name.dropFirst()) }
        return module == name
    }
}
