import TestSupport

/// Keys like those of todoctl, reproducible from a seed.
struct Keys: Sendable {
    private var generator: SeededGenerator
    private var time: UInt64

    init(seed: UInt64) {
        generator = SeededGenerator(seed)
        time = 1_700_000_000_000_000 + seed
    }

    mutating func next() -> String {
        time += 1
        return Self.hex(time) + Self.hex(generator.next())
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
