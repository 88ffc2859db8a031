public import ChronicleValues

public enum ActionLogError: Error, Sendable, Equatable {
    public enum FullStorage: Sendable, Equatable {
        /// The disk or a quota; writing resumes once there is space.
        case disk
        /// The members of the cluster; writing resumes once they have space.
        case cluster
        /// The LMDB map; remedy: a restart with a larger map, or compaction.
        case map
    }

    /// Out of space; nothing was written, and reads continue.
    case storageFull(FullStorage, message: String)
    /// Data is not as it was written; sequence 0 if no record is affected.
    case damaged(sequence: UInt64, what: String)
    /// A record is intact, but this version can't decode its content.
    case undecodable(sequence: UInt64, what: String)
    /// A newer build wrote this; sequence 0 if no record is affected.
    case newerFormat(sequence: UInt64, what: String)
    /// It is unknown whether the flush is on disk; the log refuses all further flushes, and the process should end.
    case unknownOutcome(what: String)
    /// Another process has the log; 0 if its pid is unknown.
    case locked(pid: Int32)
    /// The user lacks permission, or the log is open read-only.
    case notPermitted(what: String)
    /// The directory does not exist or contains no log.
    case noLog(directory: String)
    case networkFileSystem(name: String)
    /// The configured map is smaller than the used part, both in bytes.
    case mapTooSmall(usedBytes: Int, mapBytes: Int)
    /// A key that is empty or longer than `RowKey.keyBytesMax` UTF-8 bytes.
    case keyLength(bytes: Int)
    /// The request contradicts the log, or the log the configuration, as a sentence; nothing was written.
    case contradiction(what: String)
    /// Other machines appended to a shared log first; nothing of the flush was or will be written.
    case othersFirst
    /// A shared log can't be appended to at present; nothing was written, and reads continue.
    case unavailable(what: String)
    /// It is not known yet whether the flush was appended to a shared log; the log resolves this itself and continues.
    case inDoubt(what: String)
    /// The flush exceeds the maximum of a shared log, in bytes; nothing was written.
    case flushTooLarge(bytes: Int, max: Int)
    /// The records up to this one are in an archive; `nil`: the log begins after it and never had them.
    case pruned(through: UInt64, archive: String?)
    case readersFull
    /// Any other system error: the operation and the system's message.
    case io(String)

    /// Whether the log is damaged or from a newer version; other errors say nothing about its content.
    public var isDamage: Bool {
        switch self {
        case .damaged, .undecodable, .newerFormat: true
        default: false
        }
    }

    init(header error: CanonicalError, sequence: UInt64) {
        self =
            switch error.reason {
            case .unknownField(let number): .newerFormat(sequence: sequence, what: "the header has a field \(number)")
            default: .damaged(sequence: sequence, what: "the header")
            }
    }

    public init(row error: CanonicalError, sequence: UInt64, of row: String) {
        self =
            switch error.reason {
            case .unknownField(let number): .newerFormat(sequence: sequence, what: "\(row) has a field \(number)")
            default: .damaged(sequence: sequence, what: row)
            }
    }
}

extension ActionLogError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .storageFull(_, let message): message
        case .damaged(0, let what): "the log is damaged: \(what)"
        case .damaged(let sequence, let what): "the log is damaged at \(sequence): \(what)"
        case .undecodable(let sequence, let what):
            "record \(sequence) is intact, but this version can't read it: \(what)"
        case .newerFormat(0, let what): "the log was written by a newer version: \(what)"
        case .newerFormat(let sequence, let what): "record \(sequence) was written by a newer version: \(what)"
        case .unknownOutcome(let what): "it is unknown whether the last change is on disk: \(what)"
        case .locked(0): "the log is in use by another process, perhaps in another directory"
        case .locked(let pid): "the log is in use by process \(pid)"
        case .notPermitted(let what), .io(let what), .contradiction(let what): what
        case .noLog(let directory): "there is no log in \(directory)"
        case .networkFileSystem(let name): "the log can't be on a file system of type \(name): use a file system of this machine"
        case .mapTooSmall(let used, let map): "the log uses \(used) bytes, more than the map size of \(map) bytes"
        case .keyLength(let bytes): "a key of \(bytes) bytes is invalid: use 1 to \(RowKey.keyBytesMax) bytes"
        case .othersFirst: "another machine wrote to the log first"
        case .unavailable(let what): what
        case .inDoubt(let what): "it is not known yet whether the change was committed: \(what)"
        case .flushTooLarge(let bytes, let max):
            "the change takes \(bytes) bytes, but a shared log accepts at most \(max) at once"
        case .pruned(let through, let archive?): "the records up to \(through) are in the archive \(archive)"
        case .pruned(let through, nil): "the log begins after record \(through)"
        case .readersFull: "too many readers at once"
        }
    }
}

public struct FreeSpace: Sendable, Equatable {
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
                message: "the disk has \(diskFreeBytes) bytes left, fewer than the minimum of \(freeBytesMin): "
                    + "free some space")
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

public struct StorageUse: Sendable, Equatable {
    public var records: Int
    public var keys: Int
    public var commands: Int
    /// Used part of the map in bytes; for a log in memory, the size of its content.
    public var usedBytes: Int
    public var mapBytes: Int
    public var freePages: Int
    public var pageBytes: Int

    public init(
        records: Int, keys: Int, commands: Int, usedBytes: Int, mapBytes: Int = 0, freePages: Int = 0, pageBytes: Int = 0
    ) {
        (self.records, self.keys, self.commands, self.usedBytes) = (records, keys, commands, usedBytes)
        (self.mapBytes, self.freePages, self.pageBytes) = (mapBytes, freePages, pageBytes)
    }
}
