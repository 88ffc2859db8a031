internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import Values

/// What came from a member, before anybody reads it.
enum EtcdResponse: Sendable {
    case page(HTTPClient.Response)
    case message(RPCReply)
}

/// What a member answered.
struct EtcdReply {
    private enum Content {
        /// The text of the gateway, and what that is; `nil`: nothing that members say.
        case json([UInt8], Value?)
        case message(RPCReply)
    }

    /// The status of HTTP.
    private let status: Int
    /// The id of the cluster that answered; `nil`: it does not say it.
    let cluster: String?
    private let content: Content

    init(_ response: EtcdResponse) {
        switch response {
        case .page(let page):
            let body = page.body.map { Array($0.readableBytesView) } ?? []
            let value = try? Value(parsing: body, limits: .ofMembers)
            (status, cluster, content) = (Int(page.status.code), value?.cluster, .json(body, value))
        case .message(let reply):
            (status, content) = (reply.status ?? 0, .message(reply))
            // What no member answered says nothing of where it was done.
            let message = status == 200 && reply.code == 0 ? reply.message : nil
            cluster = message.flatMap { try? EtcdHeader(of: $0) }?.cluster
        }
    }

    func answer<Answer>(to call: EtcdCall<Answer>) throws(EtcdError) -> Answer {
        switch (content, call.form) {
        case (.json(let body, let value), .gateway(let read)):
            guard status == 200 else { throw refusal(of: call.path, body, value) }
            // No member answers without saying who it is.
            if let value, value.header != nil || !call.hasHeader, let answer = read(value) { return answer }
        case (.message(let reply), .rpc(let read)):
            // Who stands before a member may have passed the call on, and has no code.
            guard status == 200, let code = reply.code else { throw .unreadable("\(call.path): \(status)") }
            guard code == 0 else { throw EtcdError(code: code, message: reply.said.asLine) }
            if let message = reply.message, let answer = try? read(message) { return answer }
        default: break
        }
        throw .unreadable(call.path)
    }

    private func refusal(of path: String, _ body: [UInt8], _ value: Value?) -> EtcdError {
        let text = String(decoding: body.prefix(200), as: UTF8.self)
        let said = value?["code"]?.number == nil ? nil : value?["message"]?.text ?? value?["error"]?.text
        // What members say of a call has a code. Anything else comes from who stands before them, and may have passed it on.
        guard let message = said ?? (text.contains(EtcdError.commonName) ? text : nil) else {
            // So members say it where they talk to each other.
            let hint = status == 404 ? "; is that the port for clients?" : ""
            return .unreadable("\(path): \(status) \(text.asLine)\(hint)")
        }
        return EtcdError(status: status, message: message.asLine)
    }
}

extension JSONLimits {
    /// A page of entries has some thousands.
    static let ofMembers = JSONLimits(valuesMax: 65_536)
}

extension String {
    /// The same as part of a sentence: what members say is shown to people.
    var asLine: String {
        var line = ""
        for scalar in unicodeScalars.prefix(200) {
            line.unicodeScalars.append(Self.isControl(scalar) ? " " : scalar)
        }
        return line
    }

    /// Whether it does something to a terminal or to what stands beside it, in place of being shown.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
