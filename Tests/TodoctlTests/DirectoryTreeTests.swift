import Foundation
import Glibc
import Testing

@testable import todoctl

@Suite struct DirectoryTreeTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "tree-\(UInt32.random(in: 0 ... .max))").path
        #expect(mkdir(path, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    @Test func `a directory is removed with its contents, but targets of its links remain`() throws {
        try withDirectory { path in
            try DirectoryTree.make(path + "/tree/a/b")
            try DirectoryTree.make(path + "/other")
            try DirectoryTree.write([1], to: path + "/other/file")
            try DirectoryTree.write([1], to: path + "/tree/a/file")
            symlink(path + "/other", path + "/tree/a/link")
            symlink(path + "/other", path + "/link")
            try DirectoryTree.remove(path + "/tree")
            try DirectoryTree.remove(path + "/link")
            try DirectoryTree.remove(path + "/none")
            #expect(DirectoryTree.names(in: path) == ["other"])
            #expect(DirectoryTree.contents(of: path + "/other/file") == [1])
        }
    }

    @Test func `only regular files are read, and a pipe is not waited for`() throws {
        try withDirectory { path in
            try DirectoryTree.write([1], to: path + "/file")
            symlink("file", path + "/link")
            mkfifo(path + "/pipe", 0o600)
            for name in ["link", "pipe", "none", "."] { #expect(DirectoryTree.contents(of: "\(path)/\(name)") == nil) }
        }
    }
}
