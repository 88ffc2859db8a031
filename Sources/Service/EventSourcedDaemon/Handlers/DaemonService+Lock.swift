import StoreRuntime
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func lock(_ input: LockMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard 1...LockMethod.reasonBytesMax ~= input.reason.utf8.count else { throw .invalidParameter("reason") }
        answer(reply) { [store] stream in
            let answer = try await store.lock(input.reason, by: peer.uid)
            stream.end(LockMethod.Output(epoch: answer.epoch, sequences: Array(answer.sequences)))
        }
    }

    func unlock(_ input: UnlockMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [store] stream in
            let answer = try await store.unlock(by: peer.uid)
            stream.end(UnlockMethod.Output(epoch: answer.epoch, sequences: Array(answer.sequences)))
        }
    }
}
