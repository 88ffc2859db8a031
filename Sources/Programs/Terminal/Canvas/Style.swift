/// The look of a cell, by roles; `DrawEncoder` maps it to what the terminal can show.
public struct Style: Sendable, Hashable {
    public var tint: Tint
    /// The background.
    public var background: Background
    public var traits: Traits

    public init(_ tint: Tint = .plain, on background: Background = .plain, _ traits: Traits = []) {
        self.tint = tint
        self.background = background
        self.traits = traits
    }

    public static let plain = Style()

    public func adding(_ traits: Traits) -> Style { Style(tint, on: background, self.traits.union(traits)) }

    public func on(_ background: Background) -> Style { Style(tint, on: background, traits) }

    /// A text colour that is readable on black and on white.
    public enum Tint: UInt8, Sendable, Hashable, CaseIterable {
        case plain
        /// Less important text; dim on terminals without grey.
        case faint
        case red
        case green
        case yellow
        case blue
        case magenta
        case cyan
    }

    /// A background.
    ///
    /// On every background but `plain` the text uses the background's own ink instead of its tint, because no tint is readable on all
    /// grounds. Terminals without colours show reversed text.
    public enum Background: UInt8, Sendable, Hashable, CaseIterable {
        case plain
        case bar
        case chosen
        case changed
        case past
        /// A what-if state.
        case tried
        case alarm
    }

    /// Text attributes; terminals omit those that they don't support.
    public struct Traits: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let bold = Traits(rawValue: 1)
        public static let dim = Traits(rawValue: 2)
        public static let reverse = Traits(rawValue: 4)
        public static let underline = Traits(rawValue: 8)
        public static let strike = Traits(rawValue: 16)
    }
}
