import Curl

/// An absolute http or https address without user and password.
///
/// Messages contain only its ``host``, because the rest may contain secrets.
public struct WebAddress: Sendable, Hashable {
    public static let bytesMax = 2048

    public let text: String
    private let address: HTTPAddress

    public init?(_ text: String) { self.init(text, relativeTo: nil) }

    private init?(_ text: String, relativeTo base: String?) {
        guard text.utf8.count <= Self.bytesMax, let address = HTTPAddress(text, relativeTo: base),
            address.text.utf8.count <= Self.bytesMax
        else { return nil }
        self.address = address
        self.text = base == nil ? text : address.text
    }

    /// The host, with the port if there is one.
    public var host: String { address.port.map { "\(address.host):\($0)" } ?? address.host }
    var isEncrypted: Bool { address.isEncrypted }

    /// Resolves a link or redirect relative to this address; `nil` if the result is not a web address.
    func resolving(_ reference: String) -> WebAddress? { WebAddress(reference, relativeTo: text) }

    var keepsSecrets: Bool { isEncrypted || ["localhost", "127.0.0.1", "::1"].contains(address.host.lowercased()) }

    func isSameOrigin(as other: WebAddress) -> Bool {
        isEncrypted == other.isEncrypted && host.lowercased() == other.host.lowercased()
    }

    /// The address with additional path components, percent-encoded; `nil` if this one has a query or the result is too long.
    public func appending(_ path: [String], query: [(name: String, value: String)] = []) -> WebAddress? {
        guard !address.hasQueryOrFragment else { return nil }
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        for name in path { text += "/" + name.percentEncoded }
        for (index, item) in query.enumerated() {
            text += (index == 0 ? "?" : "&") + item.name.percentEncoded + "=" + item.value.percentEncoded
        }
        return WebAddress(text)
    }
}

extension String {
    /// Percent-encodes everything except letters, digits, `-`, `.`, `_` and `~` (RFC 3986).
    var percentEncoded: String {
        var encoded = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += (digits.utf8.count == 1 ? "%0" : "%") + digits
            }
        }
        return encoded
    }
}

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
