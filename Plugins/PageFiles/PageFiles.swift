import Foundation
import PackagePlugin

/// Puts the files of a target's folder `Page` into it, as literals: what a program serves of a page comes with the program.
///
/// A literal is data of the program, so that starting costs nothing, and neither does compiling.
@main
struct PageFiles: BuildToolPlugin {
    static let script = #####"""
        set -eu; out=$1 folder=$2; shift 2; cd "$folder"
        {
            printf '/// The files of the page, by their paths below it.\nlet pageTexts: [String: StaticString] = [\n'
            for file do printf '"%s": ####"""\n' "$file"; cat -- "$file"; printf '\n"""####,\n'; done
            printf ']\n'
        } > "$out"
        """#####

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL.appending(path: "Page")
        let root = path(folder) + "/"
        let files =
            (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])?.allObjects ?? [])
            .compactMap { $0 as? URL }
            .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
            .filter { !$0.lastPathComponent.hasPrefix(".") }
            .sorted { path($0) < path($1) }
        let output = context.pluginWorkDirectoryURL.appending(component: "PageTexts.swift")
        let names = files.map { path($0).replacing(root, with: "", maxReplacements: 1) }
        return [
            .buildCommand(
                displayName: "Files of the page", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", Self.script, "page", path(output), path(folder)] + names,
                inputFiles: files, outputFiles: [output])
        ]
    }

    private func path(_ url: URL) -> String {
        let path = url.standardizedFileURL.path(percentEncoded: false)
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
