import FeatureFlows
import FeaturePosts
import FeatureRepositories
public import Fields

/// An address within the app, such as `todod:/repos/C%2B%2B`: a text that can be kept, sent and opened later.
///
/// A link only ever shows something or asks a question. Whoever wrote it, it can't change what belongs to the person who opens it.
///
/// | link | what opens |
/// |---|---|
/// | `todod:/` | the flow that the app begins with |
/// | `todod:/repos` | the repositories of the current language |
/// | `todod:/repos/NAME` | the repositories of a language |
/// | `todod:/posts` | the posts |
/// | `todod:/flows/KIND` | a flow of a kind |
public struct DeepLink: Sendable, Equatable {
    /// UTF-8 bytes of a link.
    public static let bytesMax = 2_048

    /// What opening it dispatches.
    public let action: App.Action

    /// Reads a link; parts of its path are percent-encoded UTF-8, as in any address.
    ///
    /// Refusals: `BadLink` for a text that is no address of this app, `UnknownLink` for one that leads nowhere.
    public init(_ text: String) throws(Refusal) {
        let parts = try Self.parts(of: text)
        switch (parts.first, parts.count) {
        case (nil, _): action = .flows(.start(kind: RootCoordinator.kind))
        case ("repos", 1): action = .flows(.start(kind: RepositoriesCoordinator.kind))
        case ("repos", 2): action = .repositories(.browse(parts[1]))
        case ("posts", 1): action = .posts(.fetch)
        case ("flows", 2): action = .flows(.start(kind: parts[1]))
        default:
            throw Refusal("UnknownLink", "the link leads nowhere; todod:/repos/Swift would lead to the repositories of Swift")
        }
    }

    private static func parts(of text: String) throws(Refusal) -> [String] {
        let bad = { (reason: String) in Refusal("BadLink", "\(reason); a link looks like todod:/repos/Swift") }
        guard text.utf8.count <= bytesMax else { throw bad("the link has more than \(bytesMax) bytes") }
        let scheme = "todod:"
        guard text.prefix(scheme.count).lowercased() == scheme else { throw bad("the link doesn't begin with \(scheme)") }
        let path = text.utf8.dropFirst(scheme.utf8.count)
        guard path.first == UInt8(ascii: "/"), path.dropFirst().first != UInt8(ascii: "/") else {
            throw bad("a single / is expected after \(scheme)")
        }
        var parts: [String] = []
        for part in path.split(separator: UInt8(ascii: "/")) {
            guard let decoded = decoded(Array(part)) else {
                throw bad("in a path blanks, %, # and ? are written as % and two hex digits, as is all that is not ASCII")
            }
            parts.append(decoded)
        }
        return parts
    }

    private static func decoded(_ part: [UInt8]) -> String? {
        var bytes: [UInt8] = []
        var rest = part[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            // What stands for something else in an address, or for nothing.
            case UInt8(ascii: "#"), UInt8(ascii: "?"), UInt8(ascii: "\\"), 0...0x20, 0x7F...: return nil
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
