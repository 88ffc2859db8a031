import ChronicleLog
import DiskLog
import EtcdTesting
import ReplicatedLog
import TestSupport

/// The implementations of a log, for tests of their common contract.
enum LogMaking: String, CaseIterable, Sendable {
    case disk
    case memory
    /// The local copy of a shared log; left out if etcd is not installed.
    case cluster

    /// The implementations that can begin with a base.
    static let ofOneMachine: [LogMaking] = [.disk, .memory]

    static var allCases: [LogMaking] { ofOneMachine + (EtcdCluster.isInstalled ? [.cluster] : []) }

    func make(in directory: TemporaryDirectory) throws -> any ActionLog {
        switch self {
        case .disk: try LMDBActionLog.open(directory: directory.path, configuration: .small)
        case .memory: InMemoryActionLog()
        case .cluster:
            try ReplicatedActionLog.open(
                LMDBActionLog.open(directory: directory.path, configuration: .small),
                SharedLogOptions(
                    name: directory.path.split(separator: "/").last.map(String.init) ?? "", node: "one",
                    etcd: EtcdCluster.shared.get().options()))
        }
    }
}

extension LogConfiguration {
    static let small = LogConfiguration(mapBytes: 16 << 20)
}

/// A record as it is read.
struct ReadRecord: Equatable {
    var header: RecordHeader
    var payload: [UInt8]
}

extension ActionLog {
    /// Appends actions with the given payloads in one flush, a second apart.
    func append(_ payloads: [[UInt8]]) throws {
        var flush = Flush(after: head)
        for payload in payloads { flush.stage(.action(after: flush), payload: payload) }
        try append(flush)
    }

    /// All records from `first` on.
    func records(from first: UInt64 = 1, through last: UInt64 = .max) throws -> [ReadRecord] {
        var records: [ReadRecord] = []
        _ = try read(from: first, through: last) { header, payload in
            records.append(ReadRecord(header: header, payload: payload.array))
            return true
        }
        return records
    }

    /// The records before the first damage, and that damage.
    func recordsAndError() -> ([ReadRecord], ActionLogError?) {
        var records: [ReadRecord] = []
        do {
            _ = try read(from: 1, through: .max) { header, payload in
                records.append(ReadRecord(header: header, payload: payload.array))
                return true
            }
            return (records, nil)
        } catch {
            return (records, error)
        }
    }
}

extension RecordHeader {
    /// The next action of a flush, a second after the previous one.
    static func action(after flush: Flush, key: String? = nil) -> RecordHeader {
        RecordHeader(
            sequence: flush.sequence + 1, time: flush.time + 1_000_000, origin: 1_000, step: flush.sequence + 1, key: key,
            build: 7)
    }
}

extension RawSpan {
    var array: [UInt8] {
        (0..<byteCount).map { unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
}

extension ActionLogError {
    /// The sequence of the damage, if the error is damage.
    var damagedSequence: UInt64? {
        if case .damaged(let sequence, _) = self { return sequence }
        return nil
    }
}
