public enum SourcePlace: Sendable, Equatable {
    case bundled
    case file(String)
    case web(WebAddress)

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

    public var text: String {
        switch self {
        case .bundled: "bundled"
        case .file(let path): path
        case .web(let address): address.text
        }
    }
}

extension WebAddress {
    public init?(configured text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.init(text)
    }
}
