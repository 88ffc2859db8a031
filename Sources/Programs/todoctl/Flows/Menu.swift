import Terminal

/// A menu with a selection that keys control.
struct Menu: Equatable {
    /// The result of a key.
    enum Outcome: Equatable {
        /// The option at this index.
        case chosen(Int)
        case cancelled
    }

    private(set) var options: [String]
    private(set) var marked = 0
    private var digits = ""

    init(_ options: [String]) { self.options = options }

    /// Replaces the options and keeps the selection if it is still there.
    mutating func offer(_ others: [String]) {
        let name = options.indices.contains(marked) ? options[marked] : nil
        options = others
        marked = name.flatMap { name in others.firstIndex { $0 == name } } ?? 0
        digits = ""
    }

    /// Handles a key; `nil` means that the menu stays open.
    mutating func press(_ key: MenuKey) -> Outcome? {
        guard case .digit(let digit) = key else {
            digits = ""
            return pressOther(key)
        }
        // A digit extends the number if that is an option, and starts a new number otherwise.
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

    /// The numbered options with a mark at the selected one, limited to the lines around it.
    func lines(atMost room: Int = .max) -> [String] {
        let first = max(0, min(marked - room / 2, options.count - room))
        return options.indices.dropFirst(first).prefix(max(room, 0)).map { place in
            "\(place == marked ? ">" : " ") \(place + 1)  \(Visible.text(options[place]))"
        }
    }
}

enum MenuKey: Equatable {
    case up
    case down
    case first
    case last
    case digit(Int)
    case enter
    case cancel

    /// `nil` if the menu does not use the key.
    init?(_ key: ScreenKey) {
        switch key {
        case .arrow(.up, _), .character("k"): self = .up
        case .arrow(.down, _), .character("j"): self = .down
        case .home, .character("g"): self = .first
        case .end, .character("G"): self = .last
        case .character(let character) where ("0"..."9").contains(character):
            guard let digit = character.wholeNumberValue else { return nil }
            self = .digit(digit)
        case .enter: self = .enter
        case _ where LiveScreen.ends.contains(key): self = .cancel
        default: return nil
        }
    }
}
