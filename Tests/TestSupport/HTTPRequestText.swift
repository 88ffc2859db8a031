import Foundation
import Glibc

/// Reads HTTP requests in a fake server.
public enum HTTPRequestText {
    /// Reads a request including its body; `nil` if it is incomplete.
    public static func received(on connection: CInt) -> String? {
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = recv(connection, &piece, piece.count, 0), count > 0 {
            bytes += piece[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let line = text[..<end.lowerBound].split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            let length = line.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
            if text[end.upperBound...].utf8.count >= length { return text }
        }
        return nil
    }
}
