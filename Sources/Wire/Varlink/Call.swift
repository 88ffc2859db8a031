/// A method call: the qualified method name, its parameters and the kind of reply it expects.
public struct Call: Sendable, Equatable {
    /// The qualified name: interface, dot, method.
    public var method: String
    /// The parameters; a missing member, `null` and `{}` are equivalent.
    public var parameters: [Value.Field]
    /// The caller accepts several replies; never set together with ``oneway``.
    public var more: Bool
    /// The caller expects no reply, not even an error.
    public var oneway: Bool
    /// The caller asks to switch to another protocol after the reply.
    public var upgrade: Bool

    public init(
        _ method: String, _ parameters: [Value.Field] = [], more: Bool = false, oneway: Bool = false, upgrade: Bool = false
    ) {
        (self.method, self.parameters) = (method, parameters)
        self.more = more && !oneway
        (self.oneway, self.upgrade) = (oneway, upgrade)
    }

    /// Parses a frame without its NUL.
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

/// A result or an error, and whether another reply follows.
public struct Reply: Sendable, Equatable {
    public var parameters: [Value.Field]
    /// Another reply to the same call follows; only set for a call with `more`, never for an error.
    public var continues: Bool
    /// The qualified name of the error; nil for a result.
    public var error: String?

    public init(_ parameters: [Value.Field], continues: Bool = false) {
        (self.parameters, self.continues) = (parameters, continues)
    }

    public init(_ error: CallError) {
        parameters = error.parameters
        continues = false
        self.error = error.name
    }

    /// Parses a frame without its NUL.
    public init(parsing frame: Span<UInt8>, depthMax: Int = 64) throws(CallError) {
        let members = try [Value.Field](frame: frame, depthMax: depthMax)
        self.init([])
        for member in members {
            switch (member.name, member.value) {
            case ("parameters", .record(let fields)): parameters = fields
            case ("continues", .bool(let flag)): continues = flag
            case ("error", .text(let name)): error = name
            case (_, .null): continue
            case ("parameters", _), ("continues", _), ("error", _): throw .invalidParameter(member.name)
            default: continue
            }
        }
    }

    public func get() throws(CallError) -> [Value.Field] {
        if let error { throw CallError(error, parameters) }
        return parameters
    }

    /// Writes the reply as a frame with its NUL; empty members are omitted.
    public func write(into bytes: inout [UInt8]) {
        if let error { return Self.write(CallError(error, parameters), into: &bytes) }
        Self.write(continues: continues, into: &bytes) { JSON.write(parameters, into: &$0) }
    }

    /// Encodes a reply that is not the last as a frame with its NUL; the closure writes its parameters as one JSON object.
    public static func item(_ parameters: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        write(continues: true, into: &bytes, parameters)
        return bytes
    }

    static func write(continues: Bool, into bytes: inout [UInt8], _ parameters: (inout [UInt8]) -> Void) {
        bytes += #"{"parameters":"#.utf8
        parameters(&bytes)
        if continues { bytes += #","continues":true"#.utf8 }
        bytes.append(UInt8(ascii: "}"))
        bytes.append(0)
    }

    static func write(_ error: CallError, into bytes: inout [UInt8]) {
        bytes += #"{"error":"#.utf8
        JSON.write(error.name, into: &bytes)
        if !error.parameters.isEmpty {
            bytes += #","parameters":"#.utf8
            JSON.write(error.parameters, into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        bytes.append(0)
    }
}

/// An error reply: its qualified name and its parameters.
///
/// The errors of `org.varlink.service` are defined here; each interface defines its own.
public struct CallError: Error, Sendable, Equatable {
    public var name: String
    public var parameters: [Value.Field]

    public init(_ name: String, _ parameters: [Value.Field] = []) { (self.name, self.parameters) = (name, parameters) }

    /// The service doesn't implement this interface.
    public static func interfaceNotFound(_ interface: String) -> CallError {
        CallError("org.varlink.service.InterfaceNotFound", [.init("interface", .text(interface))])
    }

    /// The interface doesn't define this method, which is given by its qualified name.
    public static func methodNotFound(_ method: String) -> CallError {
        CallError("org.varlink.service.MethodNotFound", [.init("method", .text(method))])
    }

    /// The interface defines this method, but the service doesn't implement it.
    public static func methodNotImplemented(_ method: String) -> CallError {
        CallError("org.varlink.service.MethodNotImplemented", [.init("method", .text(method))])
    }

    public static func invalidParameter(_ parameter: String) -> CallError {
        CallError("org.varlink.service.InvalidParameter", [.init("parameter", .text(parameter))])
    }

    public static let permissionDenied = CallError("org.varlink.service.PermissionDenied")

    /// The method returns a stream but was called without `more`.
    public static let expectedMore = CallError("org.varlink.service.ExpectedMore")
}
