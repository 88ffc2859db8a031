import Foundation
import PackagePlugin

/// Gives a target `featureDocumentation`: the comments of features, their actions and the fields of their states, by name, so that a client
/// can be told what the sources say.
@main
struct Documentation: BuildToolPlugin {
    static let script = #"""
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
        scope == "action" && /^ *case [a-z]/ { match($0, /case [A-Za-z]+/); entry(feature "." substr($0, RSTART + 5, RLENGTH - 5)) }
        scope == "state" && / var / { match($0, /var [A-Za-z]+/); entry(feature ".state." substr($0, RSTART + 4, RLENGTH - 4)) }
        { text = "" }
        END { print "]" }
        """#

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let features = context.package.targets.filter { $0.name.hasSuffix("Feature") && $0.name != "AppFeature" }
        let sources = features.flatMap { target in
            (target as? any SourceModuleTarget)?.sourceFiles.filter { $0.type == .source }.map(\.url) ?? []
        }
        let output = context.pluginWorkDirectoryURL.appending(component: "FeatureDocumentation.swift")
        let paths = sources.map { $0.path(percentEncoded: false) }.sorted()
        return [
            .buildCommand(
                displayName: "Documentation of the features", executable: URL(filePath: "/bin/sh"),
                arguments: [
                    "-c", "out=$1 script=$2; shift 2; awk \"$script\" \"$@\" > \"$out\"", "documentation",
                    output.path(percentEncoded: false), Self.script,
                ] + paths,
                inputFiles: sources, outputFiles: [output])
        ]
    }
}
