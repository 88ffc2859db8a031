/// Where data comes from.
public enum SourcePlace: Sendable, Equatable {
    /// It comes with the program.
    case bundled
    /// A file; an absolute path.
    case file(String)
    /// An http or https address.
    case web(String)

    /// Reads `bundled`, an absolute path or an address; nil for anything else.
    init?(_ text: String) {
        if text == "bundled" {
            self = .bundled
        } else if text.hasPrefix("/") {
            self = .file(text)
        } else if Self.isWebAddress(text) {
            self = .web(text)
        } else {
            return nil
        }
    }

    /// As it stands in the configuration.
    public var text: String {
        switch self {
        case .bundled: "bundled"
        case .file(let place), .web(let place): place
        }
    }

    var isFile: Bool { if case .file = self { true } else { false } }

    /// Whether a text looks like an address with a host and without a user or password, which would be printed with it.
    static func isWebAddress(_ text: String) -> Bool {
        guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }), text.utf8.count <= 2048,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return !authority.isEmpty && !authority.contains("@") && !authority.hasPrefix(":")
    }
}
