import Chronicle
import FeatureRepositories
import TestSupport

let swift = Repository(
    id: 44_838_949, fullName: "swiftlang/swift", description: "The Swift Programming Language",
    url: "https://github.com/swiftlang/swift", stars: 67_000)
let vapor = Repository(id: 49_910_095, fullName: "vapor/vapor", url: "https://github.com/vapor/vapor", stars: 24_000)
let grdb = Repository(id: 35_476_107, fullName: "groue/GRDB.swift", description: "SQLite", stars: 7_000)
let linux = Repository(id: 2_325_298, fullName: "torvalds/linux", url: "https://github.com/torvalds/linux", stars: 180_000)

/// A list that was loaded once.
let loadedState = Repositories.State(items: [swift, vapor, grdb], isLive: true)

func refusal(of action: Repositories.Action, in state: Repositories.State) -> String? {
    Repositories.refusal(of: action, in: state)
}

extension SeededGenerator {
    mutating func text() -> String {
        let words = ["", "Swift", "C", "C++", "Rust", "é", "e\u{301}", "https://example.org/a", "javascript:alert(1)", "a\u{0}b"]
        return words[number(0..<words.count)]
    }

    mutating func id() -> UInt64 { [0, 1, 2, 3, 300, ElementID.range.upperBound, .max][number(0..<7)] }

    mutating func repository() -> Repository {
        Repository(
            id: id(), fullName: text(), description: text(), url: text(),
            stars: [.min, 0, 1, Int64.exactMax, .max][number(0..<5)])
    }

    mutating func repositories() -> [Repository] { (0..<number(0..<5)).map { _ in repository() } }

    mutating func texts() -> [String] { (0..<number(0..<4)).map { _ in text() } }

    /// Returns a random action, valid or not, in its dispatched or logged form or as the result of a command.
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

    /// Returns the state after some random logged actions.
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
