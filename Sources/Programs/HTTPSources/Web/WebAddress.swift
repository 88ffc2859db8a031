import Curl

/// The address of something on the web: absolute, http or https, without a user or password in it.
///
/// A sentence for people names only its ``host``: the rest may hold what opens a private page.
public struct WebAddress: Sendable, Hashable {
    /// The longest address that is taken, in bytes.
    public static let bytesMax = 2048

    /// The address: as it was written, or with what it is relative to.
    public let text: String
    private let address: HTTPAddress

    /// Reads an address; nil when it is anything else than described above.
    public init?(_ text: String) { self.init(text, relativeTo: nil) }

    private init?(_ text: String, relativeTo base: String?) {
        guard text.utf8.count <= Self.bytesMax, let address = HTTPAddress(text, relativeTo: base),
            address.text.utf8.count <= Self.bytesMax
        else { return nil }
        self.address = address
        self.text = base == nil ? text : address.text
    }

    /// The host, and the port where one is written.
    public var host: String { address.port.map { "\(address.host):\($0)" } ?? address.host }
    var isEncrypted: Bool { address.isEncrypted }

    /// Resolves a reference (a link, a redirection) relative to this address; `nil` if it is not an address on the web.
    func resolving(_ reference: String) -> WebAddress? { WebAddress(reference, relativeTo: text) }

    /// Whether what is sent there leaves the machine only encrypted.
    var keepsSecrets: Bool { isEncrypted || ["localhost", "127.0.0.1", "::1"].contains(address.host.lowercased()) }

    /// Whether both are served by the same host, at the same port, in the same way.
    func isSameOrigin(as other: WebAddress) -> Bool {
        isEncrypted == other.isEncrypted && host.lowercased() == other.host.lowercased()
    }

    /// The address with more path components, percent-encoded; `nil` if this one has a query or the result is too long.
    ///
    /// - Parameters:
    ///   - path: The components.
    ///   - query: Names and values of the query.
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
    /// The text as one name of a path or one value of a query: all but letters, digits, `-`, `.`, `_` and `~` (RFC 3986) encoded.
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
