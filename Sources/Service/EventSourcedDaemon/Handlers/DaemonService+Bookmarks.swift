import Records
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func setBookmark(_ input: SetBookmarkMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let name: BookmarkName
        do throws(StoreError) { name = try BookmarkName(input.bookmark) } catch { throw APIError(error) }
        let moment = try input.at?.moment("at") ?? .now
        answer(reply) { [self, store, history] stream in
            let sequence = try await history.resolve(moment)
            let answer = try await store.set(
                Bookmark(name: name.text, sequence: sequence), by: peer.uid, isOfOwner: !administers(peer))
            stream.end(
                SetBookmarkMethod.Output(epoch: answer.epoch, sequence: sequence, sequences: Array(answer.sequences)))
        }
    }

    func removeBookmark(_ input: RemoveBookmarkMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        // No other name is in any log.
        guard 1...Bookmark.nameBytesMax ~= input.bookmark.utf8.count else {
            throw .unknownBookmark(bookmark: input.bookmark.asName)
        }
        answer(reply) { [store] stream in
            let answer = try await store.set(Bookmark(withdrawing: input.bookmark), by: peer.uid)
            stream.end(RemoveBookmarkMethod.Output(epoch: answer.epoch, sequences: Array(answer.sequences)))
        }
    }

    func bookmarks(_ input: BookmarksMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        let more = reply.more
        answer(reply) { [history] stream in
            let bookmarks = try await history.bookmarks().map {
                BookmarkMessage(name: $0.name, sequence: $0.sequence, record: $0.record)
            }
            try await stream.end(list: bookmarks, inPages: more, bytes: \.byteCount) { BookmarksMethod.Output(bookmarks: $0) }
        }
    }
}
