import Testing

/// The import rules of the source folders; state, log and wire don't know each other.
@Suite struct WallTests {
    static let pure = ["Chronicle", "ChronicleValues"]
    static let foundation = ["Foundation*"]
    static let keeping = ["ChronicleStore", "TimeTravel", "ChronicleLog", "DiskLog", "LMDB", "CLMDB"]
    static let database = ["DiskLog", "LMDB", "CLMDB"]
    static let saying = ["Varlink", "VarlinkNIO", "TodoAPI", "NIO*"]
    static let features = ["Feature*"]

    static let walls: [Wall] = [
        Wall(
            folder: "Sources/State/ChronicleValues", rule: .only([]),
            reason: "it defines the format on disk, which outlives every library"),
        Wall(
            folder: "Sources/State/Chronicle", rule: .only(["ChronicleValues"]),
            reason: "the definition of a feature depends on nothing else"),
        Wall(
            folder: "Sources/Features/Todos", rule: .only(pure + ["Dates", "TodoRules"]),
            reason: "features are pure and independent; recurrence needs the calendar"),
        Wall(folder: "Sources/Features/Counter", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Repositories", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Flows", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Alerts", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Posts", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Stars", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features/Views", rule: .only(pure), reason: "features are pure and do not know each other"),
        Wall(folder: "Sources/Features", rule: .only(pure + features + ["Dates", "TodoRules"]), reason: "features are pure"),
        Wall(folder: "Sources/Log/Zstandard", rule: .only(["CZstd"]), reason: "it handles only bytes"),
        Wall(
            folder: "Sources/Log/LMDB", rule: .only(["CLMDB", "Glibc", "Synchronization"]), reason: "it knows no logs or todos"),
        Wall(
            folder: "Sources/Log/ChronicleLog", rule: .only(["Synchronization", "ChronicleValues"]),
            reason: "the log in memory runs on every platform and knows no todos"),
        Wall(
            folder: "Sources/Log/DiskLog", rule: .never(foundation + features + saying + ["ChronicleStore", "CommandRunning"]),
            reason: "the log stores bytes and knows no todos"),
        Wall(
            folder: "Sources/Log/Etcd",
            rule: .never(foundation + features + keeping + ["Chronicle", "Varlink", "VarlinkNIO", "TodoAPI", "ReplicatedLog"]),
            reason: "it knows keys and values, but no log"),
        Wall(
            folder: "Sources/Log/ReplicatedLog",
            rule: .never(foundation + features + saying + database + ["ChronicleStore", "CommandRunning", "Curl"]),
            reason: "the log stores bytes, independently of the local log", layers: ["Etcd"]),
        Wall(
            folder: "Sources/Store/ChronicleStore",
            rule: .only(["Chronicle", "ChronicleLog", "ChronicleValues", "CMachine", "Dates", "Expressions", "Synchronization"]),
            reason: "the store knows no todos, sockets or databases, and replay can't run commands"),
        Wall(
            folder: "Sources/Store/ChronicleCodable",
            rule: .only(["Chronicle", "ChronicleLog", "ChronicleStore", "DiskLog", "FoundationEssentials"]),
            reason: "a store of Codable values is the one that needs Foundation",
            layers: ["Chronicle", "ChronicleLog", "ChronicleStore", "DiskLog"]),
        Wall(
            folder: "Sources/Store/CommandRunning", rule: .never(foundation + features + saying + database),
            reason: "the runner knows no todos, sockets or databases"),
        Wall(
            folder: "Sources/State/Dates", rule: .only(["ChronicleValues"]),
            reason: "the clock and the time zone are parameters, so every day can be tested"),
        Wall(folder: "Sources/State/TodoRules", rule: .only([]), reason: "the daemon and its clients share these rules"),
        Wall(folder: "Sources/State/Expressions", rule: .only(pure + ["Dates"]), reason: "the language reads any value"),
        Wall(
            folder: "Sources/Store/TimeTravel", rule: .never(foundation + features + saying + database + ["CommandRunning"]),
            reason: "it reads the history of any app and runs no commands"),
        Wall(
            folder: "Sources/HTTP/Curl", rule: .only(["CCurl", "CMachine", "Dispatch", "Glibc", "Synchronization"]),
            reason: "it knows HTTP, but not its uses"),
        Wall(
            folder: "Sources/Wire/VarlinkInterfaces", rule: .only([]),
            reason: "the code generators read descriptions, so it is built first"),
        Wall(
            folder: "Sources/Wire/Varlink", rule: .only(["Glibc", "ChronicleValues", "VarlinkInterfaces"]),
            reason: "the protocol does no I/O of its own"),
        Wall(
            folder: "Sources/Wire/VarlinkNIO", rule: .never(foundation + features + keeping + ["Chronicle", "TodoAPI"]),
            reason: "the server serves any interface"),
        Wall(
            folder: "Sources/Programs/DataSources",
            rule: .never(foundation + keeping + ["NIO*", "VarlinkNIO", "TodoAPI", "HTTPSources"]),
            reason: "the built-in sources need no network"),
        Wall(
            folder: "Sources/Programs/HTTPSources",
            rule: .never(foundation + keeping + ["VarlinkNIO", "TodoAPI", "ChronicleDaemon"]),
            reason: "it knows neither the store nor the daemon"),
        Wall(
            folder: "Sources/Wire/TodoAPI", rule: .never(foundation + keeping + ["NIO*", "VarlinkNIO"]),
            reason: "the daemon and its clients share the messages"),
        Wall(
            folder: "Sources/Wire/TodoClient",
            rule: .only(pure + ["Glibc", "TodoAPI", "Varlink", "VarlinkInterfaces"]),
            reason: "a client of the daemon needs its interfaces and a socket"),
        Wall(
            folder: "Sources/Programs/TodoFormats", rule: .only(["Dates", "TodoRules", "ChronicleValues"]),
            reason: "file formats are parsed without I/O"),
        Wall(
            folder: "Sources/Programs/Terminal", rule: .only(["CNcursesw", "CTerminal", "Glibc", "Synchronization"]),
            reason: "a screen shows cells and knows neither todos nor the daemon"),
        Wall(
            folder: "Sources/Programs/todoctl", rule: .never(foundation + keeping + ["NIO*", "VarlinkNIO"]),
            reason: "the client starts in a millisecond and never touches the log"),
        Wall(
            folder: "Sources/Programs/todoweb",
            rule: .only([
                "ArgumentParser", "Glibc", "NIOCore", "NIOHTTP1", "NIOPosix", "Chronicle", "ChronicleValues", "Synchronization",
                "TodoAPI",
                "Varlink", "VarlinkInterfaces",
            ]),
            reason: "it forwards bytes and knows no todos"),
        Wall(
            folder: "Sources/Store/ChronicleTesting", rule: .never(features + saying + database + ["Glibc"]),
            reason: "it tests every feature and every store"),
        Wall(
            folder: "Sources/Service/LinuxService",
            rule: .never(foundation + features + keeping + ["NIO*", "VarlinkNIO"]),
            reason: "integration with Linux is independent of the data"),
        Wall(
            folder: "Sources/Service",
            rule: .never(foundation + features + ["ArgumentParser", "DataSources", "HTTPSources", "LMDB", "CLMDB"]),
            reason: "the daemon runs any app, and the argument parser brings Foundation", layers: ["DiskLog"]),
        Wall(
            folder: "Sources/Programs/todod", rule: .never(foundation + ["ArgumentParser"]),
            reason: "Foundation would add a fifth to the daemon's size"),
        Wall(folder: "Sources", rule: .never(["todod", "todoctl", "todoweb"]), reason: "programs are not libraries"),
    ]

