/// What a person did at a terminal.
public enum ScreenKey: Sendable, Hashable {
    /// A letter, a digit, a sign or a space.
    case character(Character)
    /// A letter with Ctrl, in lower case.
    case control(Character)
    /// A letter, a digit or a sign with Alt.
    case alt(Character)
    case enter
    case escape
    case backspace
    case delete
    case insert
    case tab
    case backTab
    /// An arrow, with what was held down, where the terminal says so.
    case arrow(Arrow, Modifiers = [])
    case home
    case end
    case pageUp
    case pageDown
    /// F1 is 1.
    case function(Int)
    /// What was pasted, as one; each end of a line is a line feed.
    case paste(String)
    case mouse(MouseEvent)
    /// The screen has another size now.
    case resize(Size)

    /// An arrow without anything held down.
    public static let up = arrow(.up)
    /// An arrow without anything held down.
    public static let down = arrow(.down)
    /// An arrow without anything held down.
    public static let left = arrow(.left)
    /// An arrow without anything held down.
    public static let right = arrow(.right)

    /// Where an arrow points to.
    public enum Arrow: Sendable, Hashable, CaseIterable {
        case up
        case down
        case left
        case right
    }

    /// Keys that are held down.
    public struct Modifiers: OptionSet, Sendable, Hashable {
        /// The keys as bits.
        public let rawValue: UInt8
        /// The keys of some bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let shift = Modifiers(rawValue: 1)
        /// Alt, or what the terminal takes for it.
        public static let alt = Modifiers(rawValue: 2)
        /// Ctrl.
        public static let control = Modifiers(rawValue: 4)
    }
}

/// What the mouse did.
public struct MouseEvent: Sendable, Hashable {
    public var kind: Kind
    public var position: Position
    /// What was held down.
    public var modifiers: ScreenKey.Modifiers

    /// An event.
    public init(_ kind: Kind, at position: Position, _ modifiers: ScreenKey.Modifiers = []) {
        self.kind = kind
        self.position = position
        self.modifiers = modifiers
    }

    /// What a mouse can do.
    public enum Kind: Sendable, Hashable {
        /// A button is down.
        case press(Button)
        /// It moved while a button was down.
        case drag(Button)
        /// It is up again.
        case release(Button)
        /// The wheel, away from the person.
        case wheelUp
        /// The wheel, towards the person.
        case wheelDown
    }

    public enum Button: Sendable, Hashable {
        case left
        case middle
        case right
    }
}
