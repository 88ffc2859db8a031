import Foundation

extension Daemon {
    /// Changes a byte behind each place where a text stands in the log's file; of a key that is a byte of its row.
    func tear(behind text: String) throws {
        let url = URL(fileURLWithPath: data + "/data.mdb")
        var bytes = try Data(contentsOf: url)
        var place = bytes.range(of: Data(text.utf8))
        while let found = place {
            // Not that of another row, whose key begins alike.
            if bytes[found.upperBound] != UInt8(ascii: "e") { bytes[found.upperBound] ^= 1 }
            place = bytes.range(of: Data(text.utf8), in: found.upperBound..<bytes.endIndex)
        }
        try bytes.write(to: url)
    }
}
