import Chronicle

/// A command with configurable scheduling properties.
struct Errand: NamedCommand, FieldCoding {
    var text = ""
    var group = ""
    var cancelID = ""
    /// The feature that the command belongs to, in an app of several features.
    var place = ""
    var isOnce = false
    var attemptsMax = 3
    var seconds = 30
    var delay = 0
    /// Whether commands of this kind may wait for a scheduled time.
    var isScheduled = false
    /// Maximum number of running commands of this kind; 0: only the limit for all commands applies.
    var runningMax = 0
    /// The kind of the command.
    var kind = "run"
    var isCancellation = false
    var isPresentational = false
    /// Quiet period of the debounce in seconds; 0: no debounce.
    var debounce = 0
    /// Minimum interval between two starts in seconds; 0: no throttle.
    var throttle = 0
    /// Whether ends without a result are not reported to the state.
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

    /// A copy with the text, group and cancel id of the arguments.
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
