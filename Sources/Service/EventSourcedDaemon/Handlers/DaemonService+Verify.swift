import Records
import TimeTravel
import TodoAPI
import Values
import VarlinkNIO

extension DaemonService {
    func head(_ input: HeadMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [history] stream in
            let head = try await history.anchoredHead()
            stream.end(
                HeadMethod.Output(
                    sequence: head.sequence, chain: Hexadecimal.text(head.chain), digest: Hexadecimal.text(head.digest),
                    head: "\(head)"))
        }
    }

    func verify(_ input: VerifyMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let anchor = input.head.map { AnchoredHead($0) }
        if case .some(nil) = anchor { throw .invalidParameter("head") }
        answer(reply) { [history, facts] stream in
            let last = history.head
            let verification = try await reply.reporting(on: stream) {
                VerifyMethod.Output(reached: $0, last: last)
            } _: { progress in
                try await history.verify(from: anchor ?? nil, opened: facts.damage) { reached, _ in progress(reached) }
            }
            stream.end(
                VerifyMethod.Output(
                    reached: verification.base + verification.records, last: verification.head,
                    snapshots: UInt64(verification.snapshots), keys: UInt64(verification.keys),
                    commands: UInt64(verification.commands), bookmarks: UInt64(verification.bookmarks),
                    subscriptions: UInt64(verification.subscriptions),
                    damages: verification.damages.sorted { $0.sequence < $1.sequence }.map {
                        DamageMessage(kind: $0.kind.rawValue, sequence: $0.sequence, what: $0.what)
                    }))
        }
    }
}
