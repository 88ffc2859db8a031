import Values

/// The parameters of a call, as a request brings them.
///
/// They go on byte for byte, so they must be one JSON object and nothing beside it: with a NUL, or a bracket more, a body could make
/// another call than the one that was let through.
enum CallBody {
    /// The parameters; of an empty body none.
    static func parameters(_ body: [UInt8]) throws(Refusal) -> [UInt8] {
        guard body.contains(where: { !" \t\r\n".utf8.contains($0) }) else { return Array("{}".utf8) }
        let value: Value
        do throws(JSONError) {
            value = try Value(parsing: body)
        } catch {
            throw .malformed("The parameters can't be read: \(error).")
        }
        guard case .record = value else { throw .malformed("The parameters of a call are one JSON object.") }
        return body
    }
}
