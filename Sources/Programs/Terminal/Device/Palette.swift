public enum ColourDepth: Sendable, CaseIterable {
    case none
    case eight
    case indexed
    case direct

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
