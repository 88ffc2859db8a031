import Chronicle
import ChronicleLog
import ChronicleTesting
import Foundation
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct HoldTests {
    @Test func `neither open nor new commands start while all commands are held`() async throws {
        try await withStore { store in
            let first = try await store.run(Errand("a"))[0]
            let hold = try await store.submit(.hold(by: 5))
            #expect(hold.sequences == 2..<3)
            let second = try await store.run(Errand("b"))[0]
            #expect(await store.error(of: .begin(first, attempt: 1)) == .commandHeld(first))
            #expect(await store.error(of: .begin(second, attempt: 1)) == .commandHeld(second))
            #expect(await store.error(of: .retry(second, by: 5)) == .commandHeld(second))
            #expect(store.status.commands.held == 2)
            #expect(try await store.commands().map(\.row.isHeld) == [true, true])
            #expect(try await store.submit(.hold(by: 5)).sequences.isEmpty)
            try await store.submit(.release(by: 6))
            #expect(store.status.commands.held == 0)
            try await store.submit(.begin(first, attempt: 1))
            try await store.submit(.begin(second, attempt: 1))
            let headers = try await store.allRecords().map(\.header)
            #expect(headers.map(\.kind) == [.action, .hold, .action, .release])
            #expect(headers.map(\.origin) == [7, 5, 7, 6])
        }
    }

    @Test func `a dispatch that requests a command, and the status, say that commands are held`()
        async throws
    {
        try await withStore { store in
            #expect(!store.status.commands.areAllHeld)
            try await store.submit(.hold(by: 5))
            #expect(store.status.commands.areAllHeld && store.status.commands.open == 0)
            let asked = try await store.dispatch(Dispatch([.note("x"), .run(Errand("a"))]))
            let noted = try await store.dispatch(Dispatch([.note("x")]))
            #expect(asked.areCommandsHeld && !noted.areCommandsHeld)
            try await store.submit(.release(by: 6))
            #expect(!store.status.commands.areAllHeld)
            let free = try await store.dispatch(Dispatch([.run(Errand("b"))]))
            #expect(!free.areCommandsHeld)
        }
    }

    @Test func `a hold outlives a restart`() async throws {
        try await withDirectories { directory, _ in
            try await withStore(try openLog(directory)) { store in
                try await store.run(Errand("a"))
                try await store.submit(.hold(by: 5))
            }
            try await withStore(try openLog(directory)) { store in
                let id = try await store.run(Errand("b"))[0]
                #expect(await store.error(of: .begin(id, attempt: 1)) == .commandHeld(id))
                #expect(store.status.commands.held == 2)
            }
        }
    }

    @Test func `the open commands of a copied log are held, and later ones are not`() async throws {
        try await withDirectories { directory, copy in
            try await withStore(try openLog(directory)) { store in try await store.run(Errand("a")) }
            try copyLog(from: directory, to: copy)
            try await withStore(try openLog(copy)) { store in
                let old = CommandID(sequence: 1, index: 0)
                #expect(store.status.commands.held == 1)
                #expect(await store.error(of: .begin(old, attempt: 1)) == .commandHeld(old))
                let new = try await store.run(Errand("b"))[0]
                try await store.submit(.begin(new, attempt: 1))
                try await store.submit(.release(by: 1))
                try await store.submit(.begin(old, attempt: 1))
            }
            try await withStore(try openLog(directory)) { store in
                #expect(store.status.commands.held == 0)
            }
        }
    }

    @Test func `a hold of all commands also applies in a copy of the log`() async throws {
        try await withDirectories { directory, copy in
            try await withStore(try openLog(directory)) { store in try await store.submit(.hold(by: 5)) }
            try copyLog(from: directory, to: copy)
            try await withStore(try openLog(copy)) { store in
                let id = try await store.run(Errand("b"))[0]
                #expect(await store.error(of: .begin(id, attempt: 1)) == .commandHeld(id))
            }
        }
    }
}

/// Copies a closed log.
func copyLog(from source: String, to target: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: source) where name != "lock" {
        try FileManager.default.copyItem(atPath: "\(source)/\(name)", toPath: "\(target)/\(name)")
    }
}
