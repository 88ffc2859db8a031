import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Forks whose files were moved or copied.
@Suite(.ownThreads) struct CopiedForkFilesTests {
    @Test func `a fork that was moved to another disk is not merged twice, and a copy of it is distinguished from it`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Milk").end == .exit(0))
        let forks = Forks(of: daemon)
        #expect(try daemon.todoctl("fork", "try").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "try", "add", "Eggs").end == .exit(0))
        #expect(try daemon.todoctl("fork", "merge", "try", "--yes").end == .exit(0))
        /// Replaces a file by one with the same bytes, as after a copy.
        func move(_ name: String) throws {
            #expect(try daemon.todoctl("fork", "stop", name).end == .exit(0))
            let file = forks.directory + "/\(name)/data/data.mdb"
            try FileManager.default.copyItem(atPath: file, toPath: file + ".copy")
            #expect(rename(file + ".copy", file) == 0)
            #expect(try daemon.todoctl("fork", "start", name).end == .exit(0))
        }
        let epoch = try forks.client("try").call("org.todod.Admin.Ping")["epoch"]
        #expect(try daemon.todoctl("fork", "stop", "try").end == .exit(0))
        try FileManager.default.copyItem(atPath: forks.directory + "/try", toPath: forks.directory + "/copy")
        #expect(try daemon.todoctl("fork", "start", "try").end == .exit(0))
        try move("try")
        #expect(try forks.client("try").call("org.todod.Admin.Ping")["epoch"] != epoch)
        #expect(try daemon.todoctl("fork", "merge", "try", "--yes").text == "try has no new changes.\n")
        #expect(try daemon.todoctl("fork", "merge", "try", "--through", "3", "--yes").text == "try has no new changes.\n")
        #expect(try daemon.todoctl("--fork", "try", "add", "Salt").end == .exit(0))
        #expect(try daemon.todoctl("fork", "merge", "try", "--yes").end == .exit(0))
        #expect(try daemon.connect().state("todos.items").titles == ["Salt", "Eggs", "Milk"])

        #expect(try daemon.todoctl("fork", "start", "copy").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "copy", "add", "Tea").end == .exit(0))
        let refused = try daemon.todoctl("fork", "merge", "copy", "--yes")
        #expect(refused.end == .exit(64) && refused.error.contains("Its record 5 is another"), "\(refused)")
        #expect(try daemon.todoctl("undo").end == .exit(0))
        let copied = try daemon.todoctl("fork", "merge", "copy", "--yes")
        #expect(copied.end == .exit(0), "\(copied)")
        #expect(try daemon.connect().state("todos.items").titles.count { $0 == "Eggs" } == 1)

        // The record through which it was merged is after the common part of the two copies.
        #expect(try daemon.todoctl("fork", "stop", "copy").end == .exit(0))
        try FileManager.default.copyItem(atPath: forks.directory + "/copy", toPath: forks.directory + "/twin")
        #expect(try daemon.todoctl("fork", "start", "copy").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "copy", "add", "Oil").end == .exit(0))
        #expect(try daemon.todoctl("fork", "merge", "copy", "--yes").end == .exit(0))
        #expect(try daemon.todoctl("fork", "start", "twin").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "twin", "add", "Rye").end == .exit(0))
        let twin = try daemon.todoctl("fork", "merge", "twin", "--yes")
        #expect(twin.end == .exit(64) && twin.error.contains("Its record 6 is another than the one"), "\(twin)")
    }

    @Test func `the common records of a fork and its copies are merged once, even if the copy comes first`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Milk").end == .exit(0))
        let forks = Forks(of: daemon)
        defer { withExtendedLifetime(forks) {} }
        #expect(try daemon.todoctl("fork", "try").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "try", "add", "Cheese").end == .exit(0))
        #expect(try daemon.todoctl("fork", "stop", "try").end == .exit(0))
        for copy in ["copy", "twin"] {
            try FileManager.default.copyItem(atPath: forks.directory + "/try", toPath: forks.directory + "/\(copy)")
        }
        for name in ["copy", "twin", "try"] { #expect(try daemon.todoctl("fork", "start", name).end == .exit(0)) }
        let merged = try daemon.todoctl("fork", "merge", "copy", "--yes")
        #expect(merged.end == .exit(0), "\(merged)")
        for name in ["twin", "try", "copy"] {
            let again = try daemon.todoctl("fork", "merge", name, "--yes")
            #expect(again.end == .exit(0) && again.text == "\(name) has no new changes.\n", "\(again)")
        }
        #expect(try daemon.todoctl("--fork", "try", "add", "Salt").end == .exit(0))
        #expect(try daemon.todoctl("fork", "merge", "try", "--yes").end == .exit(0))
        #expect(try daemon.connect().state("todos.items").titles == ["Salt", "Cheese", "Milk"])
        #expect(try daemon.todoctl("--fork", "twin", "add", "Tea").end == .exit(0))
        let twin = try daemon.todoctl("fork", "merge", "twin", "--yes")
        #expect(twin.end == .exit(64) && twin.error.contains("Its record 4 is another"), "\(twin)")
        #expect(try daemon.connect().state("todos.items").titles == ["Salt", "Cheese", "Milk"])
    }
}
