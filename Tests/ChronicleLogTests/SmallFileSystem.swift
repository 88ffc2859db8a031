import Glibc
import TestSupport

/// A file system of a few megabytes, mounted for one test.
final class SmallFileSystem {
    enum Kind: String, CaseIterable, Sendable {
        case tmpfs
        case ext4
    }

    let directory = TemporaryDirectory()
    private let image = TemporaryDirectory()

    var path: String { directory.path }

    /// Mounts a file system.
    ///
    /// Returns `nil` if this user or machine can't.
    init?(_ kind: Kind) {
        guard geteuid() == 0 else { return nil }
        switch kind {
        case .tmpfs:
            guard mount("tmpfs", directory.path, "tmpfs", 0, "size=1m,mode=0700") == 0 else { return nil }
        case .ext4:
            let file = "\(image.path)/image"
            let make = "truncate -s 4M \(file) && mkfs.ext4 -q -F \(file) && mount -o loop \(file) \(directory.path)"
            guard system("(PATH=$PATH:/usr/sbin:/sbin; \(make)) >/dev/null 2>&1") == 0 else { return nil }
        }
    }

    deinit { umount2(directory.path, Int32(MNT_DETACH)) }

    /// The kinds that can be mounted here.
    static let kinds = Kind.allCases.filter { SmallFileSystem($0) != nil }
}
