import ActionLogs
import AppFeature
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension TodoService {
    private static let pageBookmarksMax = 256

    func bookmark(_ input: SetBookmarkMethod.Input, by uid: UInt32, _ reply: ReplyHandle) throws(APIError) {
        let name: BookmarkName
        do {
            name = try BookmarkName(input.bookmark)
        } catch {
            throw .badBookmark(input.bookmark, message: "\(error)")
        }
        let moment = try input.at?.moment("at") ?? .now
        answer(reply) { [store, timeline] stream in
            let sequence = try await timeline.resolve(moment)
            let answer = try await store.set(Bookmark(name: name.text, sequence: sequence), by: uid)
            stream.end(
                SetBookmarkMethod.Output(epoch: answer.epoch, sequence: sequence, sequences: Array(answer.sequences)))
        }
    }

    func removeBookmark(_ input: RemoveBookmarkMethod.Input, by uid: UInt32, _ reply: ReplyHandle) throws(APIError) {
        // No other name is in any log.
        guard 1...Bookmark.nameBytesMax ~= input.bookmark.utf8.count else { throw .unknownBookmark(input.bookmark) }
        answer(reply) { [store] stream in
            let answer = try await store.set(Bookmark(withdrawing: input.bookmark), by: uid)
            stream.end(RemoveBookmarkMethod.Output(epoch: answer.epoch, sequences: Array(answer.sequences)))
        }
    }

    func bookmarks(_ reply: ReplyHandle) {
        let more = reply.more
        answer(reply) { [timeline] stream in
            var rest = try await timeline.bookmarks().map {
                BookmarkMessage(name: $0.name, sequence: $0.sequence, record: $0.record)
            }[...]
            guard more else { return try stream.endWhole(BookmarksMethod.Output(bookmarks: Array(rest))) }
            while rest.count > Self.pageBookmarksMax {
                try await stream.send(BookmarksMethod.Output(bookmarks: Array(rest.prefix(Self.pageBookmarksMax))))
                rest = rest.dropFirst(Self.pageBookmarksMax)
            }
            stream.end(BookmarksMethod.Output(bookmarks: Array(rest)))
        }
    }
}

extension ReplyStream {
    /// Sends an answer that has to be one frame.
    ///
    /// - Throws: `answerTooLarge` above `TodoService.answerBytesMax`.
    func endWhole(_ message: some Message) throws(APIError) {
        var bytes: [UInt8] = []
        message.write(into: &bytes)
        guard bytes.count <= TodoService.answerBytesMax else { throw .answerTooLarge }
        end(bytes)
    }
}
