/// Where data comes from.
public enum SourcePlace: Sendable, Equatable {
    /// It comes with the program.
    case bundled
    /// A file; an absolute path.
    case file(String)
    /// An http or https address.
    case web(WebAddress)

    /// Reads `bundled`, an absolute path or an address; nil for anything else.
    public init?(_ text: String) {
        if text == "bundled" {
            self = .bundled
        } else if text.hasPrefix("/") {
            self = .file(text)
        } else if let address = WebAddress(configured: text) {
            self = .web(address)
        } else {
            return nil
        }
    }

    /// As it stands in the configuration.
    public var text: String {
        switch self {
        case .bundled: "bundled"
        case .file(let path): path
        case .web(let address): address.text
        }
    }
}

extension WebAddress {
    /// Parses a configured URL, which must already be percent-encoded.
    public init?(configured text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.init(text)
    }
}
