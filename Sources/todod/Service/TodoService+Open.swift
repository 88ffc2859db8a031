import AppFeature
import Reducing
import StoreRuntime
import TodoAPI
import VarlinkNIO

extension TodoService {
    func open(_ input: OpenMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let link: DeepLink
        do { link = try DeepLink(input.link) } catch { throw .refused(error, action: 0) }
        dispatch(Dispatch([link.action], origin: peer.uid, key: input.key, byteCount: input.link.utf8.count), from: peer, reply)
    }
}
