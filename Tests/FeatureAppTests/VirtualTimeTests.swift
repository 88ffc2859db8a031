import Chronicle
import ChronicleTesting
import FeatureAlerts
import FeatureApp
import FeatureFlows
import FeatureRepositories
import Testing

/// Inputs at given times of a virtual clock produce outputs at exactly the expected times.
@Suite struct VirtualTimeTests {
    private let atOnce: [String: Rehearsal.Answer] = [
        "Swift": .init(items: [swift, vapor]), "C": .init(items: [linux]), "Java": .init(failure: "no network"),
    ]

    @Test func `a reload at 300 with an immediate response lists the repositories at 300`() {
        let rehearsal = Rehearsal(answers: atOnce)
        rehearsal.input(at: 300, .repositories(.reload))
        rehearsal.play()
        #expect(rehearsal.repositories == ["200 []", "300 [swiftlang/swift, vapor/vapor]"])
    }

    @Test func `a reload at 300 and another language at 400 give a list at 300 and one at 400`() {
        let rehearsal = Rehearsal(answers: atOnce)
        rehearsal.input(at: 300, .repositories(.reload))
        rehearsal.input(at: 400, .repositories(.setLanguage("C")))
        rehearsal.play()
        #expect(rehearsal.repositories == ["200 []", "300 [swiftlang/swift, vapor/vapor]", "400 [torvalds/linux]"])
    }

    @Test func `changing the language before the first reload gives no list`() {
        let rehearsal = Rehearsal(answers: atOnce)
        rehearsal.input(at: 300, .repositories(.setLanguage("C")))
        rehearsal.play()
        #expect(rehearsal.repositories == ["200 []"])
        #expect(rehearsal.titles == ["200 Swift", "300 C"])
    }

    @Test func `an error at 300 raises an alert at 300, and a reload at 500 gives a list at 500`() {
        let rehearsal = Rehearsal(App.State(repositories: .init(language: "Java")), answers: atOnce)
        rehearsal.input(at: 300, .repositories(.reload))
        rehearsal.input(at: 400, .repositories(.setLanguage("Swift")))
        rehearsal.input(at: 500, .repositories(.reload))
        rehearsal.play()
        #expect(rehearsal.alerts.count == 2 && rehearsal.alerts[0].hasPrefix("200 "))
        #expect(rehearsal.alerts[1].hasPrefix("300 ") && rehearsal.alerts[1].contains("no network"))
        #expect(rehearsal.repositories == ["200 []", "400 [swiftlang/swift, vapor/vapor]"])
        // The new list is equal to the previous one, so only the indicator shows the reload.
        #expect(rehearsal.indicator.suffix(2) == ["500 on", "500 off"])
    }

    @Test func `a new subscriber gets the current title and then each new one`() {
        let rehearsal = Rehearsal(answers: atOnce)
        rehearsal.input(at: 100, .repositories(.setLanguage("Java")))
        rehearsal.input(at: 300, .repositories(.setLanguage("C")))
        rehearsal.input(at: 400, .repositories(.setLanguage("C")))
        rehearsal.play()
        #expect(rehearsal.titles == ["200 Java", "300 C"])
    }

    @Test func `a repository that is selected at 300 is shown at 300, and nothing else changes`() {
        let rehearsal = Rehearsal(liveApp, answers: atOnce)
        rehearsal.input(at: 300, .repositories(.open(vapor.id)))
        rehearsal.play()
        #expect(rehearsal.pages == ["300 \(Value.record([.init("url", .text(vapor.url))]))"])
        #expect(rehearsal.repositories.count == 1 && rehearsal.titles.count == 1 && rehearsal.alerts.count == 1)
    }

    @Test func `choosing at 300 shows the languages at 300, and an answer at 400 shows its list at 400`() {
        let rehearsal = Rehearsal(liveApp, answers: atOnce)
        rehearsal.input(at: 300, .flows(.start(kind: "language")))
        rehearsal.input(at: 400, .flows(.answer(1, "C")))
        rehearsal.play()
        #expect(
            rehearsal.languageLists == ["200 []", "300 [[Swift, Objective-C, Java, C, C++, Python, C#]]", "400 []"])
        #expect(rehearsal.titles == ["200 Swift", "400 C"])
        #expect(rehearsal.repositories.last == "400 [torvalds/linux]")
    }

    @Test func `the refresh indicator is on from a request to its response or error`() {
        let rehearsal = Rehearsal(
            answers: ["Swift": .init(after: 50, items: [swift]), "C": .init(after: 20, failure: "no network")])
        rehearsal.input(at: 300, .repositories(.reload))
        rehearsal.input(at: 400, .repositories(.setLanguage("C")))
        rehearsal.play()
        #expect(rehearsal.indicator == ["200 off", "300 on", "350 off", "400 on", "420 off"])
        #expect(rehearsal.repositories == ["200 []", "350 [swiftlang/swift]"])
    }

    @Test func `a late response for the previous language is dropped`() {
        let rehearsal = Rehearsal(answers: ["Swift": .init(after: 50, items: [swift]), "C": .init(after: 10, items: [linux])])
        rehearsal.input(at: 300, .repositories(.reload))
        rehearsal.input(at: 320, .repositories(.setLanguage("C")))
        rehearsal.play()
        #expect(rehearsal.repositories == ["200 []", "330 [torvalds/linux]"])
        #expect(rehearsal.indicator == ["200 off", "300 on", "330 off"])
    }

    @Test func `a service with a delay of two seconds takes virtual time only`() async throws {
        let clock = TestClock()
        let start = clock.microseconds
        let store = TestStore(App.State(), of: App.self, clock: clock)
        store.send(.repositories(.reload)) {
            $0.repositories.isLive = true
            $0.repositories.loading = true
        }
        store.expect(.repositories(.fetch(language: "Swift")))
        async let answer = service(clock)
        try await clock.sleeping()
        clock.advance(by: .seconds(2))
        store.receive(.repositories(.loaded(language: "Swift", try await answer))) {
            $0.repositories = .init(items: [swift], isLive: true)
        }
        #expect(store.context.time == start + 2_000_000)
        store.finish()
    }

    private nonisolated func service(_ clock: TestClock) async throws -> [Repository] {
        try await clock.sleep(until: clock.now.advanced(by: .seconds(2)))
        return [swift]
    }
}
