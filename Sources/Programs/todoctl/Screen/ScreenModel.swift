import Chronicle
import Dates
import Terminal
import Varlink

/// The state of the screen.
///
/// A value without I/O: `update` takes events and returns requests, `render` draws. `time` holds everything about the past.
struct ScreenModel {
    enum Presence: Equatable {
        case connecting, connected
        /// Unreachable: why, and the delay of the next attempt in microseconds.
        case away(String, pause: Int64)
    }

    struct Head: Equatable {
        var epoch: UInt64
        var sequence: UInt64
        /// Time of the last record, in microseconds since 1970.
        var time: Int64
    }

    struct Context {
        var zone: Zone
        var weekBegin = 1
        /// Makes this screen's idempotency keys unique.
        var random: UInt64
        var weights: [Urgency.Part: Int] = [:]
        var uid: UInt32 = 0
        var hasEditor = true
    }

    let context: Context
    var size: Size
    var now: Int64
    var presence = Presence.connecting
    var silence: String?
    var head: Head?
    /// Whether the connected daemon has reported its epoch.
    var isLogKnown = false

    var todos = TodoList()
    var incoming: TodoList?
    /// Whether `todos` is complete.
    var areTodosComplete = false
    /// The record that `todos` reflects.
    var todosAt: UInt64?
    var rows: TodoRows
    var pastRows: TodoRows
    var list = ListState()

    var program = "todod"
    var tabs: [FeatureTab] = []
    var tab = 0

    var prompt: Prompt?
    var form: EditForm?
    var message: ScreenMessage?
    var isHelpShown = false
    var helpOffset = 0

    var outgoing: [Int: Outgoing] = [:]
    var refused: [Typed] = []
    var ownKeys: [String] = []
    var callsMade = 0
    var editedNotes: [Int: EditedNote] = [:]
    /// Notes to write once the list is current.
    var waitingNotes: [EditedNote] = []
    var commandMessage = ""
    var question: FilterQuestion?
    var views: [String: String] = [:]

    var time = TimeState()

    init(_ context: Context, size: Size, now: Int64, sort: TodoOrder = .due) {
        self.context = context
        (self.size, self.now) = (size, now)
        rows = TodoRows(sort: sort)
        pastRows = TodoRows(sort: sort)
    }

    var moment: Moment { context.zone.moment(at: now / 1_000_000) }

    var clock: RowClock { clock(at: moment) }

    func clock(at moment: Moment) -> RowClock { RowClock(now: moment, zone: context.zone, weights: context.weights) }

    var dates: DateReader {
        DateReader(now: now / 1_000_000, zone: context.zone, direction: .future, weekBegin: context.weekBegin)
    }

    var shownTab: FeatureTab? { tabs.indices.contains(tab) ? tabs[tab] : nil }

    var isListShown: Bool { shownTab?.isTodos == true }

    var shownTodos: TodoList { time.todos ?? todos }

    var shownRows: TodoRows { time.todos == nil ? rows : pastRows }

    var shownFlashes: [Int64: Int64] { time.isLive ? list.flashes : time.flashes }

    var selectedTodo: Todo? { isListShown ? list.selected.flatMap { shownTodos[$0] } : nil }

    mutating func nextCall() -> Int {
        callsMade += 1
        return callsMade
    }

    /// A unique idempotency key; the screen recognizes its own changes by it.
    mutating func nextKey() -> String {
        let key = DispatchKey.make(time: now, random: context.random &+ UInt64(nextCall()))
        ownKeys.append(key)
        if ownKeys.count > 64 { ownKeys.removeFirst() }
        return key
    }
}

struct ListState {
    var selected: Int64?
    var wanted: Int64?
    var line = 0
    var offset = 0
    var marked: Set<Int64> = []
    var flashes: [Int64: Int64] = [:]
    var filter = ""
}

enum TodoMark {
    case added, removed, changed
}

/// A message, shown until the next key or message.
struct ScreenMessage: Equatable {
    enum Kind {
        case done, failure, note
    }

    var text: String
    var kind = Kind.done
}

/// A dispatch without a reply yet; repeated with the same key after a reconnect.
struct Outgoing {
    var actions: [Value]
    var key: String
    /// The epoch of the intended log; `nil` if no log was known.
    var epoch: UInt64?
    /// The note from the editor, which must not overwrite a concurrent change.
    var note: EditedNote?
    /// The typed input, restored if the dispatch is refused.
    var typed: Typed?
    var sentence: OutgoingSentence
}

enum Typed: Equatable {
    case line(Prompt)
    case form(EditForm)

    var isOfAnyLog: Bool { if case .line(let prompt) = self { prompt.purpose == .add } else { false } }
}

struct EditedNote: Equatable {
    var id: Int64
    var before: String
    var epoch: UInt64?
    var text = ""
    /// The list must be newer than this record before the note is written.
    var after: UInt64 = 0
}

enum OutgoingSentence: Equatable {
    case text(String)
    case added(String)
    case none
}

struct FilterQuestion: Equatable {
    var text: String
    var tag: RequestTag?
    var moment: UInt64?
    var due: Int64
    var found: Set<Int64> = []
    var mistake: String?
    var isStale = false
}

struct Prompt: Equatable {
    enum Purpose: Equatable {
        case add, filter
        case field(TodoField, [Int64])
        case answer(Int64)
        case action(PendingAction)
        /// An input for the past, by number, and its label.
        case time(Int, label: String)
    }

    var purpose: Purpose
    var entry: TextEntry

    init(_ purpose: Purpose, _ text: String = "") { (self.purpose, entry) = (purpose, TextEntry(text)) }
}
