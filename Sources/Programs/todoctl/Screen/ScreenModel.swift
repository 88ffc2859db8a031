import Chronicle
import Dates
import Terminal
import Varlink

/// All that the screen knows: what the daemon told, what is selected, what is being typed.
///
/// A value without I/O: `update` takes what happens and says what is to be done, `render` shows it. What belongs to the past is in `time`.
struct ScreenModel {
    /// Whether the daemon answers.
    enum Presence: Equatable {
        /// It was not reached yet.
        case connecting
        case there
        /// It can't be reached, why, and how long the next attempt waits, in microseconds.
        case away(String, pause: Int64)
    }

    /// Where the log ends, as far as it was told.
    struct Head: Equatable {
        var epoch: UInt64
        var sequence: UInt64
        /// The time of the last record, in microseconds since 1970.
        var time: Int64
    }

    /// What does not change while the screen is shown.
    struct Surroundings {
        var zone: Zone
        /// The day of the week with which weeks begin, 0 is Sunday.
        var weekBegin = 1
        /// What makes the keys of this screen unlike those of any other.
        var random: UInt64
        /// What parts of urgency are worth to the person.
        var weights: [Urgency.Part: Int] = [:]
        /// The person, as the log names who did something.
        var uid: UInt32 = 0
        /// Whether the person has an editor for long texts.
        var hasEditor = true
    }

    let surroundings: Surroundings
    var size: ScreenSize
    /// Microseconds since 1970.
    var now: Int64
    var presence = Presence.connecting
    /// The message about a connected daemon that does not answer.
    var silence: String?
    var head: Head?
    /// Whether the daemon that answers now has told which log it keeps.
    var isLogKnown = false

    /// The todos of the present.
    var todos = TodoList()
    /// Those of a state that has not come as a whole.
    var incoming: TodoList?
    /// Whether all of them are here.
    var areTodosComplete = false
    /// The moment at which they are so.
    var todosAt: UInt64?
    var rows: TodoRows
    /// The rows of the todos that `time` shows.
    var pastRows: TodoRows
    var list = ListState()

    /// The name of the daemon's program.
    var program = "todod"
    var tabs: [FeatureTab] = []
    /// The index of the shown tab.
    var tab = 0

    var prompt: Prompt?
    var form: EditForm?
    var message: ScreenMessage?
    /// Whether all keys are shown.
    var isHelpShown = false
    var helpOffset = 0

    var outgoing: [Int: Outgoing] = [:]
    var refused: [Typed] = []
    var ownKeys: [String] = []
    var callsMade = 0
    /// The notes that the editor was given, by the number of the call.
    var editedNotes: [Int: EditedNote] = [:]
    /// Those that are written once the change of the list has come that stands before them.
    var waitingNotes: [EditedNote] = []
    /// What is said when a command has been told what to do.
    var orderSentence = ""
    var question: FilterQuestion?
    var views: [String: String] = [:]

    var time = TimePart()

    init(_ surroundings: Surroundings, size: ScreenSize, now: Int64, sort: TodoOrder = .due) {
        self.surroundings = surroundings
        (self.size, self.now) = (size, now)
        rows = TodoRows(sort: sort)
        pastRows = TodoRows(sort: sort)
    }

    /// The moment now, where the person is.
    var moment: Moment { surroundings.zone.moment(at: now / 1_000_000) }

    var clock: RowClock { clock(at: moment) }

    /// The same at another moment.
    func clock(at moment: Moment) -> RowClock { RowClock(now: moment, zone: surroundings.zone, weights: surroundings.weights) }

    /// What reads dates to come.
    var dates: DateReader {
        DateReader(now: now / 1_000_000, zone: surroundings.zone, direction: .future, weekBegin: surroundings.weekBegin)
    }

    /// The tab that is shown; `nil` until the daemon has told its features.
    var shownTab: FeatureTab? { tabs.indices.contains(tab) ? tabs[tab] : nil }

    /// Whether the list of todos is shown.
    var isListShown: Bool { shownTab?.isTodos == true }

    /// The todos on the screen: those of the moment that is shown.
    var shownTodos: TodoList { time.todos ?? todos }

    /// Their rows.
    var shownRows: TodoRows { time.todos == nil ? rows : pastRows }

