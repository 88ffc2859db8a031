public import Chronicle
import DataSources
import Glibc

/// A token file; it is read for each call, so a new token needs no restart.
public struct TokenFile: Sendable {
    private static let bytesMax = 4096

    public let path: String
    /// Whether systemd created the file and controls access to it.
    private let isCredential: Bool

    /// The file must be owned by this user and have mode 0600 or less.
    public init(path: String) {
        self.path = path
        isCredential = false
    }

    /// The credential `github-token` in systemd's credentials directory (`LoadCredential=`).
    public init(credentialsDirectory: String) {
        path = credentialsDirectory + "/github-token"
        isCredential = true
    }

    public var isThere: Bool { access(path, F_OK) == 0 }

    /// Reads the token.
    ///
    /// - Throws: a permanent failure that describes the problem without the content.
    public func token() throws(CommandFailure) -> Token {
        let file = try FileContents(of: path, bytesMax: Self.bytesMax)
        if !isCredential {
            guard file.owner == geteuid() else {
                throw CommandFailure(
                    "\(path) does not belong to the user that todod runs as, so it is not read as a token.", isPermanent: true)
            }
            guard file.mode & 0o077 == 0 else {
                throw CommandFailure(
                    "\(path) can be read by others, so it is not read as a token. Run: chmod 600 \(path)", isPermanent: true)
            }
        }
        guard let token = Token(file.bytes) else {
            throw CommandFailure("\(path) holds no token: one line of printable characters without blanks.", isPermanent: true)
        }
        return token
    }
}

/// A bearer token; it is read for each call and never printed.
public struct Token: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String

    init?(_ bytes: some Collection<UInt8>) {
        // Editors append a newline.
        let ends = bytes.reversed().prefix { $0 == 0x0A || $0 == 0x0D }
        let text = bytes.dropLast(ends.count)
        // Other bytes are not allowed in a header.
        guard !text.isEmpty, text.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.text = String(decoding: text, as: UTF8.self)
    }

    func lend<Result>(_ body: (String) -> Result) -> Result { body(text) }

    public var description: String { "(token)" }
    /// Empty, so that no dump contains the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
