import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import TimeTravel

/// A desk with a fork of another desk's log.
struct Fork {
    let desk: Desk
    let point: UInt64

    /// A desk with a log, and one with a fork of it from a moment.
    static func open(
        at point: UInt64? = nil, after begin: (Desk) async throws -> Void = { _ in },
        _ body: (Desk, Fork) async throws -> Void
    ) async throws {
        try await Desk.open { desk in
            try await begin(desk)
            let point = point ?? desk.head
            try await Fork(desk: desk, point: point).copy(through: point, epoch: 77) { try await body(desk, $0) }
        }
    }

    /// A new desk with the same records, all or through one, and another epoch or the same.
    func copy(through last: UInt64? = nil, epoch: UInt64, _ body: (Fork) async throws -> Void) async throws {
        try await Desk.open(InMemoryActionLog(epoch: epoch)) { other in
            let records = try (0..<(last ?? desk.head)).map { try desk.log.sealed($0 + 1) }
            if !records.isEmpty {
                try await other.store.writingExclusively { try await other.store.importBatch(ImportBatch(records: records)) }
            }
            try await body(Fork(desk: other, point: point))
        }
    }

    /// The records of the fork, through one of them.
    func records(through last: UInt64? = nil) throws -> ForkRecords<App> {
        var records = ForkRecords<App>(
            epoch: desk.store.present.epoch, point: point, chain: try desk.log.checksum(of: point) ?? 0,
            now: StoreClock.system.wall())
        var next = point + 1
        while next <= last ?? desk.head {
            try records.add(try desk.log.sealed(next))
            next += 1
        }
        return records
    }

    /// The records of the fork, including those after `through`, which are not merged.
    func records(of through: UInt64) throws -> ForkRecords<App> {
        var records = ForkRecords<App>(
            epoch: desk.store.present.epoch, point: point, chain: try desk.log.checksum(of: point) ?? 0,
            now: StoreClock.system.wall(), through: through)
        for sequence in point..<desk.head { try records.add(try desk.log.sealed(sequence + 1)) }
        return records
    }

    @discardableResult
    func merge(
        into desk: Desk, through last: UInt64? = nil, insists: Bool = false, key: String? = nil, isDryRun: Bool = false
    ) async throws -> Undone<App.Command> {
        try await desk.undoer.merge(
            try records(through: last), UndoCall(origin: 1000, insists: insists, key: key, isDryRun: isDryRun))
    }
}
