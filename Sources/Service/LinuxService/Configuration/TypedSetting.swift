/// A setting with a value of some kind: all that is known of it, in one row.
///
/// ```swift
/// static let seconds = TypedSetting("HTTP_SECONDS", 20, .number(1...30), "Seconds that a call to the web may take.")
/// ... Program(name: "todod", version: "1.0.0", settings: [seconds.row]) ... configuration[seconds]
/// ```
public struct TypedSetting<Value: Sendable>: Sendable {
    /// Its untyped definition.
    public let row: Setting
    package let initial: Value
    package let kind: SettingKind<Value>

    /// Creates a setting.
    /// - Parameters:
    ///   - key: the name after the prefix of the program.
    ///   - initial: the default.
    ///   - meaning: the description for the configuration file.
    public init(_ key: String, _ initial: Value, _ kind: SettingKind<Value>, _ meaning: String) {
        self.initial = initial
        self.kind = kind
        row = Setting(key, meaning, initial: kind.text(initial), text: { $0.told[key] ?? kind.text(initial) }) {
            text, configuration, _ in
            do throws(SettingMistake) {
                let told = kind.text(try kind.read(text))
                configuration.told[key] = told == kind.text(initial) ? nil : told
                return nil
            } catch {
                return error.sentence
            }
        }
    }
}

extension Configuration {
    /// The effective value.
    public subscript<Value>(_ setting: TypedSetting<Value>) -> Value {
        guard let text = told[setting.row.key] else { return setting.initial }
        // Only valid values are stored.
        return (try? setting.kind.read(text)) ?? setting.initial
    }
}
