import Reducing
import Values

/// A command that says itself how it wants to be run.
struct Errand: NamedCommand, CanonicalCodable {
    var text: String
    var group = ""
    var cancelID = ""
    /// The feature in which it would stand, in an app of several.
    var place = ""
    var isIdempotent = true
    var attemptsMax = 3
    var seconds = 30
    var delay = 0
    /// Whether its kind waits for a time of its own.
    var isScheduled = false
    /// How many of its name may run at once; 0: as many as of all.
    var runningMax = 0
    /// The end of its name.
    var kind = "run"
    var isCancellation = false
    var isPresentational = false
    /// Seconds for which none of its name must come; 0: it is not debounced.
    var debounce = 0
    /// Seconds between two starts of its name; 0: it is not throttled.
    var throttle = 0
    /// Whether its ends without a result say nothing to the state.
    var isSilent = false

    init(_ text: String) { self.text = text }

    var name: String { "errands.\(kind)" }

    var policy: CommandPolicy {
        let policy = CommandPolicy(
            isIdempotent: isIdempotent, attemptsMax: attemptsMax, timeout: .seconds(seconds), delay: .seconds(delay),
            isScheduled: isScheduled, runningMax: runningMax > 0 ? runningMax : nil, group: group.isEmpty ? nil : group,
            cancelID: cancelID.isEmpty ? nil : cancelID, isCancellation: isCancellation,
            pace: debounce > 0 ? .debounce(.seconds(debounce)) : throttle > 0 ? .throttle(.seconds(throttle)) : nil)
        return place.isEmpty ? policy : policy.under(place)
    }

    /// Its text, and which group and name it is of.
    func with(arguments: Value) throws(ValueMismatch) -> Errand {
        var reader = try RecordReader(arguments)
        var errand = self
        errand.text = try reader.required("text")
        errand.group = try reader.optional("group") ?? ""
        errand.cancelID = try reader.optional("cancelID") ?? ""
        errand.isCancellation = try reader.optional("isCancellation") ?? false
        try reader.end()
        return errand
    }

    func with(_ change: (inout Errand) -> Void) -> Errand {
        var errand = self
        change(&errand)
        return errand
    }

    func encode(into writer: inout CanonicalWriter) {
        writer.field(1, text)
        writer.field(2, group)
        writer.field(3, cancelID)
        writer.field(4, place)
        writer.field(5, !isIdempotent)
        writer.field(6, UInt64(attemptsMax))
        writer.field(7, UInt64(seconds))
        writer.field(8, UInt64(delay))
        writer.field(9, isCancellation)
        writer.field(10, isPresentational)
        writer.field(11, isSilent)
        writer.field(12, UInt64(debounce))
        writer.field(13, UInt64(throttle))
        writer.field(14, isScheduled)
        writer.field(15, UInt64(runningMax))
        writer.field(16, kind)
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init("")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: text = try cursor.text(bytes)
            case 2: group = try cursor.text(bytes)
            case 3: cancelID = try cursor.text(bytes)
            case 4: place = try cursor.text(bytes)
            case 5: isIdempotent = !(try cursor.bool(bytes))
            case 6: attemptsMax = Int(try cursor.uint(bytes))
            case 7: seconds = Int(try cursor.uint(bytes))
            case 8: delay = Int(try cursor.uint(bytes))
            case 9: isCancellation = try cursor.bool(bytes)
            case 10: isPresentational = try cursor.bool(bytes)
            case 11: isSilent = try cursor.bool(bytes)
            case 12: debounce = Int(try cursor.uint(bytes))
            case 13: throttle = Int(try cursor.uint(bytes))
            case 14: isScheduled = try cursor.bool(bytes)
            case 15: runningMax = Int(try cursor.uint(bytes))
            case 16: kind = try cursor.text(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
