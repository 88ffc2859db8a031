import Chronicle
import FeaturePosts
import TestSupport

/// A post as a data source returns it.
func post(_ key: String, id: UInt64 = 0) -> Post { Post(id: id, key: key, title: "About \(key)") }

extension Posts.State {
    var keys: [String] { items.elements.map(\.key) }

    mutating func dispatch(_ action: Posts.Action) throws(Refusal) {
        for logged in try Posts.prepare(action, self, .test) { reduce(logged) }
    }

    mutating func reduce(_ action: Posts.Action) { _ = Posts.reduce(&self, action, .test) }
}

func refusal(of action: Posts.Action, in state: Posts.State) -> String? { Posts.refusal(of: action, in: state) }

extension SeededGenerator {
    mutating func text() -> String { ["", " ", "news", "é", "e\u{301}", "🧑‍🧑‍🧒", "\u{202E}", "a\u{0}b"][number(0..<8)] }

    mutating func key() -> String { number(0..<10) == 0 ? text() : "post \(number(0..<30))" }

    mutating func id() -> UInt64 {
        switch number(0..<40) {
        case 0: 0
        case 1: .max
        case 2: ElementID.range.upperBound
        default: UInt64(number(1..<40))
        }
    }

    mutating func page() -> Int64 { [.min, -1, 0, 1, 2, Int64.exactMax, .max][number(0..<7)] }

    mutating func posts() -> [Post] {
        (0..<number(0..<8)).map { _ in
            Post(
                id: number(0..<2) == 0 ? 0 : id(), key: key(), title: text(), link: text(), summary: text(),
                published: number(0..<2) == 0 ? 0 : page())
        }
    }

    /// Returns a random action, valid or not, in its dispatched or logged form.
    mutating func action() -> Posts.Action {
        switch number(0..<9) {
        case 0: .fetch
        case 1, 2: .more
        case 3: .add(id())
        case 4, 5: .set(posts(), nextPage: page())
        case 6, 7: .append(posts(), nextPage: page())
        default: .failed(text())
        }
    }

    /// Returns the state after some random actions.
    mutating func state(_ steps: Int = 20) -> Posts.State {
        var state = Posts.State()
        for _ in 0..<number(0..<steps) { state.reduce(action()) }
        return state
    }
}
