/// A result or an error, and whether another reply follows.
public struct Reply: Sendable, Equatable {
    /// The parameters of the result or of the error.
    public var parameters: [Value.Field]
    /// Another reply to the same call follows.
    ///
    /// Only set for a call with `more`, never for an error.
    public var continues: Bool
    /// The qualified name of the error; nil for a result.
    public var error: String?

    public init(_ parameters: [Value.Field], continues: Bool = false) {
        self.parameters = parameters
        self.continues = continues
    }

    public init(_ error: CallError) {
        parameters = error.parameters
        continues = false
        self.error = error.name
    }

    /// Parses a frame without its NUL.
    ///
    /// - Throws: `org.varlink.service.InvalidParameter`, whose parameter describes the mistake in the frame.
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

    /// Returns the parameters of a result.
    ///
    /// - Throws: the error of an error reply.
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
