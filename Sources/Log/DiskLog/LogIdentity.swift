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

extension LogIdentity: RowCoding {
    init() { self.init(format: 0, storeID: "", machineID: "", inode: 0, created: 0) }

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &format)
        try fields.field(2, &storeID)
        try fields.field(3, &machineID)
        try fields.field(4, &inode)
        try fields.field(5, &created)
    }
}
