import Foundation
import PackagePlugin

/// Makes a Swift constant of each interface description, so that a static binary serves the file byte for byte.
@main
struct EmbedInterfaces: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let directory = target.directoryURL.appending(path: "Interfaces")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "varlink" }.sorted { $0.path < $1.path }
        let script = directory.appending(path: "embed.sh")
        let output = context.pluginWorkDirectoryURL.appending(path: "InterfaceTexts.swift")
        return [
            .buildCommand(
                displayName: "Embedding the interface descriptions", executable: URL(filePath: "/bin/sh"),
                arguments: [script.path, output.path] + files.map(\.path), inputFiles: [script] + files, outputFiles: [output])
        ]
    }
}
