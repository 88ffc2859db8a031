/// The properties of a program that runs an app as a daemon.
public struct Program: Sendable {
    /// The name of its command, directories, units and metrics; in capitals, the prefix of its settings.
    public let name: String
    /// Its version, such as `1.4.2`.
    public let version: String
    /// The purpose of the program, as a sentence.
    public let abstract: String
    /// Client commands to try first, without the client's name.
    public let firstTries: [String]
    /// The prefix of its interfaces: `org.example.links` for `org.example.links.Store`.
    public let interfaces: String
    /// Identifies the code that folds the log: snapshots of another fingerprint are not used.
    public let fingerprint: String
    package let settings: SettingTable

    /// Describes a program.
    /// - Parameters:
    ///   - interfaces: a reverse domain, if the interfaces are not to be named after the library.
    ///   - settings: the rows of the settings beyond those of every daemon; see `TypedSetting`.
    ///   - fingerprint: by default, every change of the executable counts as other code.
    public init(
        name: String, version: String,
        abstract: String = "Keeps its state as a log of actions and serves it on a Unix socket.",
        firstTries: [String] = ["state", "watch", "log"], interfaces: String = "org.chronicle",
        settings: [Setting] = [], fingerprint: String? = nil
    ) {
        (self.name, self.version, self.abstract, self.firstTries) = (name, version, abstract, firstTries)
        self.interfaces = interfaces
        self.fingerprint = fingerprint ?? FileIdentity.ofExecutable
        self.settings = SettingTable(program: name, interfaces: interfaces, further: settings)
    }

    /// The full name of a setting, for messages: `TODOD_HTTP_SECONDS`.
    public func name<Value>(of setting: TypedSetting<Value>) -> String { settings.name(of: setting.row) }

    /// The version number in records: 10,000 * major + 100 * minor + patch.
    package var build: UInt32 { version.split(separator: ".").prefix(3).reduce(0) { $0 * 100 + (UInt32($1) ?? 0) } }
}
