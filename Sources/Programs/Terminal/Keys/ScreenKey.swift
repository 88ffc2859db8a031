public enum ScreenKey: Sendable, Hashable {
    case character(Character)
    case control(Character)
    case alt(Character)
    case enter, escape, backspace, delete, insert, tab, backTab
    case arrow(Arrow, Modifiers = [])
    case home, end, pageUp, pageDown
    case function(Int)
    case paste(String)
    case mouse(MouseEvent)
    case resize(Size)

    public static let up = arrow(.up)
    public static let down = arrow(.down)
    public static let left = arrow(.left)
    public static let right = arrow(.right)

    public enum Arrow: Sendable, Hashable, CaseIterable {
        case up, down, left, right
    }

    public struct Modifiers: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let shift = Modifiers(rawValue: 1)
        public static let alt = Modifiers(rawValue: 2)
        public static let control = Modifiers(rawValue: 4)
    }
}

public struct MouseEvent: Sendable, Hashable {
    public var kind: Kind
    public var position: Position
    public var modifiers: ScreenKey.Modifiers

    public init(_ kind: Kind, at position: Position, _ modifiers: ScreenKey.Modifiers = []) {
        self.kind = kind
        self.position = position
        self.modifiers = modifiers
    }

    public enum Kind: Sendable, Hashable {
        case press(Button)
        case drag(Button)
        case release(Button)
        /// Away from the user.
        case wheelUp
        /// Towards the user.
        case wheelDown
    }

    public enum Button: Sendable, Hashable {
        case left, middle, right
    }
}
