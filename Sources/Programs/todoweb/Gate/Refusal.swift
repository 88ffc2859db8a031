import Varlink

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
