import Foundation
import VarlinkInterfaces

// InterfaceGenerator OUTPUT FILE...: writes the Swift of interface descriptions, and their texts byte for byte.
do {
    let files = CommandLine.arguments.dropFirst(2)
    let interfaces = try files.map { path in
        do {
            return try InterfaceDescription(parsing: String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self))
        } catch let error as InterfaceError {
            throw GeneratorError("\(path):\(error.line): error: \(error.message)")
        }
    }
    let header = """
        // Made from the interface descriptions: change those.
        public import Reducing
        public import Varlink

        """
    var messages = MessageWriter()
    // The last one is that of the store, whose types the others share.
    for interface in interfaces.reversed() { try messages.write(interface) }
    messages.writeTexts(of: interfaces)
    var errors = ErrorWriter()
    try errors.write(interfaces)
    var handlers = HandlerWriter()
    try handlers.write(interfaces)
    let output = URL(filePath: CommandLine.arguments[1])
    let made = Data((header + messages.swift.text + errors.swift.text + handlers.swift.text).utf8)
    // What is the same keeps its time, so that nothing is compiled again for it.
    if (try? Data(contentsOf: output)) != made { try made.write(to: output) }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
