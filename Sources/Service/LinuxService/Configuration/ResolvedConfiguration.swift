import Glibc
import Logging

package struct ResolvedConfiguration: Sendable, CustomStringConvertible {
    private let settings: SettingTable
    package private(set) var configuration: Configuration
    private(set) var origins: [Setting: SettingOrigin]
    /// Whether a file was read, even if it sets nothing.
    package let hasFile: Bool

    /// Merges flags, environment, file and defaults, in this order of precedence; an empty value counts as unset.
    ///
    /// Every value of every layer must be valid, even if another layer overrides it.
    /// - Parameters:
    ///   - flags: the settings given on the command line.
    ///   - environment: only names with the prefix of the program count.
    ///   - file: the configuration file; `nil`: it does not exist.
    ///   - workingDirectory: the base of relative paths in flags and in the environment.
    /// - Throws: `StartFailure` with status 78 and one line for each mistake: its file and line, the key and the reason.
    package init(
        of program: Program, flags: [Setting: String] = [:], environment: [String: String], file: ConfigurationFile?,
        defaultPaths: DefaultPaths,
        workingDirectory: String, accounts: Accounts
    ) throws(StartFailure) {
        let surroundings = Setting.Surroundings(
            defaultPaths: defaultPaths, workingDirectory: workingDirectory, accounts: accounts)
        var check = ConfigurationCheck(program, surroundings)
        settings = program.settings
        hasFile = file != nil
        check.take(file)
        check.take(environment: environment)
        check.take(flags: flags)

        let access = AccessList(owner: defaultPaths.uid, soleUID: defaultPaths.soleUID)
        configuration = Configuration(
            dataDirectory: defaultPaths.dataDirectory ?? "", socket: defaultPaths.socket, access: access)
        origins = check.values.mapValues(\.origin)
        for key in settings.all {
            guard let text = check.values[key]?.text else { continue }
            // A mistake was reported with its layer, and changes nothing.
            _ = key.apply(text, &configuration, surroundings)
        }
        if defaultPaths.dataDirectory == nil, origins[.data] == nil {
            check.mistakes.append(
                "\(settings.name(of: .data)): HOME is unset, so there is no default; set the directory of the log with --data.")
        }
        if UnixAddress(configuration.socket) == nil, origins[.socket] == nil {
            check.mistakes.append(
                "\(settings.name(of: .socket)): \(configuration.socket) has more than \(UnixAddress.pathBytesMax) bytes; choose a shorter one with --socket."
            )
        }
        guard check.mistakes.isEmpty else { throw StartFailure(.configuration, check.mistakes.joined(separator: "\n")) }
    }

    package func origin(of key: Setting) -> SettingOrigin { origins[key] ?? .byDefault }

    /// One line for each key in the format of the file, with its origin as a comment above.
    package var description: String {
        settings.all.map { "# \(origin(of: $0))\n\(settings.name(of: $0))=\($0.text(configuration))" }.joined(separator: "\n")
    }
}

package enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
    case flag
    case environment
    case file(path: String, line: Int)
    case byDefault

    package var description: String {
        switch self {
        case .flag: "command line"
        case .environment: "environment"
        case .file(let path, let line): "\(path):\(line)"
        case .byDefault: "default"
        }
    }
}

/// Applies the layers in order of precedence, and checks every value of each, to report all mistakes at once.
struct ConfigurationCheck {
    let program: String
    let settings: SettingTable
    let surroundings: Setting.Surroundings

    var mistakes: [String] = []
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
        if name.uppercased().hasPrefix(settings.prefix) { mistakes.append("\(place)\(name) is not a key of \(program).") }
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

/// A settings file in the format of systemd's `EnvironmentFile=`: `NAME=value` lines and comments.
///
/// Blank lines and lines that begin with `#` or `;` are ignored. A value may have single or double quotes; in double quotes, a backslash
/// escapes the next character. There are no continuation lines.
package struct ConfigurationFile: Sendable, Equatable {
    package struct Setting: Sendable, Equatable {
        package var name: String
        package var value: String
        /// Counted from 1.
        package var line: Int
    }

    package struct Mistake: Sendable, Equatable {
        package var line: Int
        package var message: String
    }

    package static let bytesMax = 1 << 20

    package var path: String
    /// Its settings in order; the last one of a name counts.
    package private(set) var settings: [Setting] = []
    private(set) var mistakes: [Mistake] = []

    /// Parses a file; unreadable lines are kept as mistakes.
    package init(path: String, text: String) {
        self.path = path
        // By bytes: as a single character, a carriage return with a line feed would not be split. Either ends a line.
        for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            for part in line.split(separator: 0x0D) { read(Substring(part).withoutOuterBlanks, number: index + 1) }
        }
    }

    /// Whether every read returns the same: no file, or one that is no pipe or device.
    package static func canBeReadAgain(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return true }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// Reads a file; `nil`: it does not exist.
    /// - Throws: `StartFailure` with status 78 if the file can't be read or exceeds 1 MiB.
    package init?(readingFrom path: String) throws(StartFailure) {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw StartFailure(.configuration, "\(path) can't be read: \(SystemError.last).")
        }
        let file = Descriptor(number)
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= Self.bytesMax {
            let count = Glibc.read(file.number, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StartFailure(.configuration, "\(path) can't be read: \(SystemError.last).") }
            guard count > 0 else {
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw StartFailure(.configuration, "\(path) is not UTF-8 text.")
                }
                self.init(path: path, text: text)
                return
            }
            bytes.append(contentsOf: block[..<count])
        }
        throw StartFailure(.configuration, "\(path) has more than \(Self.bytesMax) bytes; too many for a configuration file.")
    }

    private mutating func read(_ line: String, number: Int) {
        guard let first = line.utf8.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { return }
        guard !line.utf8.contains(0) else {
            mistakes.append(Mistake(line: number, message: "It contains a byte 0, which no setting can contain."))
            return
        }
        guard let sign = line.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            mistakes.append(Mistake(line: number, message: "“\(line)” is not NAME=value."))
            return
        }
        let name = line[..<sign].withoutOuterBlanks
        guard !name.isEmpty else {
            mistakes.append(Mistake(line: number, message: "There is no name before the equals sign."))
            return
        }
        guard Self.isName(name) else {
            mistakes.append(
                Mistake(
                    line: number,
                    message: "“\(name)” is not a variable name: use ASCII letters, digits and underscores, and no digit first.")
            )
            return
        }
        guard let value = Self.unquoted(line[line.utf8.index(after: sign)...].withoutOuterBlanks) else {
            mistakes.append(Mistake(line: number, message: "\(name): a quote is not closed, or the line is continued."))
            return
        }
        settings.append(Setting(name: name, value: value, line: number))
    }

    // As in systemd; `export NAME` or a byte order mark would set nothing.
    private static func isName(_ text: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = text.utf8.first, !digits.contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), digits, UInt8(ascii: "_"): true
            default: false
            }
        }
    }

    /// The value without its quotes; `nil` for unbalanced quotes or a continuation line.
    private static func unquoted(_ text: String) -> String? {
        guard let quote = text.first, quote == "\"" || quote == "'" else { return text.hasSuffix("\\") ? nil : text }
        var value = ""
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            if character == quote { return rest.isEmpty ? value : nil }
            if character == "\\", quote == "\"" {
                guard let next = rest.popFirst() else { return nil }
                value.append(next)
            } else {
                value.append(character)
            }
        }
        return nil
    }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
    var withoutOuterBlanks: String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
