import Reducing
import Terminal

/// The strip of time at the bottom, and the past that is shown in place of the present.
///
/// Its calls carry tags of the part `time`; it is told of everything that happens, and holds what it knows.
struct TimePart {
    /// Whether the present is shown.
    var isLive: Bool { true }
    /// The todos at the moment that is shown; `nil`: those of the present.
    var todos: TodoList?
    /// Whether every key is for it, because it asks something.
    var isAsking: Bool { false }

    /// What a feature shows at the moment that is shown; `nil` as long as that is not known.
    func view(of feature: String) -> Value? { nil }

    /// How a todo of `todos` is marked, because it differs from what it is compared with.
    func mark(of id: Int64) -> TodoMark? { nil }
}

extension ScreenModel {
    /// What the keys of this part are, for `?` and for the line of keys.
    static var timeKeys: [KeyHelp] { [] }

    /// When something here is to change by itself, in microseconds since 1970: `clock` is told then.
    var timeWake: Int64? { nil }

    /// Takes a key that nothing is typed with; `nil`: it is none of this part's.
    mutating func pressTime(_ key: ScreenKey) -> [ScreenRequest]? { nil }

    /// Takes a line that was typed after `prompt = .time(purpose, TextEntry())`.
    mutating func typedTime(_ purpose: Int, _ text: String) -> [ScreenRequest] { [] }

    /// Takes an event that is no key: replies to its own calls, `clock`, `connected` (before which all calls are forgotten), `away`, `size`.
    mutating func updateTime(_ event: ScreenEvent) -> [ScreenRequest] { [] }

    /// Shows the strip.
    func renderStrip(into canvas: inout Canvas, _ region: ScreenRegion) {}

    /// Shows what belongs to the moment in place of what is known of the selection.
    ///
    /// - Returns: whether it did.
    func renderMoment(into canvas: inout Canvas, _ region: ScreenRegion) -> Bool { false }

    /// What the heading says at its right: `● LIVE`, or which moment is shown.
    var momentTitle: String { "● LIVE" }
}
