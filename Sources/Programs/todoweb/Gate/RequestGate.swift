import ChronicleValues
import TodoAPI
import Varlink

/// Decides of a request, by its head alone, what becomes of it.
///
/// What keeps other pages and other users out stands here and nowhere else: the host and the origin are looked at first, for every
/// path, and no call goes through without the token.
struct RequestGate: Sendable {
    /// The head of a request.
    struct Head {
        var verb: String
        var target: String
        /// Its fields as they came, under names in any spelling.
        var fields: [(name: String, value: String)] = []

        /// The values of a field, in their order.
        func values(of name: String) -> [String] {
            fields.filter { $0.name.lowercased() == name }.map(\.value)
        }
    }

    /// A call that goes through once its body is whole.
    struct Call: Equatable {
        var method: String
        /// Whether each reply is to be answered with, as it comes.
        var isStream: Bool
    }

    enum Verdict {
        case page(PageFile)
        case call(Call)
    }

    let port: Int
    let token: AccessToken
    /// Whether only what reads goes through.
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

    /// Another name that leads here is one that somebody else may have given this address: a page of theirs could read the answers.
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

    /// Whether a text can be the full name of a method: interface, dot, name.
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

    /// Whether a method changes nothing; one that nothing is known of may change anything.
    private static func reads(_ method: String) -> Bool {
        KnownMethod.named[method].map { $0.right == .read } ?? method.hasPrefix("org.varlink.service.")
    }

    private static func wantsStream(_ head: Head) -> Bool {
        mediaTypes(head.values(of: "accept")).contains("application/json-seq")
    }

    /// Media types without their parameters.
    private static func mediaTypes(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }.map { type in
            String(type.prefix { $0 != ";" }).filter { $0 != " " && $0 != "\t" }.lowercased()
        }
    }
}

/// What whoever may call has to show: 128 bits of the kernel's randomness, as 32 hexadecimal digits.
struct AccessToken: Sendable {
    let text: String

    /// A token of its own for each start.
    init() {
        // On Linux this is getrandom.
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef")
        text = String((0..<32).map { _ in digits[Int(generator.next() & 15)] })
    }

    /// The token of a text.
    init(_ text: String) { self.text = text }

    /// Whether a text is this token; takes as long for each text of its length, so that no digit can be told from the time.
    func matches(_ other: some StringProtocol) -> Bool {
        let (own, given) = (Array(text.utf8), Array(other.utf8))
        guard own.count == given.count else { return false }
        return zip(own, given).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The parameters of a call, as a request brings them.
///
/// They go on byte for byte, so they must be one JSON object and nothing beside it: with a NUL, or a bracket more, a body could make
/// another call than the one that was let through.
enum CallBody {
    /// The parameters; of an empty body none.
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

/// Why a request is not done: a status for programs, an error as Varlink has them, and a sentence for people.
struct Refusal: Error, Equatable {
    let status: Int
    let error: CallError
    /// A header field that the status wants.
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
        403, "ForeignHost", "This server answers to 127.0.0.1 and localhost alone, under its own port.")
    static let foreignOrigin = Refusal(403, "ForeignOrigin", "This server answers no page of another origin.")
    static let readOnly = Refusal(403, "ReadOnly", "todoctl web runs with --read-only, and this method may change something.")
    static let notFound = Refusal(404, "NotFound", "There is nothing here.")

    static func otherVerb(allowed: String) -> Refusal {
        Refusal(405, "MethodNotAllowed", "Only \(allowed) is understood here.", field: ("Allow", allowed))
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
