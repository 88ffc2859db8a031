/// What makes a file this one and no other, whatever its name.
struct FileIdentity: Sendable, Equatable {
    var device: UInt
    var inode: UInt
}
