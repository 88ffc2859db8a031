import Reducing
import StoreRuntime
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func open(_ input: OpenMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let action: App.Action
        do throws(Refusal) { action = try App.action(opening: input.link) } catch { throw .refused(error, action: 0) }
        dispatch(Dispatch([action], origin: peer.uid, key: input.key, byteCount: input.link.utf8.count), from: peer, reply)
    }
}
