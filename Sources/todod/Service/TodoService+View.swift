import AppFeature
import Reducing
import StoreRuntime
import TodoAPI
import VarlinkNIO

extension TodoService {
    func view(_ input: ViewMethod.Input, _ reply: ReplyHandle) {
        reply.answer { [store] stream in
            let present = store.present
            guard let view = try await store.queries.admit({ _ throws(StoreError) in App.view(of: present.state)[input.feature] })
            else { throw APIError.unknownFeature(input.feature) }
            guard view.approximateBytes <= Self.answerBytesMax else { throw APIError.answerTooLarge }
            stream.end(ViewMethod.Output(epoch: present.epoch, sequence: present.sequence, view: view))
        }
    }
}
