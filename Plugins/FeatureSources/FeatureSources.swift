import Foundation
import PackagePlugin

/// Gives a target what the sources of the features say.
///
/// `featureDocumentation`: the comments of features, their actions and the fields of their states, by name, so that a client can be told.
/// `stateFingerprint`: SHA-256 over the features' sources, those they depend on, and the compiler's version; a snapshot that was made by
/// other code, or by other rules for text, is not trusted.
@main
struct FeatureSources: BuildToolPlugin {
    static let documentation = #"""
        function entry(key) {
            if (text != "") printf "    \"%s\": \"%s\",\n", key, text
            text = ""
        }
        BEGIN {
            print "/// What features, actions and fields of states mean, by name."
            print "let featureDocumentation: [String: String] = ["
        }
        FNR == 1 { count = split(FILENAME, path, "/"); feature = tolower(path[count - 1]); scope = ""; text = "" }
        /^ *\/\/\/$/ { isOver = 1; next }
        /^ *\/\/\/ / {
            if (isOver) next
            sub(/^ *\/\/\/ /, ""); gsub(/\\/, "\\\\"); gsub(/"/, "\\\"")
            text = text == "" ? $0 : text "\\n" $0
            next
        }
        { isOver = 0 }
        /public enum [A-Za-z]+: Feature / { entry(feature) }
        /public struct State: Fielded / { scope = "state" }
        /public enum Action: Cased / { scope = "action" }
        /public enum Command|func visit|let blanks/ { scope = "" }
        scope == "action" && /^ *(indirect )?case [a-z]/ { match($0, /case [A-Za-z]+/); entry(feature "." substr($0, RSTART + 5, RLENGTH - 5)) }
        scope == "state" && / var / { match($0, /var [A-Za-z]+/); entry(feature ".state." substr($0, RSTART + 4, RLENGTH - 4)) }
        { text = "" }
        END { print "]" }
        """#

    static let fingerprint = """
        set -eu; out=$1 compiler=$2 root=$3; shift 3; cd "$root"
        sources=$(sha256sum -- "$@"); version=$("$compiler" --version 2>/dev/null)
        digest=$(printf '%s\\n' "$sources" "$version" | sha256sum | cut -c 1-64)
        printf '/// Stands for the code that made a state.\\nlet stateFingerprint = "%s"\\n' "$digest" > "$out"
        """

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        [try documentation(context), try fingerprint(context)]
    }

    private func documentation(_ context: PluginContext) throws -> Command {
        let features = context.package.targets.filter {
            $0.name.hasPrefix("Feature") && !$0.name.hasSuffix("Tests") && $0.name != "FeatureApp"
        }
        let sources = features.flatMap { files(of: $0, [.source]) }
        let output = context.pluginWorkDirectoryURL.appending(component: "FeatureDocumentation.swift")
        let script = "out=$1 script=$2; shift 2; awk \"$script\" \"$@\" > \"$out\""
        return .buildCommand(
            displayName: "Documentation of the features", executable: URL(filePath: "/bin/sh"),
            arguments: ["-c", script, "documentation", path(output), Self.documentation] + sources.map(path).sorted(),
            inputFiles: sources, outputFiles: [output])
    }

    private func fingerprint(_ context: PluginContext) throws -> Command {
        let apps = try context.package.targets(named: ["FeatureApp"])
        let sources = (apps.flatMap(\.recursiveTargetDependencies) + apps).flatMap { files(of: $0, [.source, .header]) }
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

    private func files(of target: any Target, _ kinds: Set<FileType>) -> [URL] {
        (target as? any SourceModuleTarget)?.sourceFiles.filter { kinds.contains($0.type) }.map(\.url) ?? []
    }

    private func path(_ url: URL) -> String { url.path(percentEncoded: false) }
}
