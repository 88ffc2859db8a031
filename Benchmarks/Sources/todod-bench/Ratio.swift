/// A figure with a bound.
struct Ratio: Sendable {
    var part = ""
    var name: String
    var value: Double
    var bound: Bound

    var isMet: Bool {
        switch bound {
        case .atLeast(let least): value >= least
        case .atMost(let most): value <= most
        }
    }

    var boundText: String {
        switch bound {
        case .atLeast(let least): "at least \(Figure.text(least))"
        case .atMost(let most): "at most \(Figure.text(most))"
        }
    }
}

extension Ratio: Encodable {
    private enum Key: String, CodingKey { case part, name, value, bound, met }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(part, forKey: .part)
        try container.encode(name, forKey: .name)
        try container.encode(value, forKey: .value)
        try container.encode(boundText, forKey: .bound)
        try container.encode(isMet, forKey: .met)
    }
}