    /// Until when those are marked that changed.
    var shownFlashes: [Int64: Int64] { time.isLive ? list.flashes : time.flashes }

    /// The todo that the cursor is on.
    var selectedTodo: Todo? { isListShown ? list.selected.flatMap { shownTodos[$0] } : nil }

    /// A number for a call of the part `list` or `tabs`.
    mutating func nextCall() -> Int {
        callsMade += 1
        return callsMade
    }

    /// A key that no dispatch ever had, by which this screen knows its own changes again.
    mutating func nextKey() -> String {
        let key = DispatchKey.make(time: now, random: surroundings.random &+ UInt64(nextCall()))
        ownKeys.append(key)
        if ownKeys.count > 64 { ownKeys.removeFirst() }
        return key
    }
}

/// What a person has done with the list.
struct ListState {
    /// The todo that the cursor is on.
    var selected: Int64?
    /// A todo that the cursor goes to as soon as it is there.
    var wanted: Int64?
    /// Its line, for when it is gone.
    var line = 0
    /// The first line that is shown.
    var offset = 0
    /// Those that are done something to at once.
    var marked: Set<Int64> = []
    /// Until when a changed todo is marked, in microseconds since 1970.
    var flashes: [Int64: Int64] = [:]
    /// What is looked for, as it was typed.
    var filter = ""
}

/// How a todo is marked that differs from what it is compared with.
enum TodoMark {
    case added
    case removed
    case changed
}

/// A sentence about what happened, until the next key or another one.
struct ScreenMessage: Equatable {
    enum Kind {
        case done
        /// It was refused, or went wrong.
        case failure
        case note
    }

    var text: String
    var kind = Kind.done
}

/// A dispatch whose answer has not come; made again with its key when the daemon is back.
struct Outgoing {
    var actions: [Value]
    var key: String
    /// The epoch of the log that it is meant for; `nil`: no log was seen before.
    var epoch: UInt64?
    /// The note that it writes, if that was written in the editor: it must not be in place of what somebody else wrote meanwhile.
    var note: EditedNote?
    /// What was typed for it, to be typed on where it is refused.
    var typed: Typed?
    /// What is said when it is done, made of the answer's ids and whether anything changed.
    var sentence: OutgoingSentence
}

/// A line or a form that a person filled in.
enum Typed: Equatable {
    case line(Prompt)
    case form(EditForm)

    /// Whether it is still valid in another log.
    var isOfAnyLog: Bool { if case .line(let prompt) = self { prompt.purpose == .add } else { false } }
}

/// A note that is written in the editor.
struct EditedNote: Equatable {
    /// The todo.
    var id: Int64
    /// The note as it was.
    var before: String
    /// The log that the todo is of.
    var epoch: UInt64?
    /// As it is to be.
    var text = ""
    /// The list has to be known further than this record first.
    var after: UInt64 = 0
}

/// What is said when a dispatch is done.
enum OutgoingSentence: Equatable {
    case text(String)
    /// Todos were added with these titles and details.
    case added(String)
    /// Nothing is said: it is seen.
    case none
}

/// A question to the daemon which todos a filter means.
struct FilterQuestion: Equatable {
    var text: String
    var tag: RequestTag?
    /// The moment that it was asked about; `nil`: the present.
    var moment: UInt64?
    /// When it is asked, in microseconds since 1970; typing goes on until then.
    var due: Int64
    var found: Set<Int64> = []
    /// Why it can't be asked, or is refused.
    var mistake: String?
    /// Whether the todos have changed since it was asked.
    var isStale = false
}

/// A line that is being typed.
struct Prompt: Equatable {
    enum Purpose: Equatable {
        case add
        case filter
        /// A field of all todos that are selected.
        case field(TodoField, [Int64])
        /// The answer to a question of a flow.
        case answer(Int64)
        /// A field of an action that a feature knows.
        case action(PendingAction)
        /// Something of the part of time, which knows what by the number; with what stands before the line.
        case time(Int, label: String)
    }

    var purpose: Purpose
    var entry: TextEntry

    init(_ purpose: Purpose, _ text: String = "") { (self.purpose, entry) = (purpose, TextEntry(text)) }
}
