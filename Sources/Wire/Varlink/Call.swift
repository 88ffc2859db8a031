/// A call: the method's full name, its parameters and how it is to be answered.
public struct Call: Sendable, Equatable {
    /// The full name: interface, dot, method.
    public var method: String
    /// The parameters; left out, `null` and `{}` are the same.
    public var parameters: [Value.Field]
    /// The caller takes a stream of replies.
    ///
    /// Never set together with ``oneway``.
    public var more: Bool
    /// The caller wants no reply, not even an error.
    public var oneway: Bool
    /// The caller wants to speak another protocol afterwards.
    public var upgrade: Bool

    /// UTF-8 bytes of a method's full name; as ``JSONLimits/nameBytesMax``.
    private static let methodBytesMax = JSONLimits.nameBytesMax

    /// Names a method to call.
    public init(
        _ method: String, _ parameters: [Value.Field] = [], more: Bool = false, oneway: Bool = false, upgrade: Bool = false
    ) {
        self.method = method
        self.parameters = parameters
        self.more = more && !oneway
        self.oneway = oneway
        self.upgrade = upgrade
    }

    /// Reads a frame without its NUL.
    ///
    /// - Throws: `org.varlink.service.InvalidParameter`, whose parameter says what is wrong with the frame.
    public init(parsing frame: Span<UInt8>, depthMax: Int = 64) throws(CallError) {
        let message: Value
        do {
            message = try Value(parsing: frame, limits: JSONLimits(depthMax: depthMax))
        } catch {
            throw .invalidParameter("message: \(error)")
        }
        guard case .record(let members) = message else { throw .invalidParameter("message: not an object") }
        self.init("")
        for member in members {
            switch (member.name, member.value) {
            case ("method", .text(let name)): method = name
            case ("parameters", .record(let fields)): parameters = fields
            case ("more", .bool(let flag)): more = flag
            case ("oneway", .bool(let flag)): oneway = flag
            case ("upgrade", .bool(let flag)): upgrade = flag
            case ("parameters", .null), ("more", .null), ("oneway", .null), ("upgrade", .null): continue
            // A member that we don't know could ask for something that we would not do.
            default: throw .invalidParameter(member.name)
            }
        }
        guard 1...Self.methodBytesMax ~= method.utf8.count else { throw .invalidParameter("method") }
        more = more && !oneway
    }

    /// The interface part of the method's name, empty if it has none.
    public var interface: Substring {
        guard let dot = method.utf8.lastIndex(of: UInt8(ascii: ".")) else { return "" }
        return method[..<dot]
    }

    /// The method's name without its interface.
    public var methodName: Substring {
        guard let dot = method.utf8.lastIndex(of: UInt8(ascii: ".")) else { return method[...] }
        return method[method.utf8.index(after: dot)...]
    }

    /// The frame of a call, with its NUL, whose parameters are written already, as one JSON object.
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

    /// Writes the call as a frame, with its NUL.
    public func write(into bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"method":"#.utf8)
        JSON.write(method, into: &bytes)
        if !parameters.isEmpty {
            bytes.append(contentsOf: #","parameters":"#.utf8)
            JSON.write(parameters, into: &bytes)
        }
        if more { bytes.append(contentsOf: #","more":true"#.utf8) }
        if oneway { bytes.append(contentsOf: #","oneway":true"#.utf8) }
        if upgrade { bytes.append(contentsOf: #","upgrade":true"#.utf8) }
        bytes.append(UInt8(ascii: "}"))
        bytes.append(0)
    }
}
