import Testing

@Suite struct BanTests {
    static let bans: [Ban] = [
        Ban(pattern: #"\bfatalError\b"#, folders: ["Sources"], reason: "a broken invariant is a precondition with a sentence"),
        Ban(
            pattern:
                #"\bTask\s*(?:<[^{}]*>\s*)?(?:\.\s*(?:detached|immediate|immediateDetached)\s*)?(?:(?:\([^)]*\)\s*)?\{|\((?:[^)]*\W)?operation:)"#,
            folders: ["Sources"],
            reason: "long work is a run() in a task group; one task per call loses their order"),
        Ban(pattern: #"@unchecked\s+Sendable"#, folders: ["Sources"], reason: "the compiler is to prove it"),
        Ban(
            pattern: #"nonisolated\(unsafe\)"#, folders: ["Sources"], reason: "the compiler is to prove it",
            exceptions: [
                ("Sources/Log/LMDB/Environment.swift", "LMDB's own locks guard what its handle points to"),
                (
                    "Sources/HTTP/Curl/TransferThread.swift",
                    "curl_multi_wakeup is the one call of other threads, and allowed to them"
                ),
            ]),
        Ban(pattern: #"\btry!"#, folders: ["Sources"], reason: "errors are answered, not fatal"),
        Ban(
            pattern: #"\bUnsafe\w*Pointer\b|\bwithUnsafe\w+|\bunsafeBitCast\b|\bUnmanaged\b|\bOpaquePointer\b"#,
            folders: ["Sources"], reason: "spans do it safely",
            exceptions: [
                ("Sources/Log/LMDB/", "it is the wrapper around a C library"),
                ("Sources/Log/Zstandard/", "it is the wrapper around a C library"),
                ("Sources/HTTP/Curl/", "it is the wrapper around a C library"),
                ("Sources/Log/DiskLog/Files/", "open, read and write take pointers"),
                ("Sources/Service/LinuxService/Logging/LogOutput.swift", "write takes a pointer"),
                ("Sources/Service/LinuxService/Process/UnixSocket.swift", "socket addresses take pointers"),
                ("Sources/Programs/HTTPSources/Feeds/XMLScanner.swift", "it is the wrapper around a C library"),
                ("Sources/Wire/VarlinkNIO/VarlinkListener.swift", "socket addresses take pointers"),
                (
                    "Sources/Wire/VarlinkNIO/DirectOutput.swift",
                    "swift-nio lends the descriptor that way, and send takes a pointer"
                ),
                ("Sources/Wire/VarlinkNIO/Peer.swift", "swift-nio lends a connection's descriptor that way"),
                (
                    "Sources/Store/StoreRuntime/Threads/SerialThread.swift",
                    "a new pthread takes one pointer, and keeps the executor alive by it"
                ),
                (
                    "Sources/State/PersistentCollections/Array+Storage.swift",
                    "to look at an element through a span copies it, which is most of a comparison of two tables"
                ),
                (
                    "Sources/State/PersistentCollections/OrderedTable.swift",
                    "it lends elements where they stand: to take hold of them is most of a walk through a long list"
                ),
                (
                    "Sources/State/Fields/Apart.swift",
                    "to take out what it keeps for each who looks is most of a look at many rows"
                ),
                ("Sources/State/Fields/RowColumns.swift", "it looks at rows that are lent so"),
                ("Sources/State/Fields/FieldCoding.swift", "a visitor holds the bytes that are lent to one call"),
                ("Sources/State/Fields/FieldMessage.swift", "it lends them"),
                ("Sources/State/Fields/Cased.swift", "it lends them, too"),
                ("Sources/State/Fields/CodingCheck.swift", "the number of cases of an enum stands in its type descriptor alone"),
                ("Sources/Wire/Varlink/FrameDecoder.swift", "memchr is several times faster than a loop over a span"),
                ("Sources/Programs/Terminal/Device/TerminalScreen.swift", "write takes a pointer"),
                ("Sources/Programs/todoctl/Terminal/Output.swift", "write takes a pointer"),
                ("Sources/Programs/todoctl/Forks/DirectoryTree.swift", "a directory of the system's is a pointer"),
                ("Sources/Wire/TodoClient/VarlinkClient.swift", "socket addresses, send and recv take pointers"),
            ]),
        Ban(
            pattern: #"\breaddir\b|\bd_name\b|\bProcess\(\)"#, folders: ["Sources", "Tests"],
            reason: "an entry of a directory that is copied is read beyond its end, and Foundation's Process copies some",
            exceptions: [("Tests/TidyTests/BanTests.swift", "it says what is forbidden")]),
        Ban(
            pattern: #"\bDate\(\)|\bUUID\(\)|\.random\b|\bProcessInfo\b|\bLocale\b|\b\w+Clock\(\)|\bgetenv\b|\bHasher\b"#,
            folders: ["Sources/State/Values", "Sources/State/Reducing", "Sources/State/Dates", "Sources/Features"],
            reason: "the same log gives the same state everywhere and for ever"
        ),
    ]

    @Test(arguments: bans) func `the sources do without`(ban: Ban) throws {
        for path in ban.folders.flatMap({ Repository.swiftFiles(below: $0) }) {
            let offences = try ban.offences(in: path, SourceText(try Repository.text(path)))
            #expect(offences.isEmpty, "\(ban.reason)")
        }
    }

    @Test(arguments: bans) func `every exception has a reason and is still needed`(ban: Ban) throws {
        for exception in ban.exceptions {
            #expect(!exception.reason.isEmpty)
            let paths = ban.folders.flatMap { Repository.swiftFiles(below: $0) }.filter { Ban.covers(exception.path, $0) }
            // A part that is not there yet needs nothing.
            guard !paths.isEmpty else { continue }
            let isNeeded = try paths.contains { path in
                try !SourceText(try Repository.text(path)).lineNumbers(of: ban.pattern).isEmpty
            }
            #expect(isNeeded, "\(exception.path) does without and can leave the list")
        }
    }

    @Test(arguments: [
        "fatalError(\"never\")", "Task { await work() }", "Task.detached { }", "Task(priority: .low) {",
        "Task.immediate { }", "Task.immediate(name: \"x\") {", "Task.immediateDetached {", "Task<Void, Never> { }",
        "Task<[Int], any Error>(priority: .low) {", "Task<Void, Never>.detached {", "Task(operation: work)",
        "Task(priority: .low, operation: work)", "Task.detached(operation: work)",
        "extension Box: @unchecked Sendable {}", "nonisolated(unsafe) var x = 1", "let x = try! parse()",
        "let p: UnsafeMutableRawPointer", "bytes.withUnsafeBytes { _ in }", "let now = Date()", "Int.random(in: 0...9)",
        "let process = Process()", "while let entry = readdir(directory) {", "ProcessInfo.processInfo", "Locale.current",
        "ContinuousClock().now",
    ]) func `a ban recognises what it forbids`(line: String) throws {
        let found = try Self.bans.contains { try !$0.offences(in: "Sources/State/Reducing/X.swift", SourceText(line)).isEmpty }
        #expect(found)
    }

    @Test(arguments: [
        "// fatalError is forbidden here", "try await withThrowingTaskGroup(of: Void.self) { group in",
        "let task: Task<Void, Never>", "var tasks: [Task<Void, Never>] = []", "try await Task.sleep(for: .seconds(1))",
        "let task = Task.currentPriority",
        "group.addTask { await run() }", "let update = lastUpdate()",
    ]) func `a ban leaves the rest alone`(line: String) throws {
        for ban in Self.bans {
            #expect(try ban.offences(in: "Sources/State/Reducing/X.swift", SourceText(line)).isEmpty)
        }
    }
}
