import Chronicle
import DataSources
import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct `Todos of a file` {
    let ticket = CommandTicket(id: "1", attempt: 1)

    @Test func `the todos are the current contents of the file`() async throws {
        let directory = TemporaryDirectory()
        let path = "\(directory.path)/todos.txt"
        let source = TodoFile(path: path)
        await #expect(throws: CommandFailure("\(path) can't be read: no such file or directory.", isPermanent: true)) {
            try await source.titles(ticket)
        }
        try "Buy the milk\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await source.titles(ticket) == ["Buy the milk"])
        try "[\"Rent a car\"]".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await source.titles(ticket) == ["Rent a car"])
    }

    @Test func `an endless or too large file is not read`() async throws {
        let directory = TemporaryDirectory()
        let pipe = "\(directory.path)/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, directory.path, "/dev/zero"] {
            await #expect(throws: CommandFailure("\(path) is not a regular file.", isPermanent: true)) {
                try await TodoFile(path: path).titles(ticket)
            }
        }
        let large = "\(directory.path)/large"
        try Data(count: TitleList.bytesMax + 1).write(to: URL(filePath: large))
        await #expect(
            throws: CommandFailure("\(large) has more than 1048576 bytes.", isPermanent: true)
        ) {
            try await TodoFile(path: large).titles(ticket)
        }
    }
}
