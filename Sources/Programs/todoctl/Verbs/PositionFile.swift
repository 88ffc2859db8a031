import Glibc
import TodoAPI
import Varlink

/// The stored position of a named consumer: the `Subscribe` call that continues after the last record that it processed.
///
/// While the value exists, a lock keeps other processes from using the name.
struct PositionFile {
    static let nameBytesMax = 64
    private static let directoryName = "todoctl-positions"

    let path: String
    private let lock: ExclusiveFile

    init(_ name: String) throws(Failure) {
        guard StateDirectory.isName(name, bytesMax: Self.nameBytesMax) else {
            throw Failure(
                .usage,
                "invalid name \(Visible.text(name)): expected a letter, then letters, digits, '-', '_' and '.', at most "
                    + "\(Self.nameBytesMax) in all")
        }
        let directory = try StateDirectory.path(of: Self.directoryName)
        try DirectoryTree.make(directory)
        path = "\(directory)/\(name)"
        lock = try ExclusiveFile("\(directory)/.\(name).lock", orSay: "Another process follows \(name). Stop it first.")
    }

    /// The stored call, if there is one.
    func read() throws(Failure) -> SubscribeMethod.Input? {
        guard access(path, F_OK) == 0 else { return nil }
        guard let bytes = DirectoryTree.contents(of: path), let members = (try? Value(parsing: bytes))?.record,
            let call = try? SubscribeMethod.Input(output: members), call.from?.sequence != nil, call.epoch != nil
        else {
            throw Failure(.damaged, "\(Visible.text(path)) is damaged. Remove it, and start with --from POINT.")
        }
        return call
    }

    func write(_ call: SubscribeMethod.Input) throws(Failure) {
        var bytes: [UInt8] = []
        call.write(into: &bytes)
        try DirectoryTree.write(bytes + [UInt8(ascii: "\n")], to: path)
    }

    /// The names of this user's positions.
    static var names: [String] {
        guard let directory = try? StateDirectory.path(of: directoryName) else { return [] }
        return DirectoryTree.names(in: directory).filter { StateDirectory.isName($0, bytesMax: nameBytesMax) }.sorted()
    }
}
