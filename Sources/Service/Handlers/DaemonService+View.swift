import Reducing
import StoreRuntime
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func view(_ input: ViewMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [self, store] stream in
            let sight = try await sight(at: input.at)
            let view = try await store.queries.admit(.short) { _ throws(StoreError) in App.view(of: sight.state)[input.feature] }
            guard let view else { throw APIError.unknownFeature(feature: input.feature) }
            guard view.approximateBytes <= AnswerLimits.bytesMax else { throw APIError.answerTooLarge }
            stream.end(ViewMethod.Output(sight, view))
        }
    }
}
