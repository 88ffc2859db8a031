import Configuration
import Logging

/// Looks at every value of every layer before one is used, so that a person is told of all mistakes at once.
///
/// The providers answer by key alone: that a key is unknown, and on which line a value stands, only this knows.
struct ConfigurationCheck {
    var premises: Premises
    var workingDirectory: String
    var accounts: Accounts

    /// One line for each mistake.
    var mistakes: [String] = []
    /// Where the value in force comes from, of every key that somebody set.
    private(set) var origins: [ConfigurationKey: Origin] = [:]
    /// The layers that hold something, the one that wins first.
    private(set) var providers: [any ConfigProvider] = [InMemoryProvider(name: "defaults", values: [:])]

    private var ofFile: [ConfigurationKey: String] = [:]

    init(premises: Premises, workingDirectory: String, accounts: Accounts) {
        self.premises = premises
        self.workingDirectory = workingDirectory
        self.accounts = accounts
    }

    mutating func take(_ file: ConfigurationFile?) {
        guard let file else { return }
        mistakes += file.mistakes.map { "\(file.path):\($0.line): \($0.message)" }
        for setting in file.settings {
            let place = Origin.file(path: file.path, line: setting.line)
            guard let key = known(setting.name, at: "\(place): ") else { continue }
            // A service starts in the root directory, so a relative path in a file would be an accident.
            if key == .data || key == .socket, !setting.value.isEmpty, !setting.value.hasPrefix("/") {
                mistakes.append("\(place): \(key.rawValue): “\(setting.value)” is not an absolute path.")
            } else {
                check(setting.value, of: key, at: "\(place): ", from: place)
            }
            ofFile[key] = setting.value
        }
        let values = ofFile.filter { !$0.value.isEmpty }.map { ($0.key.rawValue, $0.value) }
        providers.insert(EnvironmentVariablesProvider(environmentVariables: Dictionary(uniqueKeysWithValues: values)), at: 0)
    }

    mutating func take(environment: [String: String]) {
        var values: [String: String] = [:]
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
            // systemd may have put the file into the environment as well: a mistake in it is told once.
            if let key = ConfigurationKey(rawValue: name), ofFile[key] == value { continue }
            guard let key = known(name, at: "environment: ") else { continue }
            check(value, of: key, at: "environment: ", from: .environment)
            if !value.isEmpty { values[name] = value }
        }
        providers.insert(EnvironmentVariablesProvider(environmentVariables: values), at: 0)
    }

    mutating func take(flags: [ConfigurationKey: String]) {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, value) in flags {
            check(value, of: key, at: "command line: ", from: .flag)
            values[AbsoluteConfigKey(key.components)] = ConfigValue(.string(value), isSecret: false)
        }
        providers.insert(InMemoryProvider(name: "flags", values: values), at: 0)
    }

    /// The key with a name; nil for the names of others, and with a mistake for one that only looks like ours.
    private mutating func known(_ name: String, at place: String) -> ConfigurationKey? {
        if let key = ConfigurationKey(rawValue: name) { return key }
        if name.uppercased().hasPrefix(ConfigurationKey.prefix) {
            mistakes.append("\(place)\(name) is no key of todod.")
        }
        return nil
    }

    private mutating func check(_ value: String, of key: ConfigurationKey, at place: String, from origin: Origin) {
        guard !value.isEmpty else {
            // In a file the last of several counts, and an empty one takes back what stands above it.
            if case .file = origin { origins[key] = nil }
            return
        }
        origins[key] = origin
        var unused = Configuration(dataDirectory: "", socket: "", access: AccessList())
        if let mistake = mistake(applying: value, of: key, to: &unused) {
            mistakes.append("\(place)\(key.rawValue): \(mistake).")
        }
    }

    /// Puts a value in its place.
    ///
    /// One that is wrong was told of when its layer was taken, and changes nothing.
    func apply(_ value: String, of key: ConfigurationKey, to configuration: inout Configuration) {
        _ = mistake(applying: value, of: key, to: &configuration)
    }

    private func mistake(applying value: String, of key: ConfigurationKey, to configuration: inout Configuration) -> String? {
        switch key {
        case .data:
            configuration.dataDirectory = absolute(value)
        case .socket:
            guard let address = UnixAddress(absolute(value)) else {
                return "“\(value)” has more than \(UnixAddress.pathBytesMax) bytes, more than the path of a socket can have"
            }
            configuration.socket = address.name
        case .allow:
            do throws(AccessList.Mistake) {
                configuration.access = try AccessList(
                    parsing: value, owner: premises.uid, soleUID: premises.soleUID, accounts: accounts)
            } catch {
                return error.message
            }
        case .logLevel:
            guard let level = Logger.Level(rawValue: value) else {
                let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                return "“\(value)” is none of \(levels)"
            }
            configuration.logLevel = level
        case .todoSource:
            guard let place = SourcePlace(value) else {
                return "“\(value)” is neither “bundled” nor an absolute path nor an http or https address"
            }
            configuration.todoSource = place
        case .loadWhenEmpty:
            guard value == "yes" || value == "no" else { return "“\(value)” is neither “yes” nor “no”" }
            configuration.loadsWhenEmpty = value == "yes"
        case .postSource:
            guard let place = SourcePlace(value), !place.isFile else {
                return "“\(value)” is neither “bundled” nor an http or https address"
            }
            configuration.postSource = place
        case .repositorySource:
            guard value == "bundled" || value == "github" else { return "“\(value)” is neither “bundled” nor “github”" }
            configuration.searchesGitHub = value == "github"
        case .gitHubURL:
            guard SourcePlace.isWebAddress(value), !value.utf8.contains(UInt8(ascii: "?")) else {
                return "“\(value)” is no http or https address without a query"
            }
            configuration.gitHubURL = value
        case .gitHubTokenFile:
            guard value.hasPrefix("/") else { return "“\(value)” is not an absolute path" }
            configuration.gitHubTokenFile = value
        default:
            guard let place = Configuration.number(key), let range = key.range else { return nil }
            guard let number = Int(value), range.contains(number) else {
                return "“\(value)” is not a number from \(range.lowerBound) to \(range.upperBound)"
            }
            guard key != .mapSize || number % 4096 == 0 else { return "“\(value)” is not a multiple of 4096" }
            configuration[keyPath: place] = number
        }
        return nil
    }

    private func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : (workingDirectory == "/" ? "/" : workingDirectory + "/") + path
    }
}