    @Test(arguments: walls) func `a folder imports only allowed modules`(wall: Wall) throws {
        for path in Repository.swiftFiles(below: wall.folder) {
            let offences = wall.offences(in: SourceText(try Repository.text(path)))
            #expect(offences.isEmpty, "\(path): \(wall.reason)")
        }
    }

    @Test func `every feature except App has its own import rule`() {
        let folders = Set(
            Repository.swiftFiles(below: "Sources/Features").compactMap { $0.split(separator: "/").dropFirst(2).first })
        for folder in folders where folder != "App" {
            #expect(Self.walls.contains { $0.folder == "Sources/Features/\(folder)" }, "\(folder)")
        }
    }

    @Test func `imports are recognized in every form`() {
        let source = SourceText(
            """
            import Foundation
            public import struct Glibc.stat
            @testable import ChronicleLog
            @_exported internal import NIOCore // and why
            // import Comment
            let text = "not an import"
            """)
        #expect(source.imports == ["Foundation", "Glibc", "ChronicleLog", "NIOCore"])
        let wall = Wall(folder: "", rule: .never(["Foundation*", "NIO*", "*Log"]), reason: "")
        #expect(wall.offences(in: source) == ["Foundation", "ChronicleLog", "NIOCore"])
        #expect(Wall(folder: "", rule: .only(["Glibc"]), reason: "").offences(in: source).count == 3)
    }
}
