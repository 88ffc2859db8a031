import Chronicle
import ChronicleTesting
import FeatureRepositories
import TestSupport
import Testing

/// Encodings, scopes, changes and view of repositories.
@Suite struct RepositoriesFormTests {
    @Test(arguments: 0..<10 as Range<UInt64>) func `the laws of a feature hold`(seed: UInt64) {
        var random = SeededGenerator(seed)
        checkLaws(
            of: Repositories.self, states: (0..<6).map { _ in random.state() }, actions: (0..<30).map { _ in random.action() })
    }

    @Test func `the encoding is stable`() throws {
        #expect(Repositories.State().canonicalBytes.isEmpty)
        #expect(Repositories.State(language: "C", isLive: true).canonicalBytes == [5, 1, 0x43, 20, 1])
        #expect(Repositories.Action.reload.canonicalBytes == [5, 0])
        #expect(Repositories.Action.setLanguage("C").canonicalBytes == [9, 3, 5, 1, 0x43])
        #expect(Repositories.Action.open(300).canonicalBytes == [17, 3, 4, 0xAC, 2])
        #expect(Repositories.Action.openAt(index: 0).canonicalBytes == [17, 2, 8, 0])
        #expect(
            Repositories.Action.loaded(language: "C", [Repository(id: 1, fullName: "a", stars: 2)]).canonicalBytes == [
                25, 12, 5, 1, 0x43, 9, 7, 4, 1, 9, 1, 0x61, 20, 2,
            ])
        #expect(
            Repositories.Action.restore(.init(removed: [3]), language: "C", languages: ["D"], isLive: true).canonicalBytes == [
                41, 12, 5, 2, 4, 3, 9, 1, 0x43, 13, 1, 0x44, 16, 1,
            ])
        #expect(Repositories.Command.fetch(language: "C").canonicalBytes == [5, 3, 5, 1, 0x43])
        for bytes in [[], [5, 1, 0], [45, 0], [41, 2, 5, 0], [5, 0, 9, 0], [17, 0], [17, 4, 4, 1, 8, 0]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Repositories.Action(canonical: bytes) }
        }
        // The default language, the default languages and a duplicate repository.
        var initial = CanonicalWriter()
        for name in Repositories.State.initialLanguages { initial.element(2, name) }
        var twice = CanonicalWriter()
        for _ in 1...2 { twice.message(3, swift) }
        for bytes in [[5, 5] + Array("Swift".utf8), initial.bytes, twice.bytes] {
            #expect(throws: CanonicalError.self) { try Repositories.State(canonical: bytes) }
        }
    }

    @Test func `commands have a name, a wire form and a log form`() throws {
        let commands: [Repositories.Command] = [
            .fetch(language: "C++"), .languages, .show(url: "https://a.b"), .cancelLanguages,
        ]
        #expect(
            commands.map(\.name) == [
                "repositories.fetch", "repositories.languages", "repositories.show", "repositories.cancelLanguages",
            ])
        #expect(commands.map(\.arguments) == [["language": "C++"], [:], ["url": "https://a.b"], [:]])
        #expect(commands.map(\.canonicalBytes).last == [17, 0])
        for command in commands {
            #expect(try Repositories.Command(canonical: command.canonicalBytes) == command)
            #expect(command.version == 1)
        }
        for bytes in [[], [21, 0], [9, 3, 5, 1, 0x43], [17, 3, 5, 1, 0x43], [5, 0, 5, 0]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Repositories.Command(canonical: bytes) }
        }
    }

    @Test func `a mismatch of a value reports its path`() {
        #expect(throws: ValueMismatch("setLanguage.language", "this field is missing")) {
            try Repositories.Action(["setLanguage": [:]])
        }
        #expect(throws: ValueMismatch("close", "there is no such action")) { try Repositories.Action(["close": [:]]) }
        #expect(throws: ValueMismatch("reload.now", "there is no such field")) { try Repositories.Action(["reload": ["now": 1]]) }
        #expect(throws: ValueMismatch("open.id", "an id, a whole number from 1, is expected")) {
            try Repositories.Action(["open": ["id": 0]])
        }
        #expect(throws: ValueMismatch("items[1].id", "the id 1 is taken")) {
            try Repositories.State(["items": [["id": 1, "fullName": "a"], ["id": 1, "fullName": "b"]]])
        }
        #expect(throws: ValueMismatch("stars", "a whole number from 0 is expected")) {
            try Repository(["id": 1, "fullName": "a", "stars": -1])
        }
        #expect(throws: ValueMismatch.self) { try Repositories.State(["language": ""]) }
        #expect(throws: ValueMismatch.self) { try Repositories.State(["languages": []]) }
    }

    @Test func `the view has the language as its title and a row for each repository`() {
        #expect(
            Repositories.view(of: Repositories.State(language: "C", languages: ["C"], items: [linux, grdb], loading: true)) == [
                "title": "C", "refreshing": true, "languages": ["C"],
                "repositories": [
                    [
                        "id": 2_325_298, "name": "torvalds/linux", "description": "", "stars": "⭐️ 180000",
                        "url": "https://github.com/torvalds/linux",
                    ],
                    ["id": 35_476_107, "name": "groue/GRDB.swift", "description": "SQLite", "stars": "⭐️ 7000", "url": ""],
                ],
            ])
    }

    @Test func `the refresh indicator is on while a request runs, off after success and after failure`() {
        for fact in [.loaded(language: "Swift", []), .loadFailed(language: "Swift", reason: "x")] as [Repositories.Action] {
            var state = Repositories.State()
            var seen: [Value?] = []
            for action in [.reload, fact] {
                seen.append(Repositories.view(of: state)["refreshing"])
                _ = Repositories.reduce(&state, action, .test)
            }
            seen.append(Repositories.view(of: state)["refreshing"])
            #expect(seen == [false, true, false])
        }
    }

    @Test func `the changes of a new list are changes of its rows`() throws {
        var new = loadedState
        var grown = swift
        grown.stars += 1
        new.items = Repositories.State(items: [vapor, grown, linux]).items
        new.loading = true
        let changes = try #require(Repositories.changes(from: loadedState, to: new, limit: 9))
        #expect(changes.map(\.kind) == [.remove, .move, .insert, .replace, .set])
        #expect(changes.map(\.path) == ["items", "items", "items", "items", ""])
        #expect(Repositories.changes(from: loadedState, to: new, limit: 4) == nil)
        #expect(Repositories.changes(from: loadedState, to: loadedState, limit: 0) == [])
        #expect(Repositories.changedScopes(from: loadedState, to: new) == [ScopeSet(index: 2), ScopeSet(index: 3)])
        #expect(Repositories.changedScopes(from: new, to: new).isEmpty)
    }

    /// 64-bit FNV-1a.
    @Test func `a fixed script of actions has a stable encoding`() throws {
        var state = Repositories.State()
        var log: [UInt8] = []
        let script: [Repositories.Action] = [
            .reload, .loaded(language: "Swift", [swift, vapor, grdb]), .loadLanguages, .languagesLoaded(["Swift", "C++", "C#"]),
            .browse("C++"), .loadFailed(language: "C++", reason: "caf\u{E9} closed"), .openAt(index: 1), .setLanguage("C#"),
            .loadFailed(language: "C#", reason: ""), .languagesFailed(reason: "no network"),
        ]
        for action in script {
            for logged in try Repositories.prepare(action, state, .test) {
                log += logged.canonicalBytes
                for command in Repositories.reduce(&state, logged, .test) { log += command.canonicalBytes }
            }
        }
        #expect(digest(log) == 8_759_272_971_092_518_569)
        #expect(digest(state.canonicalBytes) == 3_436_251_086_252_497_426)
    }

    @Test func `a projection of list elements has the same values as the elements`() throws {
        let list = Repositories.lists(of: loadedState)[0]
        for names in [[], ["name"], ["name", "description"], ["stars", "id"], ["nothing"]] {
            let columns = list.columns(names)
            let known = list.elements(0..<list.count).flatMap { $0.record?.map(\.name) ?? [] }
            #expect(Set(columns.names) == Set(names).intersection(known))
            for range in [0..<list.count, 1..<2, 2..<2] {
                let values = columns.values(range)
                let expected = list.elements(range).flatMap { element in columns.names.map { element[$0] ?? .null } }
                #expect(values == expected)
            }
        }
    }
}
