import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import Expressions
import Foundation
import TestSupport
import Testing
import TimeTravel

/// Logs of older releases of a feature, read by newer ones.
///
/// A file holds such a log: the time, the uid and the action of each record, then the resulting state. These forms are no longer
/// written, so the file contains bytes.
@Suite struct OlderFormTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    private static let script: [People.First.Action] = [
        .rename("Ada Lovelace"), .grow(years: 30), .grow(years: 6), .rename("Grace Hopper"), .grow(years: 0), .rename(""),
        .rename("Annie Easley"),
    ]

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ hex: Substring) throws -> [UInt8] {
        let digits = try hex.map { try #require($0.hexDigitValue) }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static var lines: [[Substring]] {
        get throws {
            try String(contentsOf: directory.appending(path: "people-1.txt"), encoding: .utf8).split(separator: "\n")
                .map { $0.split(separator: " ", omittingEmptySubsequences: false) }
        }
    }

    /// The resulting state, as the base of a compacted log stores it.
    private static var base: [UInt8] { get throws { try bytes(try #require(lines.last)[1]) } }

    /// The log of the first release, with its snapshot and path index if there is a directory.
    private func log(_ snapshots: String? = nil) async throws -> InMemoryActionLog {
        let log = InMemoryActionLog()
        let lines = try Self.lines
        var flush = Flush(after: log.head)
        for (index, line) in lines.dropLast().enumerated() {
            let sequence = UInt64(index + 1)
            let time = try #require(Int64(line[0]))
            let header = RecordHeader(sequence: sequence, time: time, origin: try #require(UInt32(line[1])), step: sequence)
            flush.stage(header, payload: try Self.bytes(line[2]))
        }
        try log.append(flush)
        guard let snapshots else { return log }
        let store = SnapshotStore(directory: snapshots)
        let snapshot = Snapshot(
            sequence: log.head.sequence, checksum: try log.checksum(of: log.head.sequence) ?? 0, epoch: log.head.epoch,
            time: log.head.time, fingerprint: "first", state: try Self.base)
        try store.history.write(snapshot, budgetBytes: .max)
        let first = History<People.First>(log, snapshots: store, fingerprint: "first", base: PastState(state: .init()))
        try await first.indexPaths()
        return log
    }

    private func history<App: Feature>(
        of app: App.Type, _ log: any ActionLog, _ snapshots: String, from state: App.State
    ) -> History<App> {
        History(log, snapshots: SnapshotStore(directory: snapshots), fingerprint: "newer", base: PastState(state: state))
    }

    private func store<App: Feature>(of app: App.Type, _ log: any ActionLog, from state: App.State) throws -> Store<App> {
        Store(try RecoveryResult<App>(from: log, initial: state), log: log, options: StoreOptions(freeBytesMin: 0))
    }

    @Test func `the file is what the first release writes`() async throws {
        var (state, lines): (People.First.State, [String]) = (.init(), [])
        for (index, action) in Self.script.enumerated() {
            _ = People.First.reduce(&state, action, .test)
            lines.append("\(1_000 * (index + 1)) \(1_000 + index % 2) \(Self.hex(action.canonicalBytes))")
        }
        lines.append("state \(Self.hex(state.canonicalBytes))")
        #expect(try Self.lines.map { $0.joined(separator: " ") } == lines, "\(lines.joined(separator: "\n"))")
    }

    @Test func `a release that renamed a field opens, verifies and searches the log`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try await log(directory)
            let recovered = try RecoveryResult<People.Second>(from: log, initial: .init())
            #expect(recovered.present.state == People.Second.State(fullName: "Annie Easley", age: 36))
            #expect(try People.Second.State(canonical: try Self.base) == recovered.present.state)
            let history = history(of: People.Second.self, log, directory, from: .init())
            let verification = try await history.verify()
            #expect(verification.damages == [] && verification.snapshots == 1)
            // Under the old name and the new name.
            for name in ["owner", "fullName"] {
                let text = "\(name) != old.\(name) and contains(\(name), 'e')"
                #expect(try await found(.condition(text), in: history) == [1, 4, 7], "\(text)")
            }
            #expect(try await found(.text("hopper"), in: history) == [4])
        }
    }

    @Test func `a release that split a field and changed the unit of another reads the log as well`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try await log(directory)
            let recovered = try RecoveryResult<People.Third>(from: log, initial: .init())
            let state = People.Third.State(months: 432, name: People.Name("Annie Easley"))
            #expect(recovered.present.state == state)
            #expect(try People.Third.State(canonical: try Self.base) == state)
            let history = history(of: People.Third.self, log, directory, from: .init())
            let verification = try await history.verify()
            #expect(verification.damages == [] && verification.snapshots == 1)
            #expect(try await found(.condition("months == 432 and old.months == 360"), in: history) == [3])
            #expect(try await found(.condition("name.family == 'Hopper'"), in: history) == [4, 5])
            #expect(try await found(.text("hopper"), in: history) == [4])
        }
    }

    @Test func `a release that folds an older form differently is detected`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try await log(directory)
            let wrong = history(of: People.Third.self, log, directory, from: People.Third.State(months: 1))
            #expect(try await wrong.verify().damages.map(\.kind) == [.fold])
        }
    }

    @Test func `a release without an older form can't open the log and reports the position`() async throws {
        let log = try await log()
        let error = #expect(throws: StoreError.self) { try RecoveryResult<People.Forgetful>(from: log, initial: .init()) }
        guard case .undecodable(sequence: 1, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `an invariant of an older release applies to the field under its new name`() async throws {
        let log = try await log()
        do {
            let store = try store(of: People.First.self, log, from: .init())
            let condition = try Expression("owner != 'Nobody' and age < 100", of: People.First.shape)
            try await store.setInvariant("somebody", condition, by: 0)
            await store.stop()
        }
        let store = try store(of: People.Second.self, log, from: .init())
        #expect(try await store.invariants().map(\.holds) == [true])
        let refused = await #expect(throws: StoreError.self) { try await store.dispatch(Dispatch([.rename("Nobody")])) }
        guard case .invariantBroken("somebody", _, _)? = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        _ = try await store.dispatch(Dispatch([.rename("Katherine Johnson")]))
        #expect(store.present.state.fullName == "Katherine Johnson")
        await store.stop()
    }

    private enum Search {
        case condition(String)
        case text(String)
    }

    private func found<App: Feature>(_ search: Search, in history: History<App>) async throws -> [UInt64]
    where App.Action: ValueConvertible {
        var query = LogQuery(groupsTyping: false)
        switch search {
        case .condition(let text): query.condition = try Expression(text, of: App.shape, on: .change)
        case .text(let text): query.search = text
        }
        var cursor = try await history.log(query)
        var found: [UInt64] = []
        while cursor.hasMore { found += try await history.page(of: &cursor).map(\.last) }
        return found
    }
}
