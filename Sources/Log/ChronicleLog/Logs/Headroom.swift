/// How much can still be written.
public struct Headroom: Sendable, Equatable {
    /// What the file system has left for this user, in bytes.
    public var diskFreeBytes: Int
    /// What the map has left, in bytes.
    public var mapFreeBytes: Int
    /// The size of the map, in bytes.
    public var mapBytes: Int

    /// Makes a report; without arguments, one of a log that has no end.
    public init(diskFreeBytes: Int = .max, mapFreeBytes: Int = .max, mapBytes: Int = .max) {
        self.diskFreeBytes = diskFreeBytes
        self.mapFreeBytes = mapFreeBytes
        self.mapBytes = mapBytes
    }

    /// Why a dispatch is to be refused before it is tried; `nil` when there is room.
    ///
    /// The disk must keep the given bytes, the map a sixteenth of itself: what ends commands and compacts needs them.
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
