internal import ChronicleValues

/// The identity of the environment, stored in it; changes with a new epoch.
struct LogIdentity: Equatable {
    static let format: UInt32 = 1
    static let compactedFormat: UInt32 = 2

    var format: UInt32
    var storeID: String
    /// The machine that last opened it for writing; empty if unknown.
    var machineID: String
    /// The inode of the data file, by which copies are detected.
    var inode: UInt64
    var created: Int64

    /// Whether the file was copied, restored or moved from another machine.
    func isForeign(machineID: String, inode: UInt64) -> Bool {
        if self.inode != inode { return true }
        return !self.machineID.isEmpty && !machineID.isEmpty && self.machineID != machineID
    }
}

extension LogIdentity: CanonicalCodable {
    func encode(into writer: inout CanonicalWriter) {
        writer.field(1, UInt64(format))
        writer.field(2, storeID)
        writer.field(3, machineID)
        writer.field(4, inode)
        writer.field(5, created)
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(format: 0, storeID: "", machineID: "", inode: 0, created: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: format = try cursor.uint32(bytes)
            case 2: storeID = try cursor.text(bytes)
            case 3: machineID = try cursor.text(bytes)
            case 4: inode = try cursor.uint(bytes)
            case 5: created = try cursor.int(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
