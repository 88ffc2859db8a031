/// A reply: parameters, or an error with its own, and whether another reply follows.
public struct Reply: Sendable, Equatable {
    /// The result, or the error's parameters.
    public var parameters: [Value.Field]
    /// Another reply to the same call follows.
    ///
    /// Only for a call with `more`, never for an error.
    public var continues: Bool
    /// The full name of the error, nil for a result.
    public var error: String?

    /// A result.
    public init(_ parameters: [Value.Field], continues: Bool = false) {
        self.parameters = parameters
        self.continues = continues
    }

    public init(_ error: CallError) {
        parameters = error.parameters
        continues = false
        self.error = error.name
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

    /// The result's parameters.
    ///
    /// - Throws: the error that the reply holds.
    public func get() throws(CallError) -> [Value.Field] {
        if let error { throw CallError(error, parameters) }
        return parameters
    }

    /// Writes the reply as a frame, with its NUL; what has no value is left out.
    public func write(into bytes: inout [UInt8]) {
        if let error {
            Self.write(CallError(error, parameters), into: &bytes)
        } else if continues {
            Self.writeItem(into: &bytes) { JSON.write(parameters, into: &$0) }
        } else {
            Self.writeResult(into: &bytes) { JSON.write(parameters, into: &$0) }
        }
    }

    /// Writes a last reply whose parameters, one JSON object, the closure writes.
    static func writeResult(into bytes: inout [UInt8], _ parameters: (inout [UInt8]) -> Void) {
        bytes.append(contentsOf: #"{"parameters":"#.utf8)
        parameters(&bytes)
        bytes.append(UInt8(ascii: "}"))
        bytes.append(0)
    }

    /// Writes a reply that another follows; the closure writes its parameters, one JSON object.
    static func writeItem(into bytes: inout [UInt8], _ parameters: (inout [UInt8]) -> Void) {
        bytes.append(contentsOf: #"{"parameters":"#.utf8)
        parameters(&bytes)
        bytes.append(contentsOf: #","continues":true}"#.utf8)
        bytes.append(0)
    }

    /// The frame of a reply that another follows, with its NUL; the closure writes its parameters, one JSON object.
    public static func item(_ parameters: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        writeItem(into: &bytes, parameters)
        return bytes
    }

    /// Writes an error reply.
    static func write(_ error: CallError, into bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"error":"#.utf8)
        JSON.write(error.name, into: &bytes)
        if !error.parameters.isEmpty {
            bytes.append(contentsOf: #","parameters":"#.utf8)
            JSON.write(error.parameters, into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        bytes.append(0)
    }
}
