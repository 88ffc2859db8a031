import ArgumentParser

/// Parses numbers of the command line; errors name the valid range.
///
/// Their options use `.unconditional` parsing, so that `-1` is refused as a number instead of an option.
enum Numeral {
    /// A whole number with a minimum; the error for a number that is too large names the maximum.
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

    static func whole(in range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
        { text in
            guard let number = Int(text), range.contains(number) else {
                throw ValidationError("a whole number from \(range.lowerBound) to \(range.upperBound) is expected.")
            }
            return number
        }
    }

    /// Seconds, possibly fractional or 0.
    @Sendable static func seconds(_ text: String) throws -> Double {
        guard let number = Double(text), 0...1_000_000_000 ~= number else {
            throw ValidationError("a number of seconds from 0 is expected.")
        }
        return number
    }

    @Sendable static func speed(_ text: String) throws -> Double {
        guard let number = Double(text), 0.001...1_000_000 ~= number else {
            throw ValidationError("a number from 0.001 to 1000000 is expected.")
        }
        return number
    }
}
