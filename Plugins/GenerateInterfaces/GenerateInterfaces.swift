import Foundation
import PackagePlugin

/// Makes the messages of a target from the interface descriptions in its folder `Interfaces`, and keeps their texts, so that a
/// static binary serves the files byte for byte.
@main
struct GenerateInterfaces: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let directory = target.directoryURL.appending(path: "Interfaces")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "varlink" }.sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "Interfaces+Messages.swift")
        return [
            .buildCommand(
                displayName: "Messages of the interfaces", executable: try context.tool(named: "InterfaceGenerator").url,
                arguments: [output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
        ]
    }
}
