import Foundation
import ProcessTesting

/// The targets of this package and what they are built from, as the package manager reads the manifest.
///
/// The build fails on an import of what a target doesn't declare, so nothing is in a target that isn't here.
struct BuildGraph: Sendable {
    /// A target, with the targets of this package and the products of others that it declares.
    struct Target: Sendable {
        let name: String
        /// Where it lies, from the root of the repository.
        let folder: String
        let dependencies: [String]
    }

    let targets: [String: Target]

    /// Asks the package manager; into a scratch directory of its own, because a test runs while another one may be locked.
    init() throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "todod-graph-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        var environment = ProcessInfo.processInfo.environment
        // What is loaded into the tests, such as a sanitizer's library, is not for the package manager.
        environment["LD_PRELOAD"] = ""
        let outcome = try Command.run(
            [
                "/usr/bin/env", "swift", "package", "--package-path", Repository.root.path, "--scratch-path", scratch.path,
                "dump-package",
            ], environment: environment, seconds: 300)
        try self.init(json: Data(outcome.output))
    }

    /// Reads what `swift package dump-package` prints.
    init(json: Data) throws {
        let manifest = try JSONDecoder().decode(Manifest.self, from: json)
        let targets = manifest.targets.map { target in
            Target(
                name: target.name, folder: target.path ?? "\(target.type == "test" ? "Tests" : "Sources")/\(target.name)",
                dependencies: target.dependencies.compactMap(\.name))
        }
        self.targets = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
    }

    /// Everything that a target is built from, over however many steps; what lies behind one of `layers` is not looked at.
    func reach(of name: String, behind layers: Set<String> = []) -> Set<String> {
        var reached: Set<String> = []
        var open = targets[name]?.dependencies ?? []
        while let next = open.popLast() {
            guard reached.insert(next).inserted, !layers.contains(next) else { continue }
            open += targets[next]?.dependencies ?? []
        }
        return reached
    }

    /// The targets in a folder and below it, by name.
    func targets(below folder: String) -> [Target] {
        targets.values.filter { $0.folder == folder || $0.folder.hasPrefix(folder + "/") }.sorted { $0.name < $1.name }
    }
}

private struct Manifest: Decodable {
    struct Target: Decodable {
        var name: String
        var type: String
        var path: String?
        var dependencies: [Dependency]
    }

    /// `{"byName": ["Reducing", null]}`: the kind, and a list that begins with the name.
    struct Dependency: Decodable {
        var name: String?

        init(from decoder: any Decoder) throws {
            let kinds = try decoder.singleValueContainer().decode([String: [Part]].self)
            name = kinds.values.first?.first?.text
        }
    }

    struct Part: Decodable {
        var text: String?

        init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }

    var targets: [Target]
}
