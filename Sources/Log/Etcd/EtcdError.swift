/// What of all that is set for a cluster a lasting error is about.
public enum EtcdConcern: Sendable, Equatable {
    /// Where the members are, and whether they are asked over TLS.
    case address
    /// The authorities that sign the members' certificates.
    case authorities
    /// The certificate that this machine shows, and its key.
    case certificate
    /// The user, and its password.
    case user
    case permission
}

/// Why etcd did not do what it was asked, and whether it may still do it.
public enum EtcdError: Error, Sendable, Equatable {
    /// What a refusal is about.
    public enum Refusal: Sendable, Equatable {
        /// The members have no space left, which they agree on. A transaction may be done all the same: the member that finds itself full
        /// while it applies one says so behind that.
        case full
        /// The request is larger than they take. It shares a code with `full`, so a transaction may be done, too.
        case tooLarge
        /// The revision was compacted away.
        case compacted
        /// There is no such lease.
        case notFound
        /// The user, its password or its certificate is not accepted, or the user may not do that.
        case denied(EtcdConcern)
        /// The token is none that the member knows, or it is too old; another one is taken.
        case expired
        /// Anything else.
        case other
    }

    /// No member took the request: nothing of it will ever be done.
    case away(String)
    /// One of both sides does not accept the certificate of the other: nothing of the request will ever be done.
    case untrusted(EtcdConcern, String)
    /// Who answered belongs to another cluster: in this one nothing of the request was done.
    case foreign(String)
    /// Whether the request was carried out, or will be, is not known.
    case doubt(String)
    /// A member refuses it: nothing of it was done, unless it is full or too large.
    case refused(Refusal, String)
    /// What was answered is not what etcd answers.
    case unreadable(String)
}

extension EtcdError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .away(let what): "no member of the cluster can be reached: \(what)"
        case .untrusted(_, let what): "the cluster can't be asked: \(what)"
        case .foreign(let what): what
        case .doubt(let what): "the cluster did not answer in time: \(what)"
        case .refused(_, let what): "the cluster refuses it: \(what)"
        case .unreadable(let what): "the cluster's answer can't be read: \(what)"
        }
    }
}

extension EtcdError {
    /// Whether it stays so until a person changes what this machine shows, or whom it trusts.
    public var isLasting: Bool { concern != nil }

    /// The same of what was asked before a request, which was not sent then, or refused.
    var beforehand: EtcdError {
        switch self {
        case .doubt(let what): .away(what)
        // The gateway would take the certificate's common name for a user, and refuses it before it passes anything on.
        case .unreadable(let what) where what.contains("CommonName of client"):
            .refused(
                .denied(.certificate),
                "the certificate that this machine shows has a common name, and where the cluster knows users it must have none")
        case .unreadable(let what): .away("whoever answers is no member: \(what)")
        case .away, .untrusted, .foreign, .refused: self
        }
    }

    /// Whether any other member says the same: it is about what all of them have.
    public var isOfAllMembers: Bool {
        switch self {
        case .refused(.compacted, _), .refused(.full, _), .refused(.notFound, _), .refused(.tooLarge, _): true
        case .away, .untrusted, .foreign, .doubt, .refused, .unreadable: false
        }
    }

    /// That a machine that names no user asked for what only users may.
    public static let nameless = EtcdError.refused(
        .denied(.user), "it wants to know who asks, and this machine names no user")

    /// What a person has to mend, where it stays so until then.
    public var concern: EtcdConcern? {
        switch self {
        case .untrusted(let concern, _), .refused(.denied(let concern), _): concern
        case .foreign: .address
        case .away, .doubt, .refused, .unreadable: nil
        }
    }

    /// Whether a member answers that knows no leader.
    ///
    /// It only chooses what people are told.
    public var isWithoutLeader: Bool {
        switch self {
        case .away(let what), .doubt(let what): what.contains("no leader")
        case .untrusted, .foreign, .refused, .unreadable: false
        }
    }

    /// What a member's refusal means.
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

    /// A call that was refused as it is.
    private static func rejected(_ message: String) -> EtcdError {
        switch message {
        case _ where message.contains("too large"): .refused(.tooLarge, message)
        case _ where message.contains("compacted"): .refused(.compacted, message)
        case _ where message.contains("authentication failed"):
            .refused(.denied(.user), "it does not know the user, or the password is wrong")
        case _ where message.contains("user name is empty"): .nameless
        case _ where message.contains("authentication is not enabled"):
            .refused(.denied(.user), "it knows no users, and this machine names one")
        // The token is older than the last change of users.
        case _ where message.contains("revision of auth store is old"): .refused(.expired, message)
        default: .refused(.other, message)
        }
    }
}
