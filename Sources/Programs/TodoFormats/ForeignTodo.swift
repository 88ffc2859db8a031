import ChronicleValues
public import Dates
import TodoRules

/// A todo in the form shared by all file formats.
public struct ForeignTodo: Sendable, Equatable {
    /// The id that the source gives it, which is the same in each of its files.
    public var source: String?
    public var title: String
    public var note = ""
    /// Tags; a project is the tag `project:NAME`.
    public var tags: [String] = []
    public var priority = 0
    public var due: Due?
    public var wait: Due?
    /// The source ids of the todos that must be done first.
    public var after: [String] = []
    /// The recurrence rule; `nil` if it is done.
    public var every: Recurrence?
    public var reminder: ForeignReminder?
    /// In microseconds since 1970.
    public var created: Int64?
    public var isDone = false
    /// In microseconds since 1970; `nil` if unknown.
    public var completed: Int64?
    public var attributes: [ForeignAttribute] = []
    /// Parts that the format supports but that this file does not specify; an import leaves them unchanged.
    public var unsaid: Set<TodoFormat.Part> = []
    /// Parts that the file specifies, even as empty, although its format usually omits empty parts.
    public var expressed: Set<TodoFormat.Part> = []
    /// The first line in the file, from 1; 0 if it was not read from a file.
    public var line = 0

    public init(title: String, line: Int = 0) {
        self.title = title
        self.line = line
    }

    public var said: Set<TodoFormat.Part> { Set(TodoFormat.Part.allCases.filter { expressed.contains($0) || has($0) }) }

    func has(_ part: TodoFormat.Part) -> Bool {
        switch part {
        case .note: !note.isEmpty
        case .tags: !tags.isEmpty
        case .priority: priority > 0
        case .due: due != nil
        case .wait: wait != nil
        case .after: !after.isEmpty
        case .every: every != nil
        case .reminder: reminder != nil
        case .done: isDone
        }
    }

    /// A short text for a part, which differs if and only if the part differs.
    public func text(of part: TodoFormat.Part) -> String {
        switch part {
        case .note: TodoIdentity.number(ofTitle: note)
        case .tags: tags.joined(separator: ",")
        case .priority: String(priority)
        case .due: due?.text ?? ""
        case .wait: wait?.text ?? ""
        case .after: after.sorted().joined(separator: ",")
        case .every: every?.text ?? ""
        case .reminder:
            switch reminder {
            case nil: ""
            case .at(let time): time.text
            case .before(let minutes): FormatDuration.text(minutes)
            }
        case .done: isDone ? "done" : ""
        }
    }

    /// The attribute that names the recurrence pattern which a task was created from.
    public static let patternAttribute = "parent"

    public func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
}

/// A property without a meaning for todos; it is kept and exported again.
public struct ForeignAttribute: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Generated ids for todos without a source id.
public enum TodoIdentity {
    /// A UUID of version 8 (RFC 9562) from the id and the creation time, so each export uses the same one.
    public static func uuid(id: Int64, created: Int64) -> String {
        // 60 bits of the time and 62 of the id, plus version and variant.
        let (time, number) = (UInt64(bitPattern: created), UInt64(bitPattern: id))
        let high = (time >> 12) << 16 | 0x8000 | time & 0xFFF
        let low = 0x8000_0000_0000_0000 | number & 0x3FFF_FFFF_FFFF_FFFF
        let digits = Hexadecimal.text(high) + Hexadecimal.text(low)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }

    /// The id of a todo without a source id: a hash of its title as 16 hex digits.
    public static func number(ofTitle title: String) -> String {
        // FNV-1a with 64 bits.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in title.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Hexadecimal.text(hash)
    }
}

/// When a reminder is due.
public enum ForeignReminder: Sendable, Equatable {
    /// At a minute, or at the start of a day.
    case at(Due)
    /// Minutes before the due date, also if the due date moves.
    case before(minutes: Int)

    public static let minutesMax = TodoLimits.remindDaysBeforeMax * 1_440
}

enum FormatDuration {
    private static let seconds = ["W": 604_800, "D": 86_400, "TH": 3_600, "TM": 60, "TS": 1]

    static func text(_ minutes: Int) -> String {
        let (days, rest) = minutes.quotientAndRemainder(dividingBy: 1_440)
        var text = days > 0 ? "P\(days)D" : "P"
        guard rest > 0 || days == 0 else { return text }
        let (hours, left) = rest.quotientAndRemainder(dividingBy: 60)
        text += "T"
        if hours > 0 { text += "\(hours)H" }
        if left > 0 || hours == 0 { text += "\(left)M" }
        return text
    }

    /// Whole minutes, up to the maximum of a reminder.
    static func minutes(_ text: some StringProtocol) -> Int? {
        guard text.first == "P" else { return nil }
        var (sum, digits, isTime, isEmpty) = (0, "", false, true)
        for character in text.dropFirst() {
            if character.isASCII, character.isNumber {
                digits.append(character)
            } else if character == "T", !isTime, digits.isEmpty {
                isTime = true
            } else {
                let name = (isTime ? "T" : "") + String(character)
                guard digits.utf8.count <= 9, let count = Int(digits), let unit = seconds[name] else { return nil }
                sum += count * unit
                guard sum <= ForeignReminder.minutesMax * 60 else { return nil }
                (digits, isEmpty) = ("", false)
            }
        }
        return digits.isEmpty && !isEmpty && sum % 60 == 0 ? sum / 60 : nil
    }
}
