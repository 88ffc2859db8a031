import EventSourcedDaemon
import HTTPSources

/// Where data comes from.
enum SourcePlace: Sendable, Equatable {
    /// It comes with the program.
    case bundled
    /// A file; an absolute path.
    case file(String)
    /// An http or https address.
    case web(WebAddress)

    /// Reads `bundled`, an absolute path or an address; nil for anything else.
    init?(_ text: String) {
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
    var text: String {
        switch self {
        case .bundled: "bundled"
        case .file(let path): path
        case .web(let address): address.text
        }
    }
}

extension WebAddress {
    /// Reads an address that was written as it is sent: nothing of it is encoded for whoever configures it.
    fileprivate init?(configured text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.init(text)
    }
}

extension SettingKind<SourcePlace> {
    /// The program, a file or the web.
    static let place = SettingKind(text: \.text) { text throws(SettingMistake) in
        guard let place = SourcePlace(text) else {
            throw SettingMistake("“\(text)” is neither “bundled” nor an absolute path nor an http or https address")
        }
        return place
    }

    /// The program or the web.
    static let placeWithoutFile = SettingKind(text: \.text) { text throws(SettingMistake) in
        let place = SourcePlace(text)
        if case .file? = place {} else if let place { return place }
        throw SettingMistake("“\(text)” is neither “bundled” nor an http or https address")
    }
}

extension SettingKind<String> {
    /// An address to which names can be appended.
    static let addressWithoutQuery = SettingKind(text: { $0 }) { text throws(SettingMistake) in
        guard WebAddress(configured: text) != nil, !text.utf8.contains(UInt8(ascii: "?")) else {
            throw SettingMistake("“\(text)” is no http or https address without a query")
        }
        return text
    }
}

extension SettingKind<String?> {
    /// A path from the root, or none.
    static let absolutePath = SettingKind(text: { $0 ?? "" }) { text throws(SettingMistake) in
        guard text.hasPrefix("/") else { throw SettingMistake("“\(text)” is not an absolute path") }
        return text
    }
}
