internal import ChronicleValues
internal import Curl

/// The setting that a lasting error is about.
public enum EtcdConcern: Sendable, Equatable {
    case address
    /// The authorities that sign the members' certificates.
    case authorities
    /// The client certificate of this machine, and its key.
    case certificate
    case user
    case permission
}

/// Why etcd did not execute a request, and whether it may still execute it.
public enum EtcdError: Error, Sendable, Equatable {
    public enum Refusal: Sendable, Equatable {
        /// The members have no space left and agree on that. A transaction may be executed all the same: a member that runs full
        /// while it applies the transaction reports that afterwards.
        case full
        /// The request exceeds the size limit. It shares a code with `full`, so a transaction may be executed, too.
        case tooLarge
        case compacted
        case notFound
        /// The user, password or certificate is not accepted, or the user lacks the permission.
        case denied(EtcdConcern)
        /// The token is unknown or too old. The client requests another.
        case expired
        case other
    }

    /// The request was not executed and never will be.
    case away(String)
    /// One side rejects the other's certificate: the request was not executed and never will be.
    case untrusted(EtcdConcern, String)
    /// The answering member belongs to another cluster. This cluster has not executed the request.
    case foreign(String)
    /// It is unknown whether the request was or will be executed.
    case doubt(String)
    /// A member refuses the request: it was not executed, unless the reason is `full` or `tooLarge`.
    case refused(Refusal, String)
    /// The answer is not a valid etcd response.
    case unreadable(String)
}

extension EtcdError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .away(let what): "no member of the cluster can be reached: \(what)"
        case .untrusted(_, let what): "no secure connection to the cluster: \(what)"
        case .foreign(let what): what
        case .doubt(let what): "the cluster did not answer in time: \(what)"
        case .refused(_, let what): "the cluster refuses the request: \(what)"
        case .unreadable(let what): "the cluster's answer can't be read: \(what)"
        }
    }
}

extension EtcdError {
    /// Whether the error lasts until a person changes the settings.
    public var isLasting: Bool { concern != nil }

    /// The same error for a preparatory call: the actual request was not sent.
    var beforehand: EtcdError {
        switch self {
        case .doubt(let what): .away(what)
        // The gateway takes the certificate's common name for a user, and refuses the call before it passes anything on.
        case .unreadable(let what) where what.contains("CommonName of client"):
            .refused(
                .denied(.certificate),
                "the certificate of this machine has a common name, which a cluster with users does not accept")
        case .unreadable(let what): .away("the answer is not from a member: \(what)")
        case .away, .untrusted, .foreign, .refused: self
        }
    }

    /// Whether every other member would give the same answer, because it concerns replicated data.
    public var isOfAllMembers: Bool {
        switch self {
        case .refused(.compacted, _), .refused(.full, _), .refused(.notFound, _), .refused(.tooLarge, _): true
        case .away, .untrusted, .foreign, .doubt, .refused, .unreadable: false
        }
    }

    /// A machine without a user called something that requires one.
    public static let nameless = EtcdError.refused(
        .denied(.user), "it requires a user, but this machine names none")

    /// The setting that a person has to fix; `nil`: the error may pass by itself.
    public var concern: EtcdConcern? {
        switch self {
        case .untrusted(let concern, _), .refused(.denied(let concern), _): concern
        case .foreign: .address
        case .away, .doubt, .refused, .unreadable: nil
        }
    }

    /// Whether the answering member knows no leader; only for the choice of a message.
    public var isWithoutLeader: Bool {
        switch self {
        case .away(let what), .doubt(let what): what.contains("no leader")
        case .untrusted, .foreign, .refused, .unreadable: false
        }
    }

