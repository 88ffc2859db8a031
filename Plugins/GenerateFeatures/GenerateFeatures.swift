import Foundation
import PackagePlugin

/// Makes the Swift of each schema (`*.feature`) in the folder of a target.
@main
struct GenerateFeatures: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let files = try FileManager.default.contentsOfDirectory(at: target.directoryURL, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "feature" }.sorted { $0.path < $1.path }.map { file in
            let output = context.pluginWorkDirectoryURL.appending(path: file.lastPathComponent + ".swift")
            return .buildCommand(
                displayName: "Swift of \(file.lastPathComponent)", executable: try context.tool(named: "InterfaceGenerator").url,
                arguments: [output.path, file.path], inputFiles: [file], outputFiles: [output])
        }
    }
}
