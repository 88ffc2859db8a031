/// Where a log is that several machines share: `etcd://a:2379,b:2379/name`, or `https://` in place of it where the members want TLS.
package struct ClusterAddress: Sendable, Equatable {
    /// The members, each with its port.
    package var endpoints: [String]
    /// Whether they are asked over TLS.
    package var isEncrypted: Bool
    /// The name of the log in the cluster: letters, digits, `-`, `_` and `.`.
    package var name: String

    /// UTF-8 bytes of a name.
    static let nameBytesMax = 64

    init?(_ text: String) {
        guard let end = text.firstRange(of: "://") else { return nil }
        switch text[..<end.lowerBound] {
        case "etcd": isEncrypted = false
        case "https": isEncrypted = true
        default: return nil
        }
        let parts = text[end.upperBound...].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        endpoints = parts[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        name = String(parts[1])
        guard 1...Self.nameBytesMax ~= name.utf8.count, name.utf8.allSatisfy(Self.isOfName) else { return nil }
        guard endpoints.allSatisfy(Self.isEndpoint) else { return nil }
    }

    /// As it stands in the configuration.
    package var text: String { "\(isEncrypted ? "https" : "etcd")://\(endpoints.joined(separator: ","))/\(name)" }

    static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func isEndpoint(_ text: String) -> Bool {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex else { return false }
        let isHost = text[..<colon].utf8.allSatisfy {
            isOfName($0) || [UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":")].contains($0)
        }
        return isHost && UInt16(text[text.index(after: colon)...]) ?? 0 > 0
    }
}

extension SettingKind<ClusterAddress?> {
    /// An address, or none.
    static let cluster = SettingKind(text: { $0?.text ?? "" }) { text throws(SettingMistake) in
        guard !text.isEmpty else { return nil }
        guard let address = ClusterAddress(text) else {
            throw SettingMistake("“\(text)” is not of the form etcd://HOST:PORT,HOST:PORT/NAME")
        }
        return address
    }
}

extension SettingKind<String> {
    /// The name of a machine, or none.
    static let node = SettingKind(text: { $0 }) { text throws(SettingMistake) in
        guard text.utf8.count <= ClusterAddress.nameBytesMax, text.utf8.allSatisfy(ClusterAddress.isOfName) else {
            throw SettingMistake(
                "“\(text)” is not a name of at most \(ClusterAddress.nameBytesMax) letters, digits, “-”, “_” and “.”")
        }
        return text
    }

    /// Any text.
    static let text = SettingKind(text: { $0 }) { text throws(SettingMistake) in text }

    /// A path from the root, or none.
    static let optionalPath = SettingKind(text: { $0 }) { text throws(SettingMistake) in
        guard text.isEmpty || text.hasPrefix("/") else { throw SettingMistake("“\(text)” is not an absolute path") }
        return text
    }
}
