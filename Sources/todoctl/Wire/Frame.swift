import TodoAPI
import Varlink

/// The bytes of calls.
enum Frame {
    /// A call whose parameters are written already, as a JSON object.
    static func call(_ method: String, parameters: [UInt8], more: Bool = false) -> [UInt8] {
        var bytes = Array(#"{"method":"#.utf8)
        JSON.write(method, into: &bytes)
        if more { bytes.append(contentsOf: #","more":true"#.utf8) }
        bytes.append(contentsOf: #","parameters":"#.utf8)
        bytes.append(contentsOf: parameters)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// A call of one of our methods.
    static func call<M: Method>(_ method: M.Type, _ input: M.Input, more: Bool = false) -> [UInt8] {
        var parameters: [UInt8] = []
        input.write(into: &parameters)
        return call(M.name, parameters: parameters, more: more)
    }
}
