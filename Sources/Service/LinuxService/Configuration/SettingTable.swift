/// All settings of a program, by name.
package struct SettingTable: Sendable {
    private let program, interfaces: String
    /// The prefix of every setting of the program; an unknown name with this prefix is a mistake.
    let prefix: String
    /// The settings, in the order of their file.
    package let all: [Setting]
    private let byName: [String: Setting]

    init(program: String, interfaces: String, further: [Setting] = []) {
        let prefix = String(program.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + "_"
        (self.program, self.interfaces) = (program, interfaces)
        self.prefix = prefix
        all = Setting.ofEveryDaemon + further
        byName = Dictionary(uniqueKeysWithValues: all.map { (prefix + $0.key, $0) })
    }

    /// The setting with a name such as `TODOD_MAP_SIZE`.
    package func named(_ name: String) -> Setting? { byName[name] }

    /// The name of a setting in the environment and in the file.
    package func name(of setting: Setting) -> String { prefix + setting.key }

    /// The text of a configuration file that sets nothing: the description and default of each setting.
    package var file: String {
        let head = """
            {program}'s configuration: every key with its default. Flags win over the environment, the environment wins over this file.
            Read from /etc/{program}/{program}.env by the system's daemon, from ~/.config/{program}/{program}.env by a user's, or from --config FILE.
            Check it with: {program} --check-config
            """
        let rows = all.map { comment($0.meaning) + "\n# \(name(of: $0))=\($0.initial)" }
        return ([comment(head)] + rows).joined(separator: "\n\n")
    }

    private func comment(_ text: String) -> String {
        let text = text.replacing("{program}", with: program).replacing("{interfaces}", with: interfaces)
        return "# " + text.replacing("\n", with: "\n# ")
    }
}
