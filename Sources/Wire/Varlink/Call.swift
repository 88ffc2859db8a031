/// A method call: the qualified method name, its parameters and the kind of reply it expects.
public struct Call: Sendable, Equatable {
    /// The qualified name: interface, dot, method.
    public var method: String
    /// The parameters; a missing member, `null` and `{}` are equivalent.
    public var parameters: [Value.Field]
    /// The caller accepts several replies.
    ///
    /// Never set together with ``oneway``.
    public var more: Bool
    /// The caller expects no reply, not even an error.
    public var oneway: Bool
    /// The caller asks to switch to another protocol after the reply.
    public var upgrade: Bool

    public init(
        _ method: String, _ parameters: [Value.Field] = [], more: Bool = false, oneway: Bool = false, upgrade: Bool = false
    ) {
        self.method = method
        self.parameters = parameters
        self.more = more && !oneway
        self.oneway = oneway
        self.upgrade = upgrade
    }

    /// Parses a frame without its NUL.
    ///
    /// - Throws: `org.varlink.service.InvalidParameter`, whose parameter describes the mistake in the frame.
    public init(parsing frame: Span<UInt8>, depthMax: Int = 64) throws(CallError) {
        let members = try [Value.Field](frame: frame, depthMax: depthMax)
        self.init("")
        for member in members {
            switch (member.name, member.value) {
            case ("method", .text(let name)): method = name
            case ("parameters", .record(let fields)): parameters = fields
            case ("more", .bool(let flag)): more = flag
            case ("oneway", .bool(let flag)): oneway = flag
            case ("upgrade", .bool(let flag)): upgrade = flag
            case ("parameters", .null), ("more", .null), ("oneway", .null), ("upgrade", .null): continue
            // An unknown member could request behavior that this version doesn't implement.
            default: throw .invalidParameter(member.name)
            }
        }
        guard 1...JSONLimits.nameBytesMax ~= method.utf8.count else { throw .invalidParameter("method") }
        more = more && !oneway
    }

    /// The interface part of the method name; empty without one.
    public var interface: Substring { dot.map { method[..<$0] } ?? "" }

    /// The method name without its interface.
    public var methodName: Substring { dot.map { method[method.utf8.index(after: $0)...] } ?? method[...] }

    private var dot: String.Index? { method.utf8.lastIndex(of: UInt8(ascii: ".")) }

    /// Encodes a call as a frame with its NUL; the parameters are already encoded as one JSON object.
    public static func frame(_ method: String, parameters: [UInt8], more: Bool = false) -> [UInt8] {
        var bytes = Array(#"{"method":"#.utf8)
        JSON.write(method, into: &bytes)
        bytes.append(contentsOf: #","parameters":"#.utf8)
        bytes.append(contentsOf: parameters)
        if more { bytes.append(contentsOf: #","more":true"#.utf8) }
        bytes.append(UInt8(ascii: "}"))
        bytes.append(0)
        return bytes
    }

    /// Writes the call as a frame with its NUL.
    public func write(into bytes: inout [UInt8]) {
        var members = [Value.Field("method", .text(method))]
        if !parameters.isEmpty { members.append(.init("parameters", .record(parameters))) }
        for (name, flag) in [("more", more), ("oneway", oneway), ("upgrade", upgrade)] where flag {
            members.append(.init(name, .bool(true)))
        }
        JSON.write(members, into: &bytes)
        bytes.append(0)
    }
}

extension [Value.Field] {
    /// Parses the members of a frame without its NUL.
    init(frame: Span<UInt8>, depthMax: Int) throws(CallError) {
        let message: Value
        do {
            message = try Value(parsing: frame, limits: JSONLimits(depthMax: depthMax))
        } catch {
            throw .invalidParameter("message: \(error)")
        }
        guard case .record(let members) = message else { throw .invalidParameter("message: not an object") }
        self = members
    }
}
