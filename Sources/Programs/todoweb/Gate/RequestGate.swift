import TodoAPI

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

    /// Need no right but that to read, and yet move where a subscription stands, or take it over.
    private static let moving = [AcknowledgeMethod.name, FollowMethod.name]

    /// Whether a method changes nothing; one that nothing is known of may change anything.
    private static func reads(_ method: String) -> Bool {
        if moving.contains(method) { return false }
        return KnownMethod.named[method].map { $0.right == .read } ?? method.hasPrefix("org.varlink.service.")
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
