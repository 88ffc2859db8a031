import Terminal

struct Playback: Equatable {
    static let speedMax = 1024.0
    static let speedMin = 1.0 / 16

    private(set) var range: ClosedRange<Int64>
    private(set) var current: Int64
    private(set) var speed: Double
    private(set) var isPaused: Bool

    init(_ range: ClosedRange<Int64>, speed: Double, isPaused: Bool) {
        self.range = range
        self.speed = min(max(speed, Self.speedMin), Self.speedMax)
        self.isPaused = isPaused
        current = range.lowerBound
    }

    /// Microseconds until the next record; `nil` while it waits for a key.
    var pause: Int64? { isPaused || isAtEnd ? nil : Int64(1_000_000 / speed) }

    var isAtEnd: Bool { current >= range.upperBound }

    mutating func extend(to last: Int64) { range = range.lowerBound...max(range.upperBound, last) }

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
        // `ReplayPlayer` finds the target in the log and calls `go(to:)`.
        case .nextChange, .lastChange: break
        }
    }

    mutating func go(to sequence: Int64) {
        isPaused = true
        current = min(max(sequence, range.lowerBound), range.upperBound)
    }

    /// `▶ ━━━━━━──── 57 of 123  4/s  space ← → c + - q`, cut to the terminal's width.
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

enum PlaybackKey: Equatable {
    case pause, forward, backward, faster, slower, first, last, nextChange, lastChange

    init?(_ key: ScreenKey) {
        switch key {
        case .character(" "): self = .pause
        case .arrow(.right, _), .character("n"), .character("l"): self = .forward
        case .arrow(.left, _), .character("p"), .character("h"): self = .backward
        case .arrow(.up, _), .character("+"), .character("="): self = .faster
        case .arrow(.down, _), .character("-"): self = .slower
        case .home, .character("g"): self = .first
        case .end, .character("G"): self = .last
        case .character("c"): self = .nextChange
        case .character("C"): self = .lastChange
        default: return nil
        }
    }
}
