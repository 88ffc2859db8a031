import Chronicle
import Terminal
import TodoAPI

/// The strip of time at the bottom, and the past that is shown in place of the present.
///
/// Keys only say which moment is wanted; what has to be asked for it follows from what is known (`ScreenModel.askTime`). Nothing here is kept
/// that the daemon can't be asked for again.
struct TimePart {
    /// A record of the log, with what it changed, as far as that is known.
    struct KnownRecord {
        var sequence: UInt64
        /// `nil`: there is none, as before everything.
        var record: RecordMessage?
        var changes: [Change]?
    }

    /// What a feature shows at a moment.
    struct KnownView {
        var sequence: UInt64
        var view: Value
    }

    /// What is on its way for one moment.
    struct Round {
        /// Rounds are told apart by the numbers of their calls: those of this one begin here.
        var base: Int
        var moment: UInt64
        /// The calls that are not answered.
        var awaited: Set<Int>
    }

    /// How fast the past is played.
    struct Play: Equatable {
        /// Records a second.
        var speed: Double
        /// When the next one is shown, in microseconds since 1970.
        var due: Int64
    }

    /// The moment that is wanted; `nil`: the present.
    var wanted: UInt64?
    /// The moment whose state is shown, of those that were wanted.
    var shown: UInt64?
    var past = PastState()
    var views: [String: KnownView] = [:]
    var record: KnownRecord?
    /// Why a record is there; no answer, where the daemon does not tell.
    var why: (sequence: UInt64, answer: WhyMethod.Output?)?

    /// The last record of the log, with what it changed.
    var tail: KnownRecord?
    var activity: Activity?
    /// Whether the daemon tells how many records came when.
    var hasActivity = true
    var bookmarks: [BookmarkMessage] = []
    var areBookmarksStale = true
    var marks = StripMarks()
    var window = StepWindow()

    /// Where the second handle is.
    var pinned: UInt64?
    var difference: PinnedDifference?
    var whatIf: WhatIfPane?
    var proposal: ProposedStep?
    /// One that is being made, and not shown any more.
    var carried: ProposedStep?
    var blame: BlamePane?
    var play: Play?
    /// Whether the pane tells of the selection in place of the record.
    var isSelectionShown = false
    /// How many lines of the pane are above it.
    var offset = 0

    /// The moments that are on their way, of which the last one is what was wanted last.
    var rounds: [Round] = []
    /// How many of them were asked for so far.
    var roundsMade = 0
    /// What else is on its way.
    var asked: Set<Int> = []
    /// The moves that are still to be made.
    var moves: [TimeMove] = []
    /// What has to be known for the move that is being made.
    var seek: Seek?
    /// What was typed for the moment or the bookmark that is asked for, to be typed on where it is refused.
    var typed: Prompt?
    /// When activity and tail may be asked for again, in microseconds since 1970.
    var quietUntil: Int64 = 0
    /// When what the daemon had no room for is asked for again.
    var retryAt: Int64?
    var isDragging = false
    /// Until when a todo of the past is marked that the record changed, in microseconds since 1970.
    var flashes: [Int64: Int64] = [:]

    /// Whether another moment can be asked for: while one comes the daemon makes the next one ready.
    var canAsk: Bool { rounds.count < 2 }

    /// Whether what is wanted is there, or on its way.
    var isWantedAsked: Bool { rounds.last.map { $0.moment == wanted } ?? (shown == wanted) }

    /// Whether the present is shown.
    var isLive: Bool { wanted == nil && whatIf == nil }

    /// The todos at the moment that is shown; `nil`: those of the present.
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

    /// The line of keys while something is asked or looked at; `nil`: it is that of all keys.
    ///
    /// - Parameter last: the last record of the log.
    /// - Parameter isThere: whether the daemon is there, so that something can be made.
    func keys(at last: UInt64, isThere: Bool) -> [(String, String)]? {
        if let proposal {
            guard proposal.key == nil else { return [("Esc", "close: it is done all the same")] }
            if isThere, proposal.canBeMade(at: last) {
                return [("Enter", "do it"), ("↑ ↓", "scroll"), ("Esc", "leave everything as it is")]
            }
            return (proposal.canBeForced ? [("F", "overwrite")] : []) + [("Esc", "close")]
        }
        if let blame {
            return [("↑ ↓", "move"), ("Enter", "go to its record")] + (blame.isHistory ? [] : [("h", "history")]) + [
                ("Esc", "close")
            ]
        }
        return whatIf.map {
            ($0.isKnown ? [("Enter", "lead there")] : []) + [
                ("Esc", "close"), ("( )", "scroll"), ("?", "all keys"), ("q", "quit"),
            ]
        }
    }

    /// Whether every key is for it, because it asks something.
    var isAsking: Bool { proposal != nil || blame != nil }

    /// What a feature shows at the moment that is shown; `nil` as long as that is not known.
    func view(of feature: String) -> Value? { views[feature]?.view }

    /// How a todo of `todos` is marked, because it differs from what it is compared with.
    func mark(of id: Int64) -> TodoMark? { if let whatIf { whatIf.mark(of: id) } else { difference?.marks[id] } }
}
