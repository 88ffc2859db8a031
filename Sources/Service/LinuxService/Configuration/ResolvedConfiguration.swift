import Glibc
import Logging

package struct ResolvedConfiguration: Sendable, CustomStringConvertible {
    private let settings: SettingTable
    package private(set) var configuration: Configuration
    private(set) var origins: [Setting: SettingOrigin] = [:]
    /// Whether a file was read, even if it sets nothing.
    package let hasFile: Bool

    /// Merges flags, environment, file and defaults, in this order of precedence; an empty value counts as unset.
    ///
    /// Every value of every layer must be valid, even if another layer overrides it.
    /// - Throws: `StartFailure` with status 78 and one line for each mistake: its file and line, the key and the reason.
    package init(
        of program: Program, flags: [Setting: String] = [:], environment: [String: String], file: ConfigurationFile?,
        defaultPaths: DefaultPaths, workingDirectory: String, accounts: Accounts
    ) throws(StartFailure) {
        settings = program.settings
        hasFile = file != nil
        let surroundings = Setting.Surroundings(
            defaultPaths: defaultPaths, workingDirectory: workingDirectory, accounts: accounts)
        let unset = Configuration(
            dataDirectory: defaultPaths.dataDirectory ?? "", socket: defaultPaths.socket,
            access: AccessList(owner: defaultPaths.uid, soleUID: defaultPaths.soleUID))
        var entries: [(origin: SettingOrigin, name: String, value: String)] = []
        for setting in file?.settings ?? [] {
            entries.append((.file(path: file?.path ?? "", line: setting.line), setting.name, setting.value))
        }
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) { entries.append((.environment, name, value)) }
        for (key, value) in flags { entries.append((.flag, program.settings.name(of: key), value)) }

        var mistakes = file?.mistakes.map { "\(file?.path ?? ""):\($0.line): \($0.message)" } ?? []
        var (values, ofFile): ([Setting: String], [Setting: String]) = ([:], [:])
        for (origin, name, value) in entries {
            guard let key = settings.named(name) else {
                guard name.uppercased().hasPrefix(settings.prefix) else { continue }
                mistakes.append("\(origin): \(name) is not a key of \(program.name).")
                continue
            }
            if case .file = origin {
                ofFile[key] = value
                // The last line of a file counts, and an empty value resets the lines above it.
                if value.isEmpty { (values[key], origins[key]) = (nil, nil) }
            } else if origin == .environment, ofFile[key] == value {
                // systemd may also have put the file into the environment: report a mistake in it once.
                continue
            }
            guard !value.isEmpty else { continue }
            do throws(SettingMistake) {
                if case .file = origin, key.isPath, !value.hasPrefix("/") {
                    throw SettingMistake("“\(value)” is not an absolute path")
                }
                (values[key], origins[key]) = (value, origin)
                var unused = unset
                try key.apply(value, &unused, surroundings)
            } catch {
                mistakes.append("\(origin): \(name): \(error.sentence).")
            }
        }
        configuration = unset
        // A mistake changes nothing.
        for key in settings.all { if let text = values[key] { try? key.apply(text, &configuration, surroundings) } }
        if defaultPaths.dataDirectory == nil, origins[.data] == nil {
            mistakes.append(
                "\(settings.name(of: .data)): HOME is unset, so there is no default; set the directory of the log with --data.")
        }
        if UnixAddress(configuration.socket) == nil, origins[.socket] == nil {
            mistakes.append(
                "\(settings.name(of: .socket)): \(configuration.socket) has more than \(UnixAddress.pathBytesMax) bytes; choose a shorter one with --socket."
            )
        }
        guard mistakes.isEmpty else { throw StartFailure(.configuration, mistakes.joined(separator: "\n")) }
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

/// A settings file in the format of systemd's `EnvironmentFile=`: `NAME=value` lines and comments.
///
/// Blank lines and lines that begin with `#` or `;` are ignored. A value may have single or double quotes; in double quotes, a backslash
/// escapes the next character. There are no continuation lines.
package struct ConfigurationFile: Sendable, Equatable {
    package struct Setting: Sendable, Equatable {
        package var name: String
        package var value: String
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
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try FileContent.bytes(of: path, max: Self.bytesMax) } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return nil }
            throw StartFailure(.configuration, "\(path) can't be read: \(error).")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw StartFailure(.configuration, "\(path) is not UTF-8 text.")
        }
        self.init(path: path, text: text)
    }

    private mutating func read(_ line: String, number: Int) {
        guard let first = line.utf8.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { return }
        do throws(SettingMistake) {
            let (name, value) = try Self.setting(line)
            settings.append(Setting(name: name, value: value, line: number))
        } catch {
            mistakes.append(Mistake(line: number, message: error.sentence + "."))
        }
    }

    private static func setting(_ line: String) throws(SettingMistake) -> (name: String, value: String) {
        guard !line.utf8.contains(0) else { throw SettingMistake("It contains a byte 0, which no setting can contain") }
        guard let sign = line.utf8.firstIndex(of: UInt8(ascii: "=")) else { throw SettingMistake("“\(line)” is not NAME=value") }
        let name = line[..<sign].withoutOuterBlanks
        guard !name.isEmpty else { throw SettingMistake("There is no name before the equals sign") }
        guard isName(name) else {
            throw SettingMistake(
                "“\(name)” is not a variable name: use ASCII letters, digits and underscores, and no digit first")
        }
        guard let value = unquoted(line[line.utf8.index(after: sign)...].withoutOuterBlanks) else {
            throw SettingMistake("\(name): a quote is not closed, or the line is continued")
        }
        return (name, value)
    }

    // As in systemd; `export NAME` or a byte order mark would set nothing.
    private static func isName(_ text: String) -> Bool {
        text.first?.isNumber != true && text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || ClusterAddress.isLetterOrDigit($0) }
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
