import DataSources
import Glibc
public import Reducing

/// Where a token is kept; it is read anew at every call, so a new one needs no restart.
public struct TokenFile: Sendable, Equatable {
    /// The largest file that is read, in bytes.
    public static let bytesMax = 4096

    public let path: String
    /// Whether systemd handed it over: it then looks after who can read it, and may keep it as root's.
    private let isCredential: Bool

    /// A file of one's own, which must have mode 0600 or less.
    public init(path: String) {
        self.path = path
        isCredential = false
    }

    /// The credential `github-token` that systemd put into a service's directory (`LoadCredential=`).
    public init(credentialsDirectory: String) {
        path = credentialsDirectory + "/github-token"
        isCredential = true
    }

    /// Whether there is such a file at all.
    public var isThere: Bool { access(path, F_OK) == 0 }

    /// Reads the token.
    ///
    /// - Throws: a permanent failure that says what is wrong with the file; never what is in it.
    public func token() throws(CommandFailure) -> Token {
        let file = try FileContents(of: path, bytesMax: Self.bytesMax)
        if !isCredential {
            guard file.owner == geteuid() else {
                throw CommandFailure(
                    "\(path) does not belong to the user that todod runs as, so it is not read as a token.", isPermanent: true)
            }
            guard file.mode & 0o077 == 0 else {
                throw CommandFailure(
                    "\(path) can be read by others, so it is not read as a token. Say: chmod 600 \(path)", isPermanent: true)
            }
        }
        guard let token = Token(file.bytes) else {
            throw CommandFailure("\(path) holds no token: one line of printable characters without blanks.", isPermanent: true)
        }
        return token
    }
}
