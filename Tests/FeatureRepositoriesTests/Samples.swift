import FeatureRepositories
import Fields
import TestSupport

let swift = Repository(
    id: 44_838_949, fullName: "swiftlang/swift", description: "The Swift Programming Language",
    url: "https://github.com/swiftlang/swift", stars: 67_000)
let vapor = Repository(id: 49_910_095, fullName: "vapor/vapor", url: "https://github.com/vapor/vapor", stars: 24_000)
let grdb = Repository(id: 35_476_107, fullName: "groue/GRDB.swift", description: "SQLite", stars: 7_000)
let linux = Repository(id: 2_325_298, fullName: "torvalds/linux", url: "https://github.com/torvalds/linux", stars: 180_000)

/// A list that was loaded once.
let loadedState = Repositories.State(items: [swift, vapor, grdb], isLive: true)

/// The name of the refusal, or `nil` if there was none.
func refusal(of action: Repositories.Action, in state: Repositories.State) -> String? {
    do {
        _ = try Repositories.prepare(action, state, .test)
        return nil
    } catch { return error.name }
}

extension SeededGenerator {
    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func text() -> String {
        let words = ["", "Swift", "C", "C++", "Rust", "é", "e\u{301}", "https://example.org/a", "javascript:alert(1)", "a\u{0}b"]
        return words[number(0..<words.count)]
    }

    mutating func id() -> UInt64 { [0, 1, 2, 3, 300, Repositories.Limits.ids.upperBound, .max][number(0..<7)] }

    mutating func repository() -> Repository {
        Repository(
            id: id(), fullName: text(), description: text(), url: text(),
            stars: [.min, 0, 1, Repository.starsMax, .max][number(0..<5)])
    }

    mutating func repositories() -> [Repository] { (0..<number(0..<5)).map { _ in repository() } }

    mutating func texts() -> [String] { (0..<number(0..<4)).map { _ in text() } }

    /// Any action, sensible or not, as dispatched, brought back or logged.
    mutating func action() -> Repositories.Action {
        switch number(0..<10) {
        case 0: .reload
        case 1: .setLanguage(text())
        case 2: .browse(text())
        case 3: .open(id())
        case 4: .openAt(index: [0, 3, 39, .max][number(0..<4)])
        case 5: .loadLanguages
        case 6: .loaded(language: text(), repositories())
        case 7: .loadFailed(language: text(), reason: text())
        case 8: .languagesLoaded(texts())
        default: .languagesFailed(reason: text())
        }
    }

    /// A state that some random actions led to, as they would be logged.
    mutating func state(_ steps: Int = 30) -> Repositories.State {
        var state = Repositories.State()
        for _ in 0..<number(0..<steps) {
            for logged in (try? Repositories.prepare(action(), state, .test)) ?? [] {
                _ = Repositories.reduce(&state, logged, .test)
            }
        }
        return state
    }
}
