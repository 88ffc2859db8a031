import Foundation
import Glibc
import ProcessTesting
import TestSupport

/// A file system of a few MiB that can be filled and emptied, and is removed with its owner.
final class SmallDisk {
    enum Kind: String {
        case tmpfs, ext4
    }

    let path: String
    private let directory: TemporaryDirectory

    /// Whether both kinds can be mounted on this machine.
    static let works: Bool = {
        do {
            _ = try (SmallDisk(.tmpfs, mebibytes: 1), SmallDisk(.ext4, mebibytes: 4))
            return true
        } catch { return false }
    }()

    init(_ kind: Kind, mebibytes: Int) throws {
        directory = TemporaryDirectory()
        path = directory.path + "/mount"
        guard mkdir(path, 0o755) == 0 else { throw SystemFailure(what: path) }
        switch kind {
        case .tmpfs: try Self.tool("mount", "-t", "tmpfs", "-o", "size=\(mebibytes)m", "tmpfs", path)
        case .ext4:
            let image = directory.path + "/image"
            try Self.tool("truncate", "-s", "\(mebibytes)M", image)
            // No journal, because it would take most of so small a disk. No blocks reserved for root, which runs these tests.
            try Self.tool("mkfs.ext4", "-q", "-m", "0", "-O", "^has_journal", image)
            try Self.tool("mount", "-o", "loop", image, path)
        }
    }

    deinit { _ = try? Self.tool("umount", "-l", path) }

    /// Fills the disk except for a number of bytes.
    func fill(leaving bytes: Int) throws {
        let take = try freeBytes() - bytes
        let descriptor = open(path + "/ballast", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure(what: "ballast") }
        defer { close(descriptor) }
        var block = [UInt8](repeating: 0x42, count: 65_536)
        var left = take
        while left > 0 {
            let count = write(descriptor, &block, min(left, block.count))
            guard count > 0 else { break }
            left -= count
        }
        fsync(descriptor)
    }

    /// Frees the space.
    func empty() throws {
        guard unlink(path + "/ballast") == 0 else { throw SystemFailure(what: "ballast") }
    }

    func freeBytes() throws -> Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw SystemFailure(what: "statvfs") }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    private static func tool(_ name: String, _ arguments: String...) throws {
        guard let tool = Products.tool(name) else { throw SystemFailure(what: name, number: ENOENT) }
        let outcome = try Command.run([tool] + arguments)
        guard outcome.end == .exit(0) else { throw SystemFailure(what: "\(name): \(outcome.error)", number: EPERM) }
    }
}
