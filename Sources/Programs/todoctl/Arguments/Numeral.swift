import ArgumentParser

/// Reads the numbers of a command line, and says of what is none which are meant.
///
/// Their options take whatever stands behind them, so that `-1` is told to be no such number, and not taken for an option.
enum Numeral {
    /// A whole number from a least one on; of one that is too large it is told how large it may be.
    static func whole<Number: FixedWidthInteger & Sendable>(from least: Number) -> @Sendable (String) throws -> Number {
        { text in
            guard let number = Number(text), number >= least else {
                let isNumber = !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                let most = isNumber && Number(text) == nil ? " to \(Number.max)" : ""
                throw ValidationError("a whole number from \(least)\(most) is expected.")
            }
            return number
        }
    }

    /// A whole number of a range.
    static func whole(in range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
        { text in
            guard let number = Int(text), range.contains(number) else {
                throw ValidationError("a whole number from \(range.lowerBound) to \(range.upperBound) is expected.")
            }
            return number
        }
    }

    /// Seconds, or parts of them, 0 too; as many as can be waited for.
    @Sendable static func seconds(_ text: String) throws -> Double {
        guard let number = Double(text), 0...1_000_000_000 ~= number else {
            throw ValidationError("a number of seconds from 0 is expected.")
        }
        return number
    }

    /// How fast something goes.
    @Sendable static func speed(_ text: String) throws -> Double {
        guard let number = Double(text), 0.001...1_000_000 ~= number else {
            throw ValidationError("a number from 0.001 to 1000000 is expected.")
        }
        return number
    }
}
