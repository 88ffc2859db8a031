import Foundation

extension Daemon {
    /// Changes a byte after each occurrence of a text in the log's file.
    ///
    /// For a key this is a byte of its row.
    func tear(behind text: String) throws {
        let url = URL(fileURLWithPath: data + "/data.mdb")
        var bytes = try Data(contentsOf: url)
        var place = bytes.range(of: Data(text.utf8))
        while let found = place {
            // Not that of another row whose key has the same prefix.
            if bytes[found.upperBound] != UInt8(ascii: "e") { bytes[found.upperBound] ^= 1 }
            place = bytes.range(of: Data(text.utf8), in: found.upperBound..<bytes.endIndex)
        }
        try bytes.write(to: url)
    }
}
