import Testing

/// What the targets of one folder may be built from, and its sources may import.
struct Wall: Sendable, CustomTestStringConvertible {
    enum Rule: Sendable {
        /// These modules and nothing else.
        case only([String])
        /// Anything but these modules.
        case never([String])
    }

    /// The folder, from the root of the repository.
    let folder: String
    let rule: Rule
    let reason: String
    /// Targets that it may stand on; what those are built from is their own business.
    var layers: Set<String> = []

    /// The modules of a file that the wall does not let through.
    func offences(in source: SourceText) -> [String] { offences(among: source.imports) }

    /// Those of some modules that it does not let through.
    ///
    /// A `*` in a rule stands for any characters at that end.
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
