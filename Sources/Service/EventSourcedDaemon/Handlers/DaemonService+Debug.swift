import Reducing
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func debug(_ input: DebugMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard scopes.features.contains(where: { $0.hasSameBytes(as: input.feature) }) else {
            throw .unknownFeature(input.feature.asName, known: scopes.features)
        }
        reply.succeed(DebugMethod.Output(features: debugging.turn(input.feature, on: input.on)))
    }

    func debugTail(_ input: DebugTailMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        answer(reply) { [debugging] stream in
            try await debugging.follow { try await stream.send($0) }
        }
    }
}
