import ChronicleLog
import ChronicleStore
import Expressions
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
        // No log contains another name.
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

    func setInvariant(_ input: SetInvariantMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard (try? BookmarkName(input.name)) != nil else { throw .invalidParameter("name") }
        guard input.expression.utf8.count <= Invariant.textBytesMax else { throw .invalidParameter("expression") }
        let expression = try Expression(sent: input.expression, of: App.shape, on: .value)
        guard expression.isJudgedByChanges else {
            throw .badExpression(
                message:
                    "a loop in an invariant must iterate over a list of the state, and its condition must read only the element",
                column: 1)
        }
        answer(reply) { [store] stream in
            let answer = try await store.setInvariant(input.name, expression, by: peer.uid)
            let holds = try await store.invariants().first { $0.invariant.name == input.name }?.holds
            stream.end(
                SetInvariantMethod.Output(epoch: answer.epoch, sequences: Array(answer.sequences), holds: holds == true))
        }
    }

    func removeInvariant(_ input: RemoveInvariantMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [store] stream in
            let answer = try await store.removeInvariant(input.name, by: peer.uid)
            stream.end(RemoveInvariantMethod.Output(epoch: answer.epoch, sequences: Array(answer.sequences)))
        }
    }

    func invariants(_ input: InvariantsMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [store] stream in
            let standing = try await store.invariants().map { standing in
                StandingInvariantMessage(
                    name: standing.invariant.name, expression: standing.invariant.text, origin: standing.invariant.origin,
                    record: standing.invariant.record, holds: standing.holds)
            }
            stream.end(InvariantsMethod.Output(invariants: standing))
        }
    }
}
