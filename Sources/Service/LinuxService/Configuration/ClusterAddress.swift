import Glibc

/// The address of a shared log: `etcd://a:2379,b:2379/name`, or `https://` for TLS.
package struct ClusterAddress: Sendable, Equatable {
    package var endpoints: [String]
    package var isEncrypted: Bool
    /// The name of the log in the cluster: letters, digits, `-`, `_` and `.`.
    package var name: String

    static let nameBytesMax = 64

    init(_ text: String) throws(SettingMistake) {
        let end = text.firstRange(of: "://")
        switch end.map({ text[..<$0.lowerBound] }) {
        case "etcd": isEncrypted = false
        case "https": isEncrypted = true
        case "http": throw SettingMistake("write etcd:// instead of http://")
        default: throw SettingMistake("it begins with neither etcd:// nor https://")
        }
        let rest = text[(end?.upperBound ?? text.startIndex)...]
        guard !rest.contains("://") else { throw SettingMistake("“://” is allowed once, before the first member") }
        let members = rest.prefix { $0 != "/" }
        endpoints = members.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if let other = endpoints.first(where: { !Self.isEndpoint($0) }) { throw SettingMistake("“\(other)” is not HOST:PORT") }
        guard members.endIndex < rest.endIndex else { throw SettingMistake("/NAME is missing after the members") }
        name = String(rest[members.endIndex...].dropFirst())
        guard Self.isName(name) else { throw SettingMistake("“\(name)” \(Self.noName)") }
    }

    package var text: String { "\(isEncrypted ? "https" : "etcd")://\(endpoints.joined(separator: ","))/\(name)" }

    static let noName = "is not a name of at most \(nameBytesMax) letters of a to z and A to Z, digits, “-”, “_” and “.”"

    package static func isName(_ text: String) -> Bool { 1...nameBytesMax ~= text.utf8.count && text.utf8.allSatisfy(isOfName) }

    static func isOfName(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || "-_.".utf8.contains(byte) }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// Whether all members are on this host, so that the traffic does not leave it.
    package var isWithinHost: Bool {
        endpoints.allSatisfy { endpoint in
            let host = Self.host(of: endpoint)
            return host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && Self.isAddress(host, AF_INET)
        }
    }

    private static func host(of endpoint: String) -> String { endpoint.lastIndex(of: ":").map { String(endpoint[..<$0]) } ?? "" }

    /// A host name, an IPv4 address, or an IPv6 address in brackets, with a port.
    private static func isEndpoint(_ text: String) -> Bool {
        let host = host(of: text)
        let port = text.dropFirst(host.count + 1)
        let isHost =
            host.hasPrefix("[") && host.hasSuffix("]")
            ? isAddress(String(host.dropFirst().dropLast()), AF_INET6) : !host.isEmpty && host.utf8.allSatisfy(isOfName)
        let isNumber = port.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return isHost && isNumber && UInt16(port) ?? 0 > 0
    }

    private static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var address = in6_addr()
        return inet_pton(family, text, &address) == 1
    }
}

extension SettingKind<ClusterAddress?> {
    static let cluster = SettingKind(text: { $0?.text ?? "" }) { text throws(SettingMistake) in
        guard !text.isEmpty else { return nil }
        do throws(SettingMistake) { return try ClusterAddress(text) } catch {
            let form = "is not of the form etcd://HOST:PORT,HOST:PORT/NAME, or https:// where the members use TLS"
            // The part before an @ may contain a password.
            guard !text.contains("@") else { throw SettingMistake("the address, which contains a user or a password, \(form)") }
            throw SettingMistake("“\(text)” \(form): \(error.sentence)")
        }
    }
}

extension SettingKind<String> {
    static let node = SettingKind(text: { $0 }) { text throws(SettingMistake) in
        guard text.utf8.count <= ClusterAddress.nameBytesMax, text.utf8.allSatisfy(ClusterAddress.isOfName) else {
            throw SettingMistake("“\(text)” \(ClusterAddress.noName)")
        }
        return text
    }

    static let text = SettingKind(text: { $0 }) { text throws(SettingMistake) in text }

    /// An absolute path; empty for none.
    public static let optionalPath = SettingKind(text: { $0 }) { text throws(SettingMistake) in
        guard text.isEmpty || text.hasPrefix("/") else { throw SettingMistake("“\(text)” is not an absolute path") }
        return text
    }
}
