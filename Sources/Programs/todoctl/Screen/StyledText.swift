/// What a piece of text on the screen means; how that looks is decided in one place.
enum TextRole: Hashable {
    case plain
    case dim
    case bold
    case heading
    case overdue
    case due
    case high
    case priority
    case tag
    case done
    /// What was changed by somebody else a moment ago.
    case flash
    case marked
    case good
    case failure
    case warning
    /// The frame, and what says that this is the past.
    case frame
    case past
    case added
    case removed
    case changed
    case live
}

/// A piece of text with its meaning.
struct StyledText: Equatable {
    var text: String
    var role: TextRole

    init(_ text: String, _ role: TextRole = .plain) { (self.text, self.role) = (text, role) }
}
