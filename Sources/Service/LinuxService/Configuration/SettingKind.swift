package import Logging

/// The reason why a value is invalid, as a sentence without its full stop.
public struct SettingMistake: Error, Sendable {
    package let sentence: String

    /// Creates a mistake.
    public init(_ sentence: String) { self.sentence = sentence }
}

/// Parses and formats the values of a setting.
public struct SettingKind<Value: Sendable>: Sendable {
    package let text: @Sendable (Value) -> String
    package let read: @Sendable (String) throws(SettingMistake) -> Value

    /// Combines a parser and a formatter.
    public init(text: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) throws(SettingMistake) -> Value) {
        self.text = text
        self.read = read
    }
}

extension SettingKind<Int> {
    /// A number within a range.
    public static func number(_ range: ClosedRange<Int>, multipleOf unit: Int = 1) -> SettingKind {
        SettingKind(text: { String($0) }) { text throws(SettingMistake) in
            guard let number = Int(text), range.contains(number) else {
                throw SettingMistake("“\(text)” is not a number from \(range.lowerBound) to \(range.upperBound)")
            }
            guard number.isMultiple(of: unit) else { throw SettingMistake("“\(text)” is not a multiple of \(unit)") }
            return number
        }
    }
}

extension SettingKind<Bool> {
    /// One of two words, which mean true and false.
    public static func choice(_ words: KeyValuePairs<String, Bool>) -> SettingKind {
        SettingKind(text: { value in words.first { $0.value == value }?.key ?? "" }) { text throws(SettingMistake) in
            guard let meant = words.first(where: { $0.key == text })?.value else {
                throw SettingMistake("“\(text)” is neither “\(words[0].key)” nor “\(words[1].key)”")
            }
            return meant
        }
    }
}

extension SettingKind<Logger.Level> {
    package static let logLevel = SettingKind(text: \.rawValue) { text throws(SettingMistake) in
        guard let level = Logger.Level(rawValue: text) else {
            throw SettingMistake("“\(text)” is none of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return level
    }
}
