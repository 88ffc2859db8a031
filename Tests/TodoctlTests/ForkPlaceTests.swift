import Testing

@testable import todoctl

@Suite struct ForkPlaceTests {
    @Test(arguments: ["try", "a", "Release-1.2_b", String(repeating: "a", count: 32)])
    func `a fork has its own directory, and its socket path identifies it`(name: String) throws {
        let place = try ForkPlace(name)
        #expect(place.directory.hasSuffix("/todod-forks/\(name)"))
        #expect(ForkPlace(socket: place.socket) == place)
        #expect(ForkPlace(socket: place.unfinished.socket) == nil)
    }

    @Test(arguments: ["", "1", ".try", "-a", "a/b", "..", "a b", "ä", "list", "merge", String(repeating: "a", count: 33)])
    func `a path or a verb is refused as the name of a fork`(name: String) {
        #expect(throws: Failure.self) { try ForkPlace(name) }
    }

    @Test(arguments: ["/run/todod/org.todod.Store", "relative", ""])
    func `the socket of another daemon belongs to no fork`(socket: String) {
        #expect(ForkPlace(socket: socket) == nil)
    }
}
