public import TodoAPI
public import Varlink

extension Method {
    /// A call as a frame, with its NUL, without a tree in between.
    public static func frame(_ input: Input, more: Bool = false) -> [UInt8] {
        var parameters: [UInt8] = []
        input.write(into: &parameters)
        return Call.frame(name, parameters: parameters, more: more)
    }

    /// Reads the parameters of a reply; fields of a newer service are passed over.
    ///
    /// - Throws: `unexpected`.
    public static func output(_ parameters: [Value.Field]) throws(VarlinkClientError) -> Output {
        do { return try Output(output: parameters) } catch { throw .unexpected(error.message) }
    }
}

extension VarlinkClient {
    /// Makes a call, and waits for its one reply.
    public func call<M: Method>(_ method: M.Type, _ input: M.Input) throws(VarlinkClientError) -> M.Output {
        try send(M.frame(input))
        return try M.output(Self.parameters(of: try receive()))
    }

    /// Makes a call without parameters, and waits for its one reply.
    public func call<M: Method>(_ method: M.Type) throws(VarlinkClientError) -> M.Output where M.Input == NoFields {
        try call(method, NoFields())
    }

    /// Makes a call with `more`, and hands over each reply through the last one.
    public func stream<M: Method>(
        _ method: M.Type, _ input: M.Input, _ take: (M.Output) throws(VarlinkClientError) -> Void
    ) throws(VarlinkClientError) {
        try send(M.frame(input, more: true))
        try replies { parameters throws(VarlinkClientError) in try take(try M.output(parameters)) }
    }
}
