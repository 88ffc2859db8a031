/// A choice of one of some names with keys: which is marked, and what a key does to that.
struct Menu: Equatable {
    /// What comes of a key.
    enum Outcome: Equatable {
        /// The name at this place is the answer.
        case chosen(Int)
        /// Nothing is.
        case cancelled
    }

    /// The names.
    private(set) var options: [String]
    /// The one that is marked.
    private(set) var marked = 0
    // The digits of a number that may go on.
    private var digits = ""

    init(_ options: [String]) { self.options = options }

    /// Other names, with the same one marked if it is among them.
    mutating func offer(_ others: [String]) {
        let name = options.indices.contains(marked) ? options[marked] : nil
        options = others
        marked = name.flatMap { name in others.firstIndex { $0 == name } } ?? 0
        digits = ""
    }

    /// Does what a key means; `nil`: it goes on.
    mutating func press(_ key: MenuKey) -> Outcome? {
        guard case .digit(let digit) = key else {
            digits = ""
            return pressOther(key)
        }
        // A digit goes on with the number before it where there is such a name, and begins another one else.
        for number in [digits + String(digit), String(digit)] {
            guard let place = Int(number), options.indices.contains(place - 1) else { continue }
            (digits, marked) = (number, place - 1)
            return nil
        }
        return nil
    }

    private mutating func pressOther(_ key: MenuKey) -> Outcome? {
        switch key {
        case .up: marked = max(marked - 1, 0)
        case .down: marked = min(marked + 1, max(options.count - 1, 0))
        case .first: marked = 0
        case .last: marked = max(options.count - 1, 0)
        case .enter: return options.isEmpty ? nil : .chosen(marked)
        case .cancel: return .cancelled
        case .digit: break
        }
        return nil
    }

    /// The names with their numbers, a mark before one of them.
    var lines: [String] {
        options.enumerated().map { place, name in "\(place == marked ? ">" : " ") \(place + 1)  \(Visible.text(name))" }
    }
}

/// A key that a menu obeys.
enum MenuKey: Equatable {
    case up
    case down
    case first
    case last
    case digit(Int)
    case enter
    case cancel

    /// The keys in what a terminal sent; what means nothing is passed over.
    static func keys(in bytes: [UInt8]) -> [MenuKey] { TerminalKey.keys(in: bytes).compactMap(MenuKey.init) }

    private init?(_ key: TerminalKey) {
        switch key {
        case .up, .byte(UInt8(ascii: "k")): self = .up
        case .down, .byte(UInt8(ascii: "j")): self = .down
        case .home, .byte(UInt8(ascii: "g")): self = .first
        case .end, .byte(UInt8(ascii: "G")): self = .last
        case .byte(let digit) where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit):
            self = .digit(Int(digit - UInt8(ascii: "0")))
        case .byte(UInt8(ascii: "\n")), .byte(UInt8(ascii: "\r")): self = .enter
        case .escape, .byte(UInt8(ascii: "q")), .byte(4): self = .cancel
        case .byte, .left, .right: return nil
        }
    }
}
