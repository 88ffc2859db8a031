public import ChronicleValues

/// What the log can answer instead of doing what was asked.
public enum ActionLogError: Error, Sendable, Equatable {
    /// What has no room left.
    public enum FullStorage: Sendable, Equatable {
        /// The disk, or the quota on it; writing resumes when there is room.
        case disk
        /// That of the members of a cluster; writing resumes when they have room.
        case cluster
        /// The environment's map; ends by a start with a larger one, or by compaction.
        case map
    }

    /// There is no room; nothing was written, and reads go on.
    case storageFull(FullStorage, message: String)
    /// Something is not what was written; sequence 0 where no record is concerned.
    case damaged(sequence: UInt64, what: String)
    /// A record is as it was written, and this version can't read what it holds.
    case undecodable(sequence: UInt64, what: String)
    /// A newer build wrote this; sequence 0 where no record is concerned.
    case newerFormat(sequence: UInt64, what: String)
    /// Whether the flush is on disk cannot be known; the log refuses every further one, and the process should end.
    case unknownOutcome(what: String)
    /// Another process has the log; 0 where it has not yet said which.
    case locked(pid: Int32)
    /// The user may not do this, or the log is open for reading alone.
    case notPermitted(what: String)
    /// There is no log in the directory that was named, or no such directory.
    case noLog(directory: String)
    /// The directory is on a file system that is not of this machine.
    case networkFileSystem(name: String)
    /// The configured map is smaller than what is in use, both in bytes.
    case mapTooSmall(usedBytes: Int, mapBytes: Int)
    /// A key that is empty or longer than `RowKey.keyBytesMax` bytes of UTF-8.
    case keyLength(bytes: Int)
    /// What was to be done does not fit to what the log holds, or the log to what is configured, as a sentence; nothing was written.
    case contradiction(what: String)
    /// Others appended to a shared log first; nothing of the flush was written, or will be.
    case othersFirst
    /// A shared log can't be appended to at present; nothing was written, and reads go on.
    case unavailable(what: String)
    /// It is not known yet whether the flush will stand in a shared log; the log finds out by itself, and goes on.
    case inDoubt(what: String)
    /// The flush is larger than a shared log takes, in bytes; nothing was written.
    case flushTooLarge(bytes: Int, max: Int)
    /// The records up to this one were moved to an archive; `nil`: the log begins behind it, and never had them.
    case pruned(through: UInt64, archive: String?)
    /// More readers at once than the log was opened for.
    case readersFull
    /// The system refused something else; what, and its sentence for that.
    case io(String)

    /// Whether the log is damaged or from a newer version.
    ///
    /// Other errors say nothing about its content.
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

    /// What it means that a row can't be read whose bytes are as they were written.
    public init(row error: CanonicalError, sequence: UInt64, of row: String) {
        self =
            switch error.reason {
            case .unknownField(let number): .newerFormat(sequence: sequence, what: "\(row) has a field \(number)")
            default: .damaged(sequence: sequence, what: row)
            }
    }
}

extension ActionLogError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .storageFull(_, let message): message
        case .damaged(0, let what): "the log is damaged: \(what)"
        case .damaged(let sequence, let what): "the log is damaged at \(sequence): \(what)"
        case .undecodable(let sequence, let what):
            "record \(sequence) is as it was written, but this version can't read it: \(what)"
        case .newerFormat(0, let what): "the log was written by a newer version: \(what)"
        case .newerFormat(let sequence, let what): "record \(sequence) was written by a newer version: \(what)"
        case .unknownOutcome(let what): "it is not known whether the last change is on disk: \(what)"
        case .locked(0): "the log is in use by another process, perhaps in another directory"
        case .locked(let pid): "the log is in use by process \(pid)"
        case .notPermitted(let what), .io(let what), .contradiction(let what): what
        case .noLog(let directory): "there is no log in \(directory)"
        case .networkFileSystem(let name): "the log cannot be on a file system of type \(name): it must be of this machine"
        case .mapTooSmall(let used, let map): "the log uses \(used) bytes, more than the map size of \(map) bytes"
        case .keyLength(let bytes): "a key has 1 to \(RowKey.keyBytesMax) bytes, this one has \(bytes)"
        case .othersFirst: "others wrote to the log first"
        case .unavailable(let what): what
        case .inDoubt(let what): "it is not known yet whether the change stands: \(what)"
        case .flushTooLarge(let bytes, let max): "the change takes \(bytes) bytes, and a shared log takes \(max) at once"
        case .pruned(let through, let archive?): "the records up to \(through) are in the archive \(archive)"
        case .pruned(let through, nil): "the log begins behind record \(through)"
        case .readersFull: "too many readers at once"
        }
    }
}
