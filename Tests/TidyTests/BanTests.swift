import Testing

@Suite struct BanTests {
    static let bans: [Ban] = [
        Ban(pattern: #"\bfatalError\b"#, folders: ["Sources"], reason: "a broken invariant is a precondition with a sentence"),
        Ban(
            pattern:
                #"\bTask\s*(?:<[^{}]*>\s*)?(?:\.\s*(?:detached|immediate|immediateDetached)\s*)?(?:(?:\([^)]*\)\s*)?\{|\((?:[^)]*\W)?operation:)"#,
            folders: ["Sources"],
            reason: "long-running work is a run() in a task group; one task per call loses the order of calls"),
        Ban(pattern: #"@unchecked\s+Sendable"#, folders: ["Sources"], reason: "the compiler must prove it"),
        Ban(
            pattern: #"nonisolated\(unsafe\)"#, folders: ["Sources"], reason: "the compiler must prove it",
            exceptions: [
                ("Sources/Log/LMDB/Environment.swift", "LMDB's own locks guard what its handle points to"),
                (
                    "Sources/HTTP/Curl/TransferThread.swift",
                    "other threads call only curl_multi_wakeup, which is thread-safe"
                ),
            ]),
        Ban(pattern: #"\btry!"#, folders: ["Sources"], reason: "errors are handled, not fatal"),
        Ban(
            pattern: #"\bUnsafe\w*Pointer\b|\bwithUnsafe\w+|\bunsafeBitCast\b|\bUnmanaged\b|\bOpaquePointer\b"#,
            folders: ["Sources"], reason: "spans do it safely",
            exceptions: [
                ("Sources/Log/LMDB/", "it is the wrapper around a C library"),
                ("Sources/Log/Zstandard/", "it is the wrapper around a C library"),
                ("Sources/HTTP/Curl/", "it is the wrapper around a C library"),
                ("Sources/Log/ChronicleLog/RowCoding.swift", "a coder holds the bytes during one call"),
                ("Sources/Log/DiskLog/Files/", "open, read and write take pointers"),
                ("Sources/Service/LinuxService/Logging.swift", "write takes a pointer"),
                ("Sources/Service/LinuxService/Sockets.swift", "socket addresses take pointers"),
                ("Sources/Programs/HTTPSources/Feeds/XMLScanner.swift", "it is the wrapper around a C library"),
                (
                    "Sources/Wire/VarlinkNIO/Peer.swift",
                    "swift-nio gives access to a channel's descriptor through a pointer, and send takes a pointer"
                ),
                (
                    "Sources/Store/ChronicleStore/Threads/SerialThread.swift",
                    "a new pthread takes a pointer, which keeps the executor alive"
                ),
                (
                    "Sources/State/Chronicle/Collections/Array+Storage.swift",
                    "reading an element through a span copies it, which takes most of the time of a comparison"
                ),
                (
                    "Sources/State/Chronicle/Collections/OrderedTable.swift",
                    "elements are read in place, because retaining them takes most of the time of an iteration"
                ),
                (
                    "Sources/State/Chronicle/Fields/OutOfLine.swift",
                    "content is read in place, because copying it takes most of the time of a scan"
                ),
                ("Sources/State/Chronicle/Fields/TableRow.swift", "rows are read in place"),
                ("Sources/State/ChronicleValues/MessageCursor.swift", "a coder holds the bytes during one call"),
                ("Sources/State/Chronicle/Fields/FieldEncoder.swift", "a visitor holds the bytes during one call"),
                ("Sources/State/Chronicle/Fields/FieldCoding.swift", "it passes the bytes to a visitor"),
                ("Sources/State/Chronicle/Fields/CaseCoding.swift", "it passes the bytes to a visitor"),
                (
                    "Sources/State/Chronicle/Fields/CodingCheck.swift",
                    "only the type descriptor has the number of cases of an enum"
                ),
                ("Sources/Wire/Varlink/FrameDecoder.swift", "memchr is several times faster than a loop over a span"),
                ("Sources/Programs/Terminal/Device/TerminalScreen.swift", "write takes a pointer"),
                ("Sources/Programs/todoctl/Terminal/Output.swift", "write takes a pointer"),
                ("Sources/Programs/todoctl/Forks/DirectoryTree.swift", "directory streams are pointers"),
                ("Sources/Wire/TodoClient/VarlinkClient.swift", "socket addresses, send and recv take pointers"),
            ]),
        Ban(
            pattern: #"\breaddir\b|\bd_name\b|\bProcess\(\)"#, folders: ["Sources", "Tests"],
            reason: "copying a directory entry reads beyond its end, and Foundation's Process copies some",
            exceptions: [("Tests/TidyTests/BanTests.swift", "it says what is forbidden")]),
        Ban(
            pattern: #"\bRefusal\("#, folders: ["Sources/Features", "Examples"],
            reason: "a refusal is declared in the schema and thrown by its name"),
        Ban(
            pattern: #"\bDate\(\)|\bUUID\(\)|\.random\b|\bProcessInfo\b|\bLocale\b|\b\w+Clock\(\)|\bgetenv\b|\bHasher\b"#,
            folders: [
                "Sources/State/ChronicleValues", "Sources/State/Chronicle/Features", "Sources/State/Dates", "Sources/Features",
            ],
            reason: "the same log gives the same state on every machine and in every release"
        ),
    ]

    @Test(arguments: bans) func `the sources contain no forbidden construct`(ban: Ban) throws {
        for path in ban.folders.flatMap({ Repository.swiftFiles(below: $0) }) {
            let offences = try ban.offences(in: path, SourceText(try Repository.text(path)))
            #expect(offences.isEmpty, "\(ban.reason)")
        }
    }

    @Test(arguments: bans) func `every exception has a reason and is still needed`(ban: Ban) throws {
        for exception in ban.exceptions {
            #expect(!exception.reason.isEmpty)
            let paths = ban.folders.flatMap { Repository.swiftFiles(below: $0) }.filter { Ban.covers(exception.path, $0) }
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
    ]) func `a forbidden construct is recognized in every form`(line: String) throws {
        let found = try Self.bans.contains {
            try !$0.offences(in: "Sources/State/Chronicle/Features/X.swift", SourceText(line)).isEmpty
        }
        #expect(found)
    }

    @Test(arguments: [
        "// fatalError is forbidden here", "try await withThrowingTaskGroup(of: Void.self) { group in",
        "let task: Task<Void, Never>", "var tasks: [Task<Void, Never>] = []", "try await Task.sleep(for: .seconds(1))",
        "let task = Task.currentPriority",
        "group.addTask { await run() }", "let update = lastUpdate()",
    ]) func `similar constructs are allowed`(line: String) throws {
        for ban in Self.bans {
            #expect(try ban.offences(in: "Sources/State/Chronicle/Features/X.swift", SourceText(line)).isEmpty)
        }
    }
}
