import Chronicle

/// A command that says itself how it wants to be run.
struct Errand: NamedCommand, FieldCoding {
    var text = ""
    var group = ""
    var cancelID = ""
    /// The feature in which it would stand, in an app of several.
    var place = ""
    var isOnce = false
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

    init() {}

    init(_ text: String) { self.text = text }

    var isIdempotent: Bool {
        get { !isOnce }
        set { isOnce = !newValue }
    }

    var name: String { "errands.\(kind)" }

    var policy: CommandPolicy {
        let policy = CommandPolicy(
            isIdempotent: !isOnce, attemptsMax: attemptsMax, timeout: .seconds(seconds), delay: .seconds(delay),
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

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.field(1, "text", &text)
        try fields.field(2, "group", &group)
        try fields.field(3, "cancelID", &cancelID)
        try fields.field(4, "place", &place)
        try fields.field(5, "isOnce", &isOnce)
        try fields.field(6, "attemptsMax", &attemptsMax, .needed)
        try fields.field(7, "seconds", &seconds, .needed)
        try fields.field(8, "delay", &delay)
        try fields.field(9, "isCancellation", &isCancellation)
        try fields.field(10, "isPresentational", &isPresentational)
        try fields.field(11, "isSilent", &isSilent)
        try fields.field(12, "debounce", &debounce)
        try fields.field(13, "throttle", &throttle)
        try fields.field(14, "isScheduled", &isScheduled)
        try fields.field(15, "runningMax", &runningMax)
        try fields.field(16, "kind", &kind, .needed)
    }
}
