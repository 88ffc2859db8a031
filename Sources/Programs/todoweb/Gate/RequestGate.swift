import ChronicleValues
import TodoAPI
import Varlink

/// Authorizes a request by its head alone.
///
/// All protection against other sites and users is here: host and origin are checked first for every path, and each call requires
/// the token.
struct RequestGate: Sendable {
    struct Head {
        var verb: String
        var target: String
        /// The fields as received; names are case-insensitive.
        var fields: [(name: String, value: String)] = []

        func values(of name: String) -> [String] {
            fields.filter { $0.name.lowercased() == name }.map(\.value)
        }
    }

    /// An authorized call that waits for its body.
    struct Call: Equatable {
        var method: String
        /// Whether each reply is sent as it comes.
        var isStream: Bool
    }

    enum Verdict {
        case page(PageFile)
        case call(Call)
    }

    let port: Int
    let token: AccessToken
    /// Whether only reading methods are allowed.
    let isReadOnly: Bool

    func verdict(on head: Head) throws(Refusal) -> Verdict {
        let host = try self.host(of: head)
        for origin in head.values(of: "origin") where origin != "http://" + host { throw .foreignOrigin }
        let path = head.target.prefix { $0 != "?" }
        guard let method = Self.method(in: path) else { return .page(try page(path, head)) }
        try admit(head)
        guard Self.isName(method) else { throw .notFound }
        if isReadOnly, !Self.reads(method) { throw .readOnly }
        return .call(Call(method: method, isStream: Self.wantsStream(head)))
    }

    /// Protects against DNS rebinding: a foreign name that resolves to this address would let a page of that site read the
    /// responses.
    private func host(of head: Head) throws(Refusal) -> String {
        let hosts = head.values(of: "host")
        guard hosts.count == 1, let host = hosts.first else { throw .foreignHost }
        let names = ["127.0.0.1", "localhost", "[::1]"]
        let known = names.map { "\($0):\(port)" } + (port == 80 ? names : [])
        guard known.contains(host.lowercased()) else { throw .foreignHost }
        return host
    }

    private func page(_ path: Substring, _ head: Head) throws(Refusal) -> PageFile {
        guard let file = PageFile(path: path) else { throw .notFound }
        guard head.verb == "GET" else { throw .otherVerb(allowed: "GET") }
        return file
    }

    private func admit(_ head: Head) throws(Refusal) {
        guard head.verb == "POST" else { throw .otherVerb(allowed: "POST") }
        for site in head.values(of: "sec-fetch-site") where site != "same-origin" && site != "none" { throw .foreignOrigin }
        let shown = head.values(of: "authorization")
        guard shown.count == 1, let words = shown.first?.split(separator: " "), words.count == 2,
            words[0].lowercased() == "bearer", token.matches(words[1])
        else { throw .unauthorized }
        let types = head.values(of: "content-type")
        guard types.count == 1, Self.mediaTypes(types) == ["application/json"] else { throw .otherType }
        let lengths = head.values(of: "content-length").compactMap { Int($0) }
        guard lengths.allSatisfy({ $0 <= WebLimits.bodyBytesMax }) else { throw .tooLarge }
    }

    private static func method(in path: Substring) -> String? {
        path.hasPrefix("/call/") ? String(path.dropFirst("/call/".count)) : nil
    }

    private static func isName(_ text: String) -> Bool {
        guard text.utf8.count <= WebLimits.methodBytesMax, text.contains(".") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }

    /// Whether a method is known to change nothing.
    private static func reads(_ method: String) -> Bool {
        KnownMethod.named[method].map { $0.right == .read } ?? method.hasPrefix("org.varlink.service.")
    }

    private static func wantsStream(_ head: Head) -> Bool {
        mediaTypes(head.values(of: "accept")).contains("application/json-seq")
    }

    private static func mediaTypes(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }.map { type in
            String(type.prefix { $0 != ";" }).filter { $0 != " " && $0 != "\t" }.lowercased()
        }
    }
}

/// The secret that authorizes callers: 128 random bits as 32 hex digits.
struct AccessToken: Sendable {
    let text: String

    init() {
        // On Linux this is getrandom.
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef")
        text = String((0..<32).map { _ in digits[Int(generator.next() & 15)] })
    }

    init(_ text: String) { self.text = text }

    /// Compares in constant time for texts of the same length.
    func matches(_ other: some StringProtocol) -> Bool {
        let (own, given) = (Array(text.utf8), Array(other.utf8))
        guard own.count == given.count else { return false }
        return zip(own, given).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The parameters of a call from a request.
///
/// They are forwarded byte for byte, so they must be exactly one JSON object. Otherwise a NUL or an extra brace could smuggle in
/// another call.
enum CallBody {
    static func parameters(_ body: [UInt8]) throws(Refusal) -> [UInt8] {
        guard body.contains(where: { !" \t\r\n".utf8.contains($0) }) else { return Array("{}".utf8) }
        let value: Value
        do throws(JSONError) {
            value = try Value(parsing: body)
        } catch {
            throw .malformed("The parameters can't be read: \(error).")
        }
        guard case .record = value else { throw .malformed("The parameters of a call are one JSON object.") }
        return body
    }
}

/// Why a request is refused: an HTTP status, a Varlink error and a message.
struct Refusal: Error, Equatable {
    let status: Int
    let error: CallError
    /// A header field that the status requires.
    var field: (name: String, value: String)?

    static func == (one: Refusal, other: Refusal) -> Bool { one.status == other.status && one.error == other.error }

    private init(_ status: Int, _ name: String, _ message: String, field: (name: String, value: String)? = nil) {
        self.status = status
        error = CallError("org.todod.web." + name, [.init("message", .text(message))])
        self.field = field
    }

    static func malformed(_ message: String) -> Refusal { Refusal(400, "BadRequest", message) }

    static let unauthorized = Refusal(
        401, "Unauthorized", "The token is missing or wrong. Open the address that todoctl web printed.",
        field: ("WWW-Authenticate", "Bearer"))

    static let foreignHost = Refusal(
        403, "ForeignHost", "This server answers only to 127.0.0.1 and localhost, with its own port.")
    static let foreignOrigin = Refusal(403, "ForeignOrigin", "This server refuses requests from other origins.")
    static let readOnly = Refusal(403, "ReadOnly", "todoctl web runs with --read-only, and this method may change something.")
    static let notFound = Refusal(404, "NotFound", "There is nothing here.")

    static func otherVerb(allowed: String) -> Refusal {
        Refusal(405, "MethodNotAllowed", "Only \(allowed) is allowed here.", field: ("Allow", allowed))
    }

    static let tooLarge = Refusal(
        413, "TooLarge", "The parameters of a call have at most \(WebLimits.bodyBytesMax) bytes.")
    static let otherType = Refusal(415, "UnsupportedMediaType", "The parameters of a call are application/json.")
    static let headersTooLarge = Refusal(
        431, "HeadersTooLarge", "The header fields of a request have at most \(WebLimits.headerBytesMax) bytes.")

    static func daemonAway(_ socket: String) -> Refusal {
        Refusal(503, "DaemonAway", "The daemon at \(socket) does not answer. When it is back, try again.")
    }
}
