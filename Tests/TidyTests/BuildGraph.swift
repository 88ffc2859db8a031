import Foundation
import ProcessTesting

/// The target dependencies in the package manifest.
///
/// They are complete, because the build fails on an import that a target doesn't declare.
struct BuildGraph: Sendable {
    /// A target and its declared targets and products.
    struct Target: Sendable {
        let name: String
        /// The path in the repository.
        let folder: String
        let dependencies: [String]
    }

    let targets: [String: Target]

    /// Runs the package manager with a separate scratch directory, because the usual one may be locked during tests.
    init() throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "todod-graph-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        var environment = ProcessInfo.processInfo.environment
        // A preloaded sanitizer library must not affect the package manager.
        environment["LD_PRELOAD"] = ""
        let outcome = try Command.run(
            [
                "/usr/bin/env", "swift", "package", "--package-path", Repository.root.path, "--scratch-path", scratch.path,
                "dump-package",
            ], environment: environment, seconds: 300)
        try self.init(json: Data(outcome.output))
    }

    /// Decodes the output of `swift package dump-package`.
    init(json: Data) throws {
        let manifest = try JSONDecoder().decode(Manifest.self, from: json)
        let targets = manifest.targets.map { target in
            Target(
                name: target.name, folder: target.path ?? "\(target.type == "test" ? "Tests" : "Sources")/\(target.name)",
                dependencies: target.dependencies.compactMap(\.name))
        }
        self.targets = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
    }

    /// The transitive dependencies of a target; those of `layers` are not followed.
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

    /// `{"byName": ["Chronicle", null]}`: the kind, and a list whose first element is the name.
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
