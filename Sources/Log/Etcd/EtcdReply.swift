internal import ChronicleValues
internal import Curl

/// The response of a member.
struct EtcdReply {
    private let status: Int
    private let body: [UInt8]
    /// `nil`: the body is not JSON.
    private let value: Value?

    /// The id of the answering cluster; `nil`: missing.
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
        let hint = status == 404 ? "; is that the port for clients?" : ""
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
