import DispatchHistory
import Foundation
import Glibc
import Synchronization
import Varlink

/// Polls which daemon may run commands, and where the log ends at that moment.
struct RunnerWatch: Sendable {
    private struct Look {
        var node: String
        /// When it got the lease.
        ///
        /// The same value twice means that it held the lease in between.
        var since: String
        var sequence: Int64
    }

    let doors: [EtcdDoor]
    let isOver: @Sendable () -> Bool

    /// The ranges of the log for which the lease holder is known.
    func terms() -> [SeenTerm] {
        var (terms, last, turn): ([SeenTerm], Look?, Int) = ([], nil, 0)
        while !isOver() {
            if let look = try? look(doors[turn % doors.count]) {
                if let last, last.since == look.since {
                    terms.append(SeenTerm(behind: last.sequence, through: look.sequence, node: look.node))
                }
                last = look
                usleep(50_000)
            } else {
                turn += 1
                usleep(20_000)
            }
        }
        return terms
    }

    /// Both values are from the same moment, otherwise they would prove nothing.
    private func look(_ door: EtcdDoor) throws -> Look? {
        let keys = ["leader", "head"].map { EtcdDoor.text("\(Site.prefix)\($0)".utf8) }
        let answer = try door.ask(
            "kv/txn", ["success": .list(keys.map { ["request_range": ["key": $0]] })], seconds: 1)
        let found = (answer["responses"]?.list ?? []).map { $0["response_range"]?["kvs"]?.list?.first }
        guard found.count == 2, let leader = found[0], let head = found[1], let since = leader["create_revision"]?.text,
            let sequence = Self.number(5, in: EtcdDoor.bytes(head["value"]))
        else { return nil }
        return Look(
            node: String(decoding: EtcdDoor.bytes(leader["value"]), as: UTF8.self), since: since, sequence: Int64(sequence))
    }

    /// A number of a canonical message.
    ///
    /// Each field is its number and kind, followed by a number, or by a length and that many bytes.
    private static func number(_ wanted: UInt64, in bytes: [UInt8]) -> UInt64? {
        var place = 0
        func varint() -> UInt64 {
            var (value, shift): (UInt64, UInt64) = (0, 0)
            while place < bytes.count {
                defer { place += 1 }
                value |= UInt64(bytes[place] & 0x7F) << shift
                shift += 7
                if bytes[place] < 0x80 { break }
            }
            return value
        }
        while place < bytes.count {
            let tag = varint()
            let value = varint()
            if tag & 3 == 1 { place += Int(value) } else if tag >> 2 == wanted { return value }
        }
        return wanted == 5 ? 0 : nil
    }
}
