import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleTesting
import DiskLog
import FeatureApp
import FeatureTodos
import Glibc
import TestSupport
import Testing
import TimeTravel

@Suite struct FlipTests {
    enum Kind: CaseIterable {
        case record, key, command, head, snapshot
    }

    /// Stored data, with its file and its offsets, which include copies on old pages.
    struct Target {
        var name: String
        var kind: Kind
        var file: Int32
        var places: [Int]
        var value: [UInt8]
    }

    @Test func `each of 20,000 flipped bits in stored data is detected, and no changed data is served`() async throws {
        try await withTemporaryDirectory { directory in
            var sample = try SampleLog.random(
                31, records: 30, in: try LMDBActionLog.open(directory: directory, configuration: .small))
            let log = try #require(sample.log as? LMDBActionLog)
            try open(CommandCall(name: "todos.load"), in: log)
            sample.headers.append(try log.sealed(log.head.sequence).header)
            try sample.leaveSnapshot(at: 20, in: directory)
            let data = Glibc.open("\(directory)/data.mdb", O_RDWR)
            let snapshot = Glibc.open("\(directory)/travel/snapshot-00000000000000000020", O_RDWR)
            defer {
                close(data)
                close(snapshot)
            }
            let targets = try targets(log, data, snapshot)
            #expect(Set(targets.map(\.kind)).count == Kind.allCases.count)
            for target in targets { #expect(!isDamaged(target, log, directory), "\(target.name)") }
            var dice = SeededGenerator(7)
            var missed: [String] = []
            for _ in 0..<20_000 {
                let target = targets[Int.random(in: 0..<targets.count, using: &dice)]
                let index = Int.random(in: 0..<target.value.count, using: &dice)
                let bit = UInt8.random(in: 0..<8, using: &dice)
                for place in target.places { _ = pwrite(target.file, [target.value[index] ^ 1 << bit], 1, off_t(place + index)) }
                if !isDamaged(target, log, directory) { missed.append("\(target.name), byte \(index), bit \(bit)") }
                for place in target.places { _ = pwrite(target.file, [target.value[index]], 1, off_t(place + index)) }
            }
            #expect(missed.isEmpty, "\(missed.count): \(missed.prefix(3))")
            for target in targets { #expect(!isDamaged(target, log, directory), "\(target.name)") }
        }
    }

    private func isDamaged(_ target: Target, _ log: LMDBActionLog, _ directory: String) -> Bool {
        do throws(ActionLogError) {
            switch target.kind {
            case .record: _ = try log.fold(from: 1, through: .max) { _, _ in true }
            case .key: _ = try log.keys(after: nil, rowsMax: .max) { _, _ in }
            case .command: _ = try log.outbox()
            case .head: try log.checkEnds()
            case .snapshot: return SnapshotStore(directory: directory).history.read(20) == nil
            }
            return false
        } catch {
            return true
        }
    }

    private func targets(_ log: LMDBActionLog, _ data: Int32, _ snapshot: Int32) throws -> [Target] {
        let file = bytes(of: data)
        var targets: [Target] = []
        for sequence in 1...log.head.sequence {
            targets.append(target("record \(sequence)", .record, try log.sealed(sequence).bytes, data, file))
        }
        var keys: [KeyRow] = []
        _ = try log.keys(after: nil, rowsMax: .max) { keys.append($1) }
        for row in keys { targets.append(target("key of \(row.last)", .key, row.canonicalBytes, data, file, trailing: 8)) }
        for row in try log.outbox() { targets.append(target("command", .command, row.canonicalBytes, data, file, trailing: 8)) }
        targets.append(target("head", .head, log.head.canonicalBytes, data, file, trailing: 8))
        targets.append(Target(name: "snapshot", kind: .snapshot, file: snapshot, places: [0], value: bytes(of: snapshot)))
        return targets
    }

    /// A command that a record requested and that has not ended.
    private func open(_ call: CommandCall, in log: LMDBActionLog) throws {
        var flush = Flush(after: log.head)
        let header = RecordHeader(
            sequence: flush.sequence + 1, time: flush.time + 1_000, step: flush.sequence + 1, commands: [call])
        flush.stage(header) { App.Action.todos(.load).encode(into: &$0) }
        flush.add(OutboxRow(id: CommandID(sequence: header.sequence, index: 0), call: call, step: header.sequence))
        try log.append(flush)
    }

    private func bytes(of descriptor: Int32) -> [UInt8] {
        var status = stat()
        fstat(descriptor, &status)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        _ = pread(descriptor, &bytes, bytes.count, 0)
        return bytes
    }

    private func target(
        _ name: String, _ kind: Kind, _ value: [UInt8], _ descriptor: Int32, _ file: [UInt8], trailing more: Int = 0
    ) -> Target {
        let places = file.withUnsafeBytes { file in
            (0..<file.count - value.count - more).filter { place in
                file[place] == value[0] && value.indices.allSatisfy { file[place + $0] == value[$0] }
            }
        }
        let whole = places.first.map { Array(file[$0..<$0 + value.count + more]) } ?? []
        // Equal contents may have other checksums in other rows.
        let same = places.filter { file[$0..<$0 + whole.count].elementsEqual(whole) }
        return Target(name: name, kind: kind, file: descriptor, places: same, value: whole)
    }
}
