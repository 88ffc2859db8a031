import Chronicle
import Dates
import TodoAPI
import Varlink

// Moments as text: "go to" and bookmark names.
extension ScreenModel {
    private static let momentPrompt = 1
    private static let bookmarkPrompt = 2

    mutating func askForMoment() { prompt = Prompt(.time(Self.momentPrompt, label: "go to")) }

    mutating func askForBookmark() { prompt = Prompt(.time(Self.bookmarkPrompt, label: "name of @\(handle)")) }

    /// Takes a line typed for `Prompt.Purpose.time`.
    mutating func typedTime(_ purpose: Int, _ text: String) -> [ScreenRequest] {
        guard purpose == Self.momentPrompt else {
            let input = SetBookmarkMethod.Input(bookmark: text, at: Point(sequence: handle))
            return [call(TimeCall.setBookmark, ScreenCall(SetBookmarkMethod.self, input, over: .quick))]
        }
        stopMoving()
        do throws(Failure) {
            let point = try moment(in: text)
            if point == .now || point.back == 0 {
                goLive()
            } else if point == .start {
                go(to: firstMoment)
            } else if let sequence = point.sequence, sequence <= lastRecord {
                go(to: sequence)
            } else {
                seek(.record, otherwise: firstMoment, .init(to: point, limit: 1, reverse: true))
            }
        } catch { message = ScreenMessage(text: Self.sentence(error), kind: .failure) }
        return []
    }

    private func moment(in text: String) throws(Failure) -> Point {
        let parser = PointParser(now: now / 1_000_000, zone: context.zone, weekBegin: context.weekBegin)
        do { return try parser.point(text, edge: .moment).point } catch { throw Failure(error) }
    }

    /// The interpretation of a typed moment, if it is a time.
    func reading(ofTime purpose: Int, _ text: String) -> String? {
        guard purpose == Self.momentPrompt else { return nil }
        do throws(Failure) {
            guard let time = try moment(in: text).time else { return nil }
            return context.zone.moment(at: time / 1_000_000).long
        } catch { return nil }
    }

    /// Why the text names no known moment; `nil` if it may.
    func mistake(ofTime purpose: Int, _ text: String) -> String? {
        guard purpose == Self.momentPrompt else { return nil }
        do throws(Failure) {
            guard let name = try moment(in: text).bookmark, !time.areBookmarksStale, !time.asked.contains(TimeCall.bookmarks),
                !time.bookmarks.contains(where: { $0.name.hasSameBytes(as: name) })
            else { return nil }
            return "No moment, and no bookmark, is called “\(Visible.text(name))”."
        } catch { return Self.sentence(error) }
    }
}
