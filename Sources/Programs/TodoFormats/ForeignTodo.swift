public import Dates

/// A todo as other programs know it: what their files say, in one form.
public struct ForeignTodo: Sendable, Equatable {
    /// What the source calls it, the same in each of its files; `nil` where that names none.
    public var source: String?
    public var title: String
    /// More about it; empty for none.
    public var note = ""
    /// Words to find it by; a project is `project:NAME`.
    public var tags: [String] = []
    /// 0 to 3.
    public var priority = 0
    public var due: Due?
    /// Until when it is in nobody's way.
    public var wait: Due?
    /// What the source calls those that are to be done before.
    public var after: [String] = []
    /// By which rule it recurs; of what is done none.
    public var every: Recurrence?
    /// When somebody is to be reminded of it.
    public var reminder: ForeignReminder?
    /// When it was added, in microseconds since 1970.
    public var created: Int64?
    public var isDone = false
    /// When it was completed, in microseconds since 1970, where that is known.
    public var completed: Int64?
    /// What else the source says of it, as it says that.
    public var attributes: [ForeignAttribute] = []
    /// Of what its file says nothing, though its format could: that stays as it is.
    public var unsaid: Set<TodoFormat.Part> = []
    /// Of what its file says something, be it that there is none, where others of its format leave out what there is none of.
    public var expressed: Set<TodoFormat.Part> = []
    /// The line of the file that it begins in, from 1; 0 of one that was not read.
    public var line = 0

    /// A todo of which nothing but a title is known.
    public init(title: String, line: Int = 0) {
        self.title = title
        self.line = line
    }

    /// Of which parts the file says something.
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

    /// What is said of a part, as a short text that is another where that is another.
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

    /// What names the pattern of which a program makes each of what recurs.
    public static let patternAttribute = "parent"

    /// What the source says under a name.
    public func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
}

/// Something that a source says of a todo and that means nothing here: it is kept, and given back.
public struct ForeignAttribute: Sendable, Equatable {
    /// Its name, as the source writes it.
    public var name: String
    /// Its value, as the source writes it.
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
