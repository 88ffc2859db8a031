/// The role of a text on the screen; `Style.of` maps it to a style.
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
    /// Recently changed by another client.
    case flash
    case marked
    case good
    case failure
    case warning
    /// The frame; `past` marks frames and titles of the past.
    case frame
    case past
    case added
    case removed
    case changed
    case live
}

struct StyledText: Equatable {
    var text: String
    var role: TextRole

    init(_ text: String, _ role: TextRole = .plain) { (self.text, self.role) = (text, role) }
}
