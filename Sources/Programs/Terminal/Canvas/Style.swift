/// How a cell looks, by what its colours are for; what a terminal can show of it is decided where it is drawn.
public struct Style: Sendable, Hashable {
    /// The colour of the text.
    public var tint: Tint
    /// What is behind it.
    public var ground: Ground
    /// How the text is set.
    public var traits: Traits

    /// A style; without arguments as the terminal shows text.
    public init(_ tint: Tint = .plain, on ground: Ground = .plain, _ traits: Traits = []) {
        self.tint = tint
        self.ground = ground
        self.traits = traits
    }

    /// As the terminal shows text.
    public static let plain = Style()

    /// The same with further traits.
    public func adding(_ traits: Traits) -> Style { Style(tint, on: ground, self.traits.union(traits)) }

    /// The same before another ground.
    public func on(_ ground: Ground) -> Style { Style(tint, on: ground, traits) }

    /// A colour of text, which can be read on black and on white.
    public enum Tint: UInt8, Sendable, Hashable, CaseIterable {
        /// The terminal's own, light or dark.
        case plain
        /// Of what matters less; dim where there is no grey.
        case faint
        case red
        case green
        case yellow
        case blue
        case magenta
        case cyan
    }

    /// What is behind text.
    ///
    /// On every ground but the plain one the text is in the ground's own ink, whatever its tint: colours that can be read on all of
    /// them there are none. Where there are no colours, the text is reversed instead.
    public enum Ground: UInt8, Sendable, Hashable, CaseIterable {
        /// The terminal's own, light or dark.
        case plain
        /// Of bars and headings.
        case bar
        case chosen
        /// Of what has changed a moment ago.
        case changed
        case past
        /// Of what is only tried out.
        case tried
        /// Of what went wrong.
        case alarm
    }

    /// How text is set; a terminal that knows one of them not leaves it out.
    public struct Traits: OptionSet, Sendable, Hashable {
        /// The traits as bits.
        public let rawValue: UInt8
        /// The traits of some bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Heavier, or brighter.
        public static let bold = Traits(rawValue: 1)
        /// Less bright.
        public static let dim = Traits(rawValue: 2)
        /// Ground and text change places.
        public static let reverse = Traits(rawValue: 4)
        /// With a line below.
        public static let underline = Traits(rawValue: 8)
        /// With a line through it.
        public static let strike = Traits(rawValue: 16)
    }
}
