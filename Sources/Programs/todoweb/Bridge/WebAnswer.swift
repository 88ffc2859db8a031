import Varlink

/// A response that is sent at once.
struct WebAnswer: Equatable {
    let status: Int
    let type: String
    let body: [UInt8]
    var fields: [String: String] = [:]

    init(_ file: PageFile) {
        (status, type, body) = (200, file.type, file.bytes)
        // It contains no user data, and browsers request it again whenever the fragment of the address changes.
        if file.name == "icon.svg" { fields["Cache-Control"] = "private, max-age=3600" }
    }

    init(_ refusal: Refusal) {
        (status, type, body) = (refusal.status, Self.json, Self.text(of: refusal.error))
        if let field = refusal.field { fields[field.name] = field.value }
    }

    /// The response for a single reply; `nil` if the frame is not a reply.
    init?(reply frame: [UInt8]) {
        guard let reply = Reply(webFrame: frame) else { return nil }
        type = Self.json
        if let error = reply.error {
            status = Self.status(ofError: error)
            body = Value.record([.init("error", .text(error)), .init("parameters", .record(reply.parameters))]).jsonBytes
        } else {
            (status, body) = (200, Value.record(reply.parameters).jsonBytes)
        }
    }

    /// A record of a JSON text sequence (RFC 7464).
    static func record(_ reply: [UInt8]) -> [UInt8] { [0x1E] + reply + [0x0A] }

    /// The last record of a sequence when the daemon has disconnected.
    static func record(of refusal: Refusal) -> [UInt8] { record(text(of: refusal.error)) }

    static let json = "application/json"
    static let sequence = "application/json-seq"

    private static func text(of error: CallError) -> [UInt8] {
        var bytes: [UInt8] = []
        Reply(error).write(into: &bytes)
        // Without the NUL, which is part of the Varlink framing.
        bytes.removeLast()
        return bytes
    }

    private static func status(ofError name: String) -> Int {
        switch name {
        case "org.varlink.service.PermissionDenied": 403
        case "org.varlink.service.MethodNotFound", "org.varlink.service.InterfaceNotFound",
            "org.varlink.service.MethodNotImplemented":
            404
        default: 400
        }
    }

    /// The header field with the uid of this process, which is the daemon's caller.
    static let userField = "Todod-Uid"

    /// Header fields of every response: the content security policy, and protection against other sites and caches.
    static let commonFields = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; trusted-types 'none'; require-trusted-types-for 'script'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]
}

extension Reply {
    /// Maximum nesting of a reply, which wraps that of a call.
    private static let depthMax = 128

    /// Parses a frame of the daemon; `nil` if it is not a reply.
    init?(webFrame frame: [UInt8]) {
        guard let reply = try? Reply(parsing: frame.span, depthMax: Self.depthMax) else { return nil }
        self = reply
    }
}

/// A file of the page, embedded in the program.
struct PageFile: Sendable {
    let name: String
    let type: String
    private let text: StaticString

    /// The file for a request path.
    ///
    /// The path is compared byte for byte, so no other spelling matches.
    init?(path: Substring) {
        guard path.first == "/" else { return nil }
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        guard let text = pageTexts[name], let type = Self.type(of: name) else { return nil }
        (self.name, self.type, self.text) = (name, type, text)
    }

    var bytes: [UInt8] { Array(text.description.utf8) }

    static func type(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: nil
        }
    }
}
