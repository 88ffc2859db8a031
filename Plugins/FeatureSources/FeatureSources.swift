import Foundation
import PackagePlugin

/// Gives a target `stateFingerprint`, so that a snapshot made by other code, or by other rules for text, is not trusted.
///
/// It is SHA-256 over the sources and schemas of the features, the sources they depend on, the generator and the compiler's version.
@main
struct FeatureSources: BuildToolPlugin {
    static let fingerprint = """
        set -eu; out=$1 compiler=$2 root=$3; shift 3; cd "$root"
        sources=$(sha256sum -- "$@"); version=$("$compiler" --version 2>/dev/null)
        digest=$(printf '%s\\n' "$sources" "$version" | sha256sum | cut -c 1-64)
        printf '/// Stands for the code that made a state.\\nlet stateFingerprint = "%s"\\n' "$digest" > "$out"
        """

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        [try fingerprint(context)]
    }

    private func fingerprint(_ context: PluginContext) throws -> Command {
        let targets = try context.package.targets(named: ["FeatureApp", "InterfaceGenerator"])
        let all = targets.flatMap(\.recursiveTargetDependencies) + targets
        let sources = Set(try all.flatMap { files(of: $0) + (try schemas(of: $0)) }).sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(component: "StateFingerprint.swift")
        let compiler = try context.tool(named: "swiftc").url
        // Relative to the package, so that the same sources have one fingerprint wherever they lie.
        let root = path(context.package.directoryURL)
        let paths = sources.map {
            path($0).replacing(root.hasSuffix("/") ? root : root + "/", with: "", maxReplacements: 1)
        }
        return .buildCommand(
            displayName: "Fingerprint of the features", executable: URL(filePath: "/bin/sh"),
            arguments: ["-c", Self.fingerprint, "fingerprint", path(output), path(compiler), root] + paths.sorted(),
            inputFiles: sources + [compiler], outputFiles: [output])
    }

    private func files(of target: any Target) -> [URL] {
        (target as? any SourceModuleTarget)?.sourceFiles.filter { [.source, .header].contains($0.type) }.map(\.url) ?? []
    }

    private func schemas(of target: any Target) throws -> [URL] {
        let files = try FileManager.default.contentsOfDirectory(at: target.directoryURL, includingPropertiesForKeys: nil)
        return files.filter { $0.pathExtension == "feature" }
    }

    private func path(_ url: URL) -> String { url.path(percentEncoded: false) }
}
