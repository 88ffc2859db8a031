/// Applies the layers in order of precedence, and checks every value of each, to report all mistakes at once.
struct ConfigurationCheck {
    let program: String
    let settings: SettingTable
    let surroundings: Setting.Surroundings

    var mistakes: [String] = []
    /// The effective value of each key that is set, and its origin.
    private(set) var values: [Setting: (text: String, origin: SettingOrigin)] = [:]

    private var ofFile: [Setting: String] = [:]

    init(_ program: Program, _ surroundings: Setting.Surroundings) {
        self.program = program.name
        settings = program.settings
        self.surroundings = surroundings
    }

    mutating func take(_ file: ConfigurationFile?) {
        guard let file else { return }
        mistakes += file.mistakes.map { "\(file.path):\($0.line): \($0.message)" }
        for setting in file.settings {
            let place = SettingOrigin.file(path: file.path, line: setting.line)
            guard let key = known(setting.name, at: "\(place): ") else { continue }
            if key.isPath, !setting.value.isEmpty, !setting.value.hasPrefix("/") {
                mistakes.append("\(place): \(settings.name(of: key)): “\(setting.value)” is not an absolute path.")
            } else {
                check(setting.value, of: key, at: "\(place): ", from: place)
            }
            ofFile[key] = setting.value
        }
    }

    mutating func take(environment: [String: String]) {
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
            // systemd may also have put the file into the environment: report a mistake in it once.
            if let key = settings.named(name), ofFile[key] == value { continue }
            guard let key = known(name, at: "environment: ") else { continue }
            check(value, of: key, at: "environment: ", from: .environment)
        }
    }

    mutating func take(flags: [Setting: String]) {
        for (key, value) in flags { check(value, of: key, at: "command line: ", from: .flag) }
    }

    /// The key with a name; `nil` for foreign names, and with a mistake for one that has our prefix.
    private mutating func known(_ name: String, at place: String) -> Setting? {
        if let key = settings.named(name) { return key }
        if name.uppercased().hasPrefix(settings.prefix) { mistakes.append("\(place)\(name) is no key of \(program).") }
        return nil
    }

    private mutating func check(_ value: String, of key: Setting, at place: String, from origin: SettingOrigin) {
        guard !value.isEmpty else {
            // The last line of a file counts, and an empty value resets the lines above it.
            if case .file = origin { values[key] = nil }
            return
        }
        values[key] = (value, origin)
        var unused = Configuration(dataDirectory: "", socket: "", access: AccessList())
        if let mistake = key.apply(value, &unused, surroundings) {
            mistakes.append("\(place)\(settings.name(of: key)): \(mistake).")
        }
    }
}
