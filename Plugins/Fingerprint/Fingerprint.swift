import Foundation
import PackagePlugin

/// Gives a target `stateFingerprint`: SHA-256 over the features' sources, those they depend on, and the compiler's version.
///
/// A snapshot that was made by other code, or by other rules for text, is not trusted.
@main
struct Fingerprint: BuildToolPlugin {
    static let script = """
        set -eu; out=$1 compiler=$2 root=$3; shift 3; cd "$root"
        sources=$(sha256sum -- "$@"); version=$("$compiler" --version 2>/dev/null)
        digest=$(printf '%s\\n' "$sources" "$version" | sha256sum | cut -c 1-64)
        printf '/// Stands for the code that made a state.\\nlet stateFingerprint = "%s"\\n' "$digest" > "$out"
        """

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let features = try context.package.targets(named: ["AppFeature"]).first else { return [] }
        let sources = (features.recursiveTargetDependencies + [features]).flatMap { target in
            (target as? any SourceModuleTarget)?.sourceFiles.filter { [.source, .header].contains($0.type) }.map(\.url) ?? []
        }
        let output = context.pluginWorkDirectoryURL.appending(component: "StateFingerprint.swift")
        let compiler = try context.tool(named: "swiftc").url
        // Relative to the package, so that the same sources have one fingerprint wherever they lie.
        let root = context.package.directoryURL.path(percentEncoded: false)
        let paths = sources.map {
            $0.path(percentEncoded: false).replacing(root.hasSuffix("/") ? root : root + "/", with: "", maxReplacements: 1)
        }
        return [
            .buildCommand(
                displayName: "Fingerprint of the features", executable: URL(filePath: "/bin/sh"),
                arguments: [
                    "-c", Self.script, "fingerprint", output.path(percentEncoded: false), compiler.path(percentEncoded: false),
                    root,
                ]
                    + paths.sorted(),
                inputFiles: sources + [compiler], outputFiles: [output])
        ]
    }
}
