import Testing

@testable import todoctl

@Suite struct ForkPlaceTests {
    @Test(arguments: ["try", "a", "Release-1.2_b", String(repeating: "a", count: 32)])
    func `a fork has a directory of its own, which its socket tells`(name: String) throws {
        let place = try ForkPlace(name)
        #expect(place.directory.hasSuffix("/todod-forks/\(name)"))
        #expect(ForkPlace(socket: place.socket) == place)
        #expect(ForkPlace(socket: place.unfinished.socket) == nil)
    }

    @Test(arguments: ["", "1", ".try", "-a", "a/b", "..", "a b", "ä", "list", "merge", String(repeating: "a", count: 33)])
    func `what leads elsewhere, or is a verb, is no name of a fork`(name: String) {
        #expect(throws: Failure.self) { try ForkPlace(name) }
    }

    @Test(arguments: ["/run/todod/org.todod.Store", "relative", ""])
    func `the socket of another daemon is that of no fork`(socket: String) {
        #expect(ForkPlace(socket: socket) == nil)
    }
}
