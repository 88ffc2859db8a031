import CodeGeneration
import Foundation

// InterfaceGenerator OUTPUT FILE...: writes the Swift of interface descriptions (*.varlink), or of one schema (*.feature).
do { try Generator.run(CommandLine.arguments) } catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
