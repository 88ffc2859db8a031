import Terminal

/// Where a replay is, how fast it plays, and what a key does to that.
struct Playback: Equatable {
    /// Records a second.
    static let speedMax = 1024.0
    static let speedMin = 1.0 / 16

    private(set) var range: ClosedRange<Int64>
    private(set) var current: Int64
    private(set) var speed: Double
    private(set) var isPaused: Bool
    private(set) var isOver = false

    init(_ range: ClosedRange<Int64>, speed: Double, isPaused: Bool) {
        self.range = range
        self.speed = min(max(speed, Self.speedMin), Self.speedMax)
        self.isPaused = isPaused
        current = range.lowerBound
    }

    /// Microseconds until the next record; `nil`: it waits for a key.
    var pause: Int64? { isPaused || isAtEnd ? nil : Int64(1_000_000 / speed) }

    /// Whether there is nothing behind it.
    var isAtEnd: Bool { current >= range.upperBound }

    /// The log has grown: there is more to play.
    mutating func extend(to last: Int64) { range = range.lowerBound...max(range.upperBound, last) }

    /// The time for a record is over.
    mutating func advance() { if current < range.upperBound { current += 1 } }

    mutating func press(_ key: PlaybackKey) {
        switch key {
        case .pause: isPaused.toggle()
        case .forward:
            isPaused = true
            advance()
        case .backward:
            isPaused = true
            if current > range.lowerBound { current -= 1 }
        case .faster: speed = min(speed * 2, Self.speedMax)
        case .slower: speed = max(speed / 2, Self.speedMin)
        case .first:
            isPaused = true
            current = range.lowerBound
        case .last:
            isPaused = true
            current = range.upperBound
        case .quit: isOver = true
        // Where they lead only the log tells: `go(to:)`.
        case .nextChange, .lastChange: break
        }
    }

    /// Goes to a record, and waits there.
    mutating func go(to sequence: Int64) {
        isPaused = true
        current = min(max(sequence, range.lowerBound), range.upperBound)
    }

    /// `▶ ━━━━━━──── 57 of 123  4/s  space ← → c + - q`, no wider than the terminal.
    func bar(columns: Int) -> String {
        let mark = isPaused ? "‖" : "▶"
        let place = " \(current) of \(range.upperBound)"
        let rate = speed >= 1 ? "\(Int(speed))/s" : "1/\(Int(1 / speed))s"
        let legend = "  \(rate)  space ← → c + - q"
        let length = min(40, columns - Width.columns(mark + place + legend) - 2)
        guard length >= 4 else { return mark + place }
        let span = range.upperBound - range.lowerBound
        let filled = span == 0 ? length : Int(Int64(length) * (current - range.lowerBound) / span)
        let line = String(repeating: "━", count: filled) + String(repeating: "─", count: length - filled)
        return "\(mark) \(line)\(place)\(legend)"
    }
}

/// A key that a replay obeys.
enum PlaybackKey: Equatable {
    case pause
    case forward
    case backward
    case faster
    case slower
    case first
    case last
    case nextChange
    case lastChange
    case quit

    /// The keys in what a terminal sent; what means nothing is passed over.
    static func keys(in bytes: [UInt8]) -> [PlaybackKey] { TerminalKey.keys(in: bytes).compactMap(PlaybackKey.init) }

    private init?(_ key: TerminalKey) {
        switch key {
        case .byte(UInt8(ascii: " ")): self = .pause
        case .right, .byte(UInt8(ascii: "n")), .byte(UInt8(ascii: "l")): self = .forward
        case .left, .byte(UInt8(ascii: "p")), .byte(UInt8(ascii: "h")): self = .backward
        case .up, .byte(UInt8(ascii: "+")), .byte(UInt8(ascii: "=")): self = .faster
        case .down, .byte(UInt8(ascii: "-")): self = .slower
        case .home, .byte(UInt8(ascii: "g")): self = .first
        case .end, .byte(UInt8(ascii: "G")): self = .last
        case .byte(UInt8(ascii: "c")): self = .nextChange
        case .byte(UInt8(ascii: "C")): self = .lastChange
        // Ctrl-C and Ctrl-D come as bytes, because the terminal is told to leave them alone.
        case .byte(UInt8(ascii: "q")), .byte(3), .byte(4): self = .quit
        case .byte, .escape: return nil
        }
    }
}
