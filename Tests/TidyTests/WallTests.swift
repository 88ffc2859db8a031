import Testing

/// Three columns that do not know each other: what is true, how it is kept, how it is said.
@Suite struct WallTests {
    static let pure = [
        "Values", "Reducing", "PersistentCollections", "Fields", "*Collections", "DequeModule", "HeapModule",
    ]
    static let foundation = ["Foundation*"]
    static let keeping = ["StoreRuntime", "TimeTravel", "Records", "DiskLog", "LMDB", "CLMDB"]
    static let database = ["DiskLog", "LMDB", "CLMDB"]
    static let saying = ["Varlink", "VarlinkNIO", "TodoAPI", "NIO*"]
    static let features = ["Feature*"]

    static let walls: [Wall] = [
        Wall(folder: "Sources/State/Values", rule: .only([]), reason: "values only, and bytes on disk outlive every library"),
        Wall(folder: "Sources/State/Reducing", rule: .only(["Values"]), reason: "what a feature is depends on nothing else"),
        Wall(folder: "Sources/State/PersistentCollections", rule: .only([]), reason: "values only"),
        Wall(
            folder: "Sources/State/Fields", rule: .only(["Values", "Reducing", "PersistentCollections"]),
            reason: "a type names its fields for features alone"),
        Wall(
            folder: "Sources/Features/Todos", rule: .only(pure + ["Dates", "TodoRules"]),
            reason: "features are pure and do not know each other; what recurs is counted on the calendar"),
        Wall(folder: "Sources/Features/Counter", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Repositories", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Flows", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Alerts", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Posts", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Stars", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Views", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features", rule: .only(pure + features + ["Dates", "TodoRules"]), reason: "features are pure"),
        Wall(folder: "Sources/Log/Zstandard", rule: .only(["CZstd"]), reason: "it knows bytes alone"),
        Wall(
            folder: "Sources/Log/LMDB", rule: .only(["CLMDB", "Glibc", "Synchronization"]), reason: "it knows no log and no todo"),
        Wall(
            folder: "Sources/Log/Records", rule: .only(["Synchronization", "Values"]),
            reason: "a log in memory is written and read wherever Swift runs, and knows no todo"),
        Wall(
            folder: "Sources/Log/DiskLog", rule: .never(foundation + features + saying + ["StoreRuntime", "CommandRunning"]),
            reason: "the log keeps bytes and knows no todo"),
        Wall(
            folder: "Sources/Log/Etcd",
            rule: .never(foundation + features + keeping + ["Reducing", "Varlink", "VarlinkNIO", "TodoAPI", "ReplicatedLog"]),
            reason: "it knows keys and values, and no log"),
        Wall(
            folder: "Sources/Log/ReplicatedLog",
            rule: .never(foundation + features + saying + database + ["StoreRuntime", "CommandRunning", "Curl"]),
            reason: "the log keeps bytes, whoever keeps its copy", layers: ["Etcd"]),
        Wall(
            folder: "Sources/Store/StoreRuntime",
            rule: .only(["Records", "CMachine", "Expressions", "Reducing", "Synchronization", "Values"]),
            reason: "the store knows no todo, no socket and no database, and what replays can't reach what runs"),
        Wall(
            folder: "Sources/Store/CommandRunning", rule: .never(foundation + features + saying + database),
            reason: "the runner knows no todo, no socket and no database"),
        Wall(
            folder: "Sources/State/Dates", rule: .only(["Values"]), reason: "now and the zone come in, so every day can be tried"),
        Wall(folder: "Sources/State/TodoRules", rule: .only([]), reason: "the daemon and its clients go by the same rules"),
        Wall(folder: "Sources/State/Expressions", rule: .only(["Reducing", "Values"]), reason: "a language reads any value"),
        Wall(
            folder: "Sources/Store/TimeTravel", rule: .never(foundation + features + saying + database + ["CommandRunning"]),
            reason: "the past of any app is read, and nothing of it is run"),
        Wall(
            folder: "Sources/HTTP/Curl", rule: .only(["CCurl", "CMachine", "Dispatch", "Glibc", "Synchronization"]),
            reason: "it knows HTTP, and not what is asked"),
        Wall(
            folder: "Sources/Wire/VarlinkInterfaces", rule: .only([]),
            reason: "a description is read before anything else is built"),
        Wall(
            folder: "Sources/Wire/Varlink", rule: .only(["Glibc", "Values", "VarlinkInterfaces"]),
            reason: "the protocol does no I/O of its own"),
        Wall(
            folder: "Sources/Wire/VarlinkNIO", rule: .never(foundation + features + keeping + ["Reducing", "TodoAPI"]),
            reason: "the server serves any interface"),
        Wall(
            folder: "Sources/Programs/DataSources",
            rule: .never(foundation + keeping + ["NIO*", "VarlinkNIO", "TodoAPI", "HTTPSources"]),
            reason: "what comes with the program needs no network"),
        Wall(
            folder: "Sources/Programs/HTTPSources",
            rule: .never(foundation + keeping + ["VarlinkNIO", "TodoAPI", "EventSourcedDaemon"]),
            reason: "it knows the web, and neither the store nor the daemon"),
        Wall(
            folder: "Sources/Wire/TodoAPI", rule: .never(foundation + keeping + ["NIO*", "VarlinkNIO"]),
            reason: "messages are values that both programs share"),
        Wall(
            folder: "Sources/Wire/TodoClient",
            rule: .only(["Glibc", "Reducing", "TodoAPI", "Values", "Varlink", "VarlinkInterfaces"]),
            reason: "a client of the daemon needs its interfaces and a socket"),
        Wall(
            folder: "Sources/Programs/TodoFormats", rule: .only(["Dates", "TodoRules", "Values"]),
            reason: "what others write down is read without a machine"),
        Wall(
            folder: "Sources/Programs/Terminal", rule: .only(["CNcursesw", "CTerminal", "Glibc", "Synchronization"]),
            reason: "a screen shows cells, and knows no todo and no daemon"),
        Wall(
            folder: "Sources/Programs/todoctl", rule: .never(foundation + keeping + ["NIO*", "VarlinkNIO"]),
            reason: "the client starts in a millisecond and never touches the log"),
        Wall(
            folder: "Sources/Programs/todoweb",
            rule: .only([
                "ArgumentParser", "Glibc", "NIOCore", "NIOHTTP1", "NIOPosix", "Reducing", "Synchronization", "TodoAPI", "Values",
                "Varlink", "VarlinkInterfaces",
            ]),
            reason: "it passes on bytes and knows no todo"),
        Wall(
            folder: "Sources/Store/StoreTesting", rule: .never(features + saying + database + ["Glibc"]),
            reason: "every feature and every store can be tested with it"),
        Wall(
            folder: "Sources/Store/StoreSimulation", rule: .never(features + saying + database + ["Glibc"]),
            reason: "every app can be tested with it"),
        Wall(
            folder: "Sources/Service/LinuxService",
            rule: .never(foundation + features + keeping + ["NIO*", "VarlinkNIO"]),
            reason: "a daemon lives on a machine in one way, whatever it keeps"),
        Wall(
            folder: "Sources/Service",
            rule: .never(foundation + features + ["ArgumentParser", "DataSources", "HTTPSources", "LMDB", "CLMDB"]),
            reason: "the daemon runs any app, and the argument parser brings Foundation", layers: ["DiskLog"]),
        Wall(
            folder: "Sources/Programs/todod", rule: .never(foundation + ["ArgumentParser"]),
            reason: "Foundation is a fifth of the daemon's size"),
        Wall(folder: "Sources", rule: .never(["todod", "todoctl", "todoweb"]), reason: "programs are not libraries"),
    ]

    @Test(arguments: walls) func `a folder imports only what its wall lets through`(wall: Wall) throws {
        for path in Repository.swiftFiles(below: wall.folder) {
            let offences = wall.offences(in: SourceText(try Repository.text(path)))
            #expect(offences.isEmpty, "\(path): \(wall.reason)")
        }
    }

    @Test func `every feature but the one on top has a wall of its own`() {
        let folders = Set(
            Repository.swiftFiles(below: "Sources/Features").compactMap { $0.split(separator: "/").dropFirst(2).first })
        for folder in folders where folder != "App" {
            #expect(Self.walls.contains { $0.folder == "Sources/Features/\(folder)" }, "\(folder)")
        }
    }

    @Test func `a wall sees every way of writing an import`() {
        let source = SourceText(
            """
            import Foundation
            public import struct Glibc.stat
            @testable import Records
            @_exported internal import NIOCore // and why
            // import Comment
            let text = "not an import"
            """)
        #expect(source.imports == ["Foundation", "Glibc", "Records", "NIOCore"])
        let wall = Wall(folder: "", rule: .never(["Foundation*", "NIO*", "*cords"]), reason: "")
        #expect(wall.offences(in: source) == ["Foundation", "Records", "NIOCore"])
        #expect(Wall(folder: "", rule: .only(["Glibc"]), reason: "").offences(in: source).count == 3)
    }
}