    /// Maps a member's gRPC status to an error.
    ///
    /// The status code of gRPC alone decides whether the call was executed. Other codes than these (timeouts, a lost or changed leader,
    /// unknown errors) may follow a call that is executed all the same. The text only chooses among reasons that share a code.
    init(code: Int, message: String) {
        self =
            switch code {
            // Invalid argument, failed precondition, out of range.
            case 3, 9, 11: .rejected(message)
            // Not found: the lease, or the call itself where no member listens.
            case 5: .refused(message.contains("lease") ? .notFound : .other, message)
            case 7: .refused(.denied(.permission), message)
            // Resource exhausted.
            case 8 where message.contains("space exceeded"): .refused(.full, message)
            case 8 where message.contains("larger than max"): .refused(.tooLarge, message)
            // Not implemented.
            case 12: .refused(.other, message)
            // Unauthenticated.
            case 16: .refused(.expired, message)
            default: .doubt("\(message.isEmpty ? "status" : message) (\(code))")
            }
    }

    private static func rejected(_ message: String) -> EtcdError {
        switch message {
        case _ where message.contains("too large"): .refused(.tooLarge, message)
        case _ where message.contains("compacted"): .refused(.compacted, message)
        case _ where message.contains("authentication failed"):
            .refused(.denied(.user), "the user is unknown, or the password is wrong")
        case _ where message.contains("user name is empty"): .nameless
        case _ where message.contains("authentication is not enabled"):
            .refused(.denied(.user), "it has no users, but this machine names one")
        // The token is older than the last change of users.
        case _ where message.contains("revision of auth store is old"): .refused(.expired, message)
        default: .refused(.other, message)
        }
    }

    /// Classifies a request that ended without an answer.
    ///
    /// - Parameter address: the member's URL: `https://host:port`.
    init(during error: HTTPError, at address: String) {
        let distrust: (EtcdConcern, String)? =
            switch error.reason {
            case .untrustedServer: (.authorities, "its certificate is not signed by an authority that this machine trusts")
            case .wrongServerName: (.address, "its certificate is not for this address")
            case .unusableAuthorities: (.authorities, "the certificates of the authorities can't be read")
            case .unusableCertificate: (.certificate, "the certificate of this machine, or its key, can't be used")
            // A member may refuse it only once the client has sent its request, and carries out nothing of it.
            case .certificateRefused:
                (.certificate, "it does not accept the certificate of this machine, or requires one")
            default: nil
            }
        if let (concern, what) = distrust {
            self = .untrusted(concern, "\(address): \(what)")
            return
        }
        // A member that requires TLS closes a connection without it.
        let hint =
            error.reason == .closed && address.hasPrefix("http://")
            ? "; if the member uses TLS, write https:// instead of etcd://" : ""
        let what = "\(address): \(error.reason.words)\(hint)"
        self = error.mayHaveBeenSent ? .doubt(what) : .away(what)
    }
}

struct EtcdReply {
    private let status: Int
    private let body: [UInt8]
    /// `nil`: the body is not JSON.
    private let value: Value?

    var cluster: String? { value?.cluster }

    init(_ answer: HTTPAnswer) {
        (status, body) = (answer.head.status, answer.body)
        value = try? Value(parsing: body, limits: .ofMembers)
    }

    func answer<Answer>(to call: EtcdCall<Answer>) throws(EtcdError) -> Answer {
        guard status == 200 else { throw refusal(of: call.path) }
        // Every response of a member has a header.
        guard let value, value.header != nil, let answer = call.read(value) else {
            throw .unreadable(call.path)
        }
        return answer
    }

    private func refusal(of path: String) -> EtcdError {
        // Only members add the code of gRPC. Anything else comes from a proxy, which may have forwarded the call.
        if let code = value?["code"]?.number {
            return EtcdError(code: Int(code), message: (value?["message"]?.text ?? value?["error"]?.text ?? "").asLine)
        }
        // The peer port of a member answers like this.
        let hint = status == 404 ? "; check that this is the port for clients" : ""
        return .unreadable("\(path): \(status) \(String(decoding: body.prefix(200), as: UTF8.self).asLine)\(hint)")
    }
}

extension JSONLimits {
    /// A page of entries has some thousands.
    static let ofMembers = JSONLimits(valuesMax: 131_072)
}

extension String {
    /// The text of a member, made safe to show in a sentence.
    var asLine: String { String(String.UnicodeScalarView(unicodeScalars.prefix(200).map { Self.isControl($0) ? " " : $0 })) }

    /// Whether a scalar controls a terminal or the direction of text.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
