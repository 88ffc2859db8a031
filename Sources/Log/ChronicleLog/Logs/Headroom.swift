public struct Headroom: Sendable, Equatable {
    /// Free space of the file system for this user, in bytes.
    public var diskFreeBytes: Int
    public var mapFreeBytes: Int
    public var mapBytes: Int

    /// Without arguments, a log without limits.
    public init(diskFreeBytes: Int = .max, mapFreeBytes: Int = .max, mapBytes: Int = .max) {
        self.diskFreeBytes = diskFreeBytes
        self.mapFreeBytes = mapFreeBytes
        self.mapBytes = mapBytes
    }

    /// Why a dispatch must be refused before it is tried; `nil` if there is space.
    ///
    /// The given bytes of the disk and a sixteenth of the map stay reserved for ends of commands and for compaction.
    public func refusal(freeBytesMin: Int) -> ActionLogError? {
        if diskFreeBytes < freeBytesMin {
            return .storageFull(
                .disk,
                message: "the disk has \(diskFreeBytes) bytes left, fewer than the \(freeBytesMin) to be kept free: "
                    + "make room on it")
        }
        if mapFreeBytes < mapBytes / 16 {
            return .storageFull(.map, message: Self.mapMessage(mapBytes: mapBytes))
        }
        return nil
    }

    package static func mapMessage(mapBytes: Int) -> String {
        "the log's map of \(mapBytes) bytes is full: restart with a larger map size, or compact the log"
    }
}
