import ChronicleDaemon
import HTTPSources

extension SettingKind<SourcePlace> {
    /// `bundled`, a file or a web address.
    static let place = SettingKind(text: \.text) { text throws(SettingMistake) in
        guard let place = SourcePlace(text) else {
            throw SettingMistake("“\(text)” is neither “bundled” nor an absolute path nor an http or https address")
        }
        return place
    }

    /// `bundled` or a web address.
    static let placeWithoutFile = SettingKind(text: \.text) { text throws(SettingMistake) in
        let place = SourcePlace(text)
        if case .file? = place {} else if let place { return place }
        throw SettingMistake("“\(text)” is neither “bundled” nor an http or https address")
    }
}

extension SettingKind<String> {
    /// An address to which path components can be appended.
    static let addressWithoutQuery = SettingKind(text: { $0 }) { text throws(SettingMistake) in
        guard WebAddress(configured: text) != nil, !text.utf8.contains(UInt8(ascii: "?")) else {
            throw SettingMistake("“\(text)” is no http or https address without a query")
        }
        return text
    }
}
