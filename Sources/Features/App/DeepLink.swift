public import Chronicle
import FeatureFlows
import FeaturePosts
import FeatureRepositories

/// A link to a place in the app, such as `todod:/repos/C%2B%2B`, that can be stored, sent and opened later.
///
/// A link can only show something or ask a question, so an untrusted link can't change any data.
///
/// | link | what opens |
/// |---|---|
/// | `todod:/` | the flow that the app begins with |
/// | `todod:/repos` | the repositories of the current language |
/// | `todod:/repos/NAME` | the repositories of a language |
/// | `todod:/posts` | the posts |
/// | `todod:/flows/KIND` | a flow of a kind |
public struct DeepLink: Sendable, Equatable {
    public static let bytesMax = 2_048
    public let action: App.Action

    /// Parses a link; path components are percent-encoded UTF-8.
    ///
    /// Refusals: `BadLink` for a text that is not a valid link of this app, `UnknownLink` for an unknown path.
    public init(_ text: String) throws(Refusal) {
        let parts = try Self.parts(of: text)
        switch (parts.first, parts.count) {
        case (nil, _): action = .flows(.start(kind: RootCoordinator.kind))
        case ("repos", 1): action = .flows(.start(kind: RepositoriesCoordinator.kind))
        case ("repos", 2): action = .repositories(.browse(parts[1]))
        case ("posts", 1): action = .posts(.fetch)
        case ("flows", 2): action = .flows(.start(kind: parts[1]))
        default: throw App.refusal(.unknownLink, "the app has no such page; todod:/repos/Swift shows the repositories of Swift")
        }
    }

    private static func parts(of text: String) throws(Refusal) -> [String] {
        let bad = { (reason: String) in App.refusal(.badLink, "\(reason); a link looks like todod:/repos/Swift") }
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
                let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
                guard digits.count == 2 else { return nil }
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            // Characters that are reserved or not allowed in a URL path.
            case UInt8(ascii: "#"), UInt8(ascii: "?"), UInt8(ascii: "\\"), 0...0x20, 0x7F...: return nil
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
