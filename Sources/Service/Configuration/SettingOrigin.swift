/// Where the value of a setting comes from.
enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
    /// The command line.
    case flag
    /// The environment of the process.
    case environment
    /// A line of the configuration file.
    case file(path: String, line: Int)
    /// Nobody set it.
    case byDefault

    /// How it is told to a person.
    var description: String {
        switch self {
        case .flag: "command line"
        case .environment: "environment"
        case .file(let path, let line): "\(path):\(line)"
        case .byDefault: "default"
        }
    }
}
