import Varlink

/// What is answered at once and whole: a status, fields, and a body.
struct WebAnswer: Equatable {
    let status: Int
    let type: String
    let body: [UInt8]
    var fields: [String: String] = [:]

    init(_ file: PageFile) {
        (status, type, body) = (200, file.type, file.bytes)
        // It tells nothing of anybody's, and browsers ask for it anew whenever the fragment of the address changes.
        if file.name == "icon.svg" { fields["Cache-Control"] = "private, max-age=3600" }
    }

    /// A request that is not done.
    init(_ refusal: Refusal) {
        (status, type, body) = (refusal.status, Self.json, Self.text(of: refusal.error))
        if let field = refusal.field { fields[field.name] = field.value }
    }

    /// The one reply to a call; `nil`: it is none.
    init?(reply: [UInt8]) {
        guard let envelope = ReplyEnvelope(reply) else { return nil }
        let parameters = envelope.parameters.map { Array(reply[$0]) } ?? Array("{}".utf8)
        type = Self.json
        guard let error = envelope.error else {
            (status, body) = (200, parameters)
            return
        }
        let name = String(decoding: reply[error].dropFirst().dropLast(), as: UTF8.self)
        status = Self.status(ofError: name)
        body = Array(#"{"error":"#.utf8) + reply[error] + Array(#","parameters":"#.utf8) + parameters + Array("}".utf8)
    }

    /// A record of a sequence of JSON texts, as RFC 7464 has them.
    static func record(_ reply: [UInt8]) -> [UInt8] { [0x1E] + reply + [0x0A] }

    /// The record that ends a sequence whose daemon went away.
    static func record(of refusal: Refusal) -> [UInt8] { record(text(of: refusal.error)) }

    static let json = "application/json"
    static let sequence = "application/json-seq"

    private static func text(of error: CallError) -> [UInt8] {
        var bytes: [UInt8] = []
        Reply(error).write(into: &bytes)
        // Without the NUL, which ends a reply on the other wire.
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

    /// Names the field that holds the uid for which the daemon does what is called: that of this program.
    static let userField = "Todod-Uid"

    /// What every answer says: where its scripts may come from, and that nobody else may use or keep it.
    static let standingFields = [
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
