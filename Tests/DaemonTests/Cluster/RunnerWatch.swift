import DispatchHistory
import Foundation
import Glibc
import Synchronization
import Varlink

/// Looks again and again who may run the commands, and where the log ends at that moment.
struct RunnerWatch: Sendable {
    private struct Look {
        var node: String
        /// When it became the one; the same again says that it was so all the time.
        var since: String
        var sequence: Int64
    }

    let doors: [EtcdDoor]
    let isOver: @Sendable () -> Bool

    /// The stretches of the log of which it is known who ran the commands.
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

    /// Both are of one moment, or it would say nothing.
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

    /// A number of a canonical message: each field is its number and kind, then a number, or a length and so many bytes.
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
