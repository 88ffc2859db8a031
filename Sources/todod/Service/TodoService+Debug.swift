import Reducing
import TodoAPI
import VarlinkNIO

extension TodoService {
    func debug(_ input: DebugMethod.Input, _ reply: ReplyHandle) throws(APIError) {
        guard Debugging.names.contains(where: { $0.hasSameBytes(as: input.feature) }) else {
            throw .unknownFeature(input.feature)
        }
        reply.succeed(DebugMethod.Output(features: debugging.turn(input.feature, on: input.on)))
    }

    func debugTail(_ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        reply.answer { [debugging] stream in
            try await debugging.follow { try await stream.send($0) }
        }
    }
}
