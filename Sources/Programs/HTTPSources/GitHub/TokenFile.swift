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
