import Foundation
import StoreTesting
import Testing

@Suite struct `A temporary directory` {
    @Test func `is empty, its owner's alone, and gone afterwards with all in it`() throws {
        let path = try withTemporaryDirectory { path in
            let files = FileManager.default
            #expect(try files.contentsOfDirectory(atPath: path).isEmpty)
            #expect(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
            try files.createDirectory(atPath: path + "/a/b", withIntermediateDirectories: true)
            #expect(files.createFile(atPath: path + "/a/b/c", contents: Data("x".utf8)))
            return path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `is gone when the closure throws`() throws {
        struct Wrong: Error {}
        var seen = ""
        #expect(throws: Wrong.self) {
            try withTemporaryDirectory { path in
                seen = path
                throw Wrong()
            }
        }
        #expect(!seen.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: seen))
    }

    @Test func `leaves what a symbolic link in it points to`() throws {
        try withTemporaryDirectory { outside in
            try withTemporaryDirectory { path in
                #expect(FileManager.default.createFile(atPath: outside + "/kept", contents: nil))
                try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: outside)
            }
            #expect(FileManager.default.fileExists(atPath: outside + "/kept"))
        }
    }

    @Test func `may be removed by the closure itself`() throws {
        try withTemporaryDirectory { try FileManager.default.removeItem(atPath: $0) }
    }

    @Test func `stays while a closure is suspended`() async throws {
        let path = try await withTemporaryDirectory { path in
            await Task.yield()
            #expect(FileManager.default.fileExists(atPath: path))
            return path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
