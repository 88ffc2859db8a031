import Chronicle
import Terminal
import TodoAPI

/// The time strip and the shown past.
///
/// Keys only set the wanted moment; `ScreenModel.askTime` derives the requests from what is missing. Everything here can be
/// requested again.
struct TimeState {
    struct KnownRecord {
        var sequence: UInt64
        var record: RecordMessage?
        var changes: [Change]?
    }

    struct KnownView {
        var sequence: UInt64
        var view: Value
    }

    struct RequestRound {
        var base: Int
        var moment: UInt64
        var awaited: Set<Int>
    }

    struct Play: Equatable {
        var speed: Double
        var due: Int64
    }

    /// The target moment; `nil` for the present.
    var wanted: UInt64?
    /// The loaded and shown moment.
    var shown: UInt64?
    var past = PastState()
    var views: [String: KnownView] = [:]
    var record: KnownRecord?
    /// The causes of a record; no answer if the daemon refused.
    var why: (sequence: UInt64, answer: WhyMethod.Output?)?

    var tail: KnownRecord?
    var activity: Activity?
    /// Whether the daemon supports activity scans.
    var hasActivity = true
    var bookmarks: [BookmarkMessage] = []
    var areBookmarksStale = true
    var marks = StripMarks()
    var window = StepWindow()

    var pinned: UInt64?
    var difference: PinnedDifference?
    var whatIf: WhatIfPane?
    var proposal: ProposedStep?
    /// A change in progress whose pane was closed.
    var backgroundChange: ProposedStep?
    var blame: BlamePane?
    var play: Play?
    /// Whether the pane shows the selection instead of the record.
    var isSelectionShown = false
    var offset = 0

    /// Pending moments; the last one is the newest.
    var rounds: [RequestRound] = []
    var roundsMade = 0
    var asked: Set<Int> = []
    var moves: [TimeMove] = []
    var seek: Seek?
    /// The input for a moment or bookmark, restored if it is refused.
    var typed: Prompt?
    /// When the strip may be updated again, in microseconds since 1970.
    var quietUntil: Int64 = 0
    var retryAt: Int64?
    var isDragging = false
    var flashes: [Int64: Int64] = [:]

    /// Two moments may be pending, so that the daemon prepares the next one during transfer.
    var canAsk: Bool { rounds.count < 2 }

    /// Whether the wanted moment is shown or the last requested.
    var isWantedAsked: Bool { rounds.last.map { $0.moment == wanted } ?? (shown == wanted) }

    var isLive: Bool { wanted == nil && whatIf == nil }

    var todos: TodoList? {
        get {
            if let whatIf { return whatIf.todos }
            return wanted != nil && past.moment != nil ? past.todos : nil
        }
        set {
            guard let newValue else { return }
            if whatIf != nil { whatIf?.replace(newValue) } else { past.todos = newValue }
        }
    }

    /// The footer of an open pane; `nil` if none is open.
    ///
    /// - Parameters:
    ///   - last: the last record of the log.
    ///   - isConnected: whether the daemon is connected.
    func keys(at last: UInt64, isConnected: Bool) -> [(String, String)]? {
        if let proposal {
            guard proposal.key == nil else { return [("Esc", "close, not cancel")] }
            if isConnected, proposal.canBeMade(at: last) {
                return [("Enter", "do it"), ("↑ ↓", "scroll"), ("Esc", "change nothing")]
            }
            return (proposal.canBeForced ? [("F", "overwrite")] : []) + [("Esc", "close")]
        }
        if let blame {
            return [("↑ ↓", "move"), ("Enter", "go to its record")] + (blame.isHistory ? [] : [("h", "history")]) + [
                ("Esc", "close")
            ]
        }
        return whatIf.map {
            ($0.isKnown ? [("Enter", "apply")] : []) + [
                ("Esc", "close"), ("( )", "scroll"), ("?", "all keys"), ("q", "quit"),
            ]
        }
    }

    /// Whether an open pane takes all keys.
    var isAsking: Bool { proposal != nil || blame != nil }

    func view(of feature: String) -> Value? { views[feature]?.view }

    func mark(of id: Int64) -> TodoMark? { if let whatIf { whatIf.mark(of: id) } else { difference?.marks[id] } }
}
