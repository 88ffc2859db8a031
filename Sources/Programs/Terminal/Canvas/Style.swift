/// The look of a cell, by roles; `DrawEncoder` maps it to what the terminal can show.
public struct Style: Sendable, Hashable {
    public var tint: Tint
    public var background: Background
    public var traits: Traits

    public init(_ tint: Tint = .plain, on background: Background = .plain, _ traits: Traits = []) {
        self.tint = tint
        self.background = background
        self.traits = traits
    }

    public static let plain = Style()

    public func on(_ background: Background) -> Style { Style(tint, on: background, traits) }

    /// A text colour that is readable on black and on white.
    public enum Tint: UInt8, Sendable, Hashable, CaseIterable {
        case plain
        /// Less important text; dim on terminals without grey.
        case faint
        case red, green, yellow, blue, magenta, cyan
    }

    /// A background.
    ///
    /// On every background but `plain` the text uses the background's own ink instead of its tint, because no tint is readable on all
    /// grounds. Terminals without colours show reversed text.
    public enum Background: UInt8, Sendable, Hashable, CaseIterable {
        case plain, bar, chosen, changed, past
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

public enum ColourDepth: Sendable, CaseIterable {
    case none, eight, indexed, direct

    /// The terminal's depth; none if the user sets NO_COLOR (https://no-color.org).
    public init(of terminal: TerminalDescription, environment: (String) -> String?) {
        guard (environment("NO_COLOR") ?? "").isEmpty, terminal.colours >= 8 else {
            self = .none
            return
        }
        let declared = environment("COLORTERM") ?? ""
        if terminal.hasTrueColour || declared == "truecolor" || declared == "24bit" {
            self = .direct
        } else {
            self = terminal.colours >= 256 ? .indexed : .eight
        }
    }
}

/// One colour in each depth.
struct PaletteColour {
    let red: UInt8
    let green: UInt8
    let blue: UInt8
    /// Index among 256 colours.
    let index: Int
    /// Index among the 8 basic colours.
    let basic: Int

    init(_ rgb: UInt32, _ index: Int, _ basic: Int) {
        red = UInt8(truncatingIfNeeded: rgb >> 16)
        green = UInt8(truncatingIfNeeded: rgb >> 8)
        blue = UInt8(truncatingIfNeeded: rgb)
        self.index = index
        self.basic = basic
    }
}

extension Style.Tint {
    /// Its colour; `nil` for the terminal's default.
    ///
    /// The brightness contrasts with black and white alike, because the background is unknown.
    var colour: PaletteColour? {
        switch self {
        case .plain: nil
        case .faint: PaletteColour(0x757575, 102, 0)
        case .red: PaletteColour(0xCC4848, 167, 1)
        case .green: PaletteColour(0x1B8733, 29, 2)
        case .yellow: PaletteColour(0x947009, 94, 3)
        case .blue: PaletteColour(0x4071D8, 62, 4)
        case .magenta: PaletteColour(0xB549B5, 133, 5)
        case .cyan: PaletteColour(0x12828C, 30, 6)
        }
    }
}

extension Style.Background {
    /// The background and its text colour; `nil` for the terminal's default.
    var colours: (background: PaletteColour, ink: PaletteColour)? {
        let black = PaletteColour(0x000000, 16, 0)
        let white = PaletteColour(0xFFFFFF, 231, 7)
        return switch self {
        case .plain: nil
        case .bar: (PaletteColour(0x444444, 238, 7), ink: PaletteColour(0xFFFFFF, 231, 0))
        case .chosen: (PaletteColour(0x1F4E8C, 24, 4), ink: white)
        case .changed: (PaletteColour(0xA6DDAA, 151, 2), ink: black)
        case .past: (PaletteColour(0xF0C040, 221, 3), ink: black)
        case .tried: (PaletteColour(0x6B2F8A, 54, 5), ink: white)
        case .alarm: (PaletteColour(0xA32020, 124, 1), ink: white)
        }
    }
}
