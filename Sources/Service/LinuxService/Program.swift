/// How a program differs from others that are daemons around an app.
public struct Program: Sendable {
    /// The name of its command, its directories, its units and its metrics; in capitals, what its settings begin with.
    public let name: String
    /// Its version, such as `1.4.2`.
    public let version: String
    /// The purpose of the program, as a sentence.
    public let abstract: String
    /// Client commands to try first, without the client's name.
    public let firstTries: [String]
    /// Stands for the code that folds the log: a snapshot that was made under another fingerprint is not used.
    public let fingerprint: String
    package let settings: SettingTable

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - settings: The settings beyond those of every daemon.
    ///   - fingerprint: If omitted, every change of the executable counts as other code.
    public init(
        name: String, version: String,
        abstract: String = "Keeps its state as a log of actions and serves it on a Unix socket.",
        firstTries: [String] = ["state", "watch", "log"], settings: [Setting] = [], fingerprint: String? = nil
    ) {
        self.name = name
        self.version = version
        self.abstract = abstract
        self.firstTries = firstTries
        self.fingerprint = fingerprint ?? FileIdentity.ofExecutable
        self.settings = SettingTable(program: name, further: settings)
    }

    /// The name of one of its own settings, for sentences about it: `TODOD_HTTP_SECONDS`.
    public func name<Value>(of setting: TypedSetting<Value>) -> String { settings.name(of: setting.row) }

    /// The version as it stands in every record: 10,000 * major + 100 * minor + patch.
    package var build: UInt32 {
        version.split(separator: ".").prefix(3).reduce(0) { $0 * 100 + (UInt32($1) ?? 0) }
    }
}
