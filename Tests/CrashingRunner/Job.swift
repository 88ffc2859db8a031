import Reducing
import Values

/// A command that says itself how it wants to be run.
struct Job: NamedCommand, CanonicalCodable {
    var text: String
    var isIdempotent = true
    var delayMilliseconds: UInt64 = 0

    init(_ text: String) { self.text = text }

    var name: String { "jobs.run" }

    var policy: CommandPolicy {
        // Only a machine that stands still for a while lets a target take long, and that is no failure of it.
        CommandPolicy(isIdempotent: isIdempotent, timeout: .seconds(600), delay: .milliseconds(Int64(delayMilliseconds)))
    }

    func encode(into writer: inout CanonicalWriter) {
        writer.field(1, text)
        writer.field(2, !isIdempotent)
        writer.field(3, delayMilliseconds)
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init("")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: text = try cursor.text(bytes)
            case 2: isIdempotent = !(try cursor.bool(bytes))
            case 3: delayMilliseconds = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
