import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func activity(_ input: ActivityMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard 1...ActivityMethod.bucketsMax ~= input.buckets else { throw .invalidParameter("buckets") }
        let epoch = store.present.epoch
        // Without an end it is what is served, as in Log.
        let (from, to) = (try input.from?.moment("from"), try input.to?.moment("to") ?? .sequence(store.present.sequence))
        answer(reply) { [history] stream in
            let activity = try await history.activity(from: from, to: to, stretches: Int(input.buckets))
            stream.end(
                ActivityMethod.Output(epoch: epoch, from: activity.from, to: activity.to, sequences: activity.sequences))
        }
    }
}
