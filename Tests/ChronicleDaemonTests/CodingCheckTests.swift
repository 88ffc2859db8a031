import Chronicle
import LinuxService
import Testing

@testable import ChronicleDaemon

/// A counter.
///
/// The type of its amount defines the default.
private enum Counter<Amount: Start>: DaemonApp {
    struct State: FieldCoding {
        var count: Int64 = 0

        mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
            try fields.field(1, "count", &count, .shown)
        }
    }

    struct Action: CaseCoding {
        var amount = Amount.amount

        static func defaultInstance(_ number: UInt32) -> Action? { number == 1 ? Action() : nil }

        consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> Action {
            fields.choose(1, "add")
            try fields.field(1, "amount", &amount, .required)
            return self
        }
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] { [] }
}

private protocol Start: Sendable { static var amount: Int64 { get } }
private enum Zero: Start { static let amount: Int64 = 0 }
private enum One: Start { static let amount: Int64 = 1 }

private enum Counterd<Amount: Start>: DaemonProgram {
    typealias App = Counter<Amount>

    static var program: Program { Program(name: "counterd", version: "1.0.0", abstract: "") }

    /// The exit status of a start that only prints the settings.
    static func status() async throws -> Int32 {
        let options = try DaemonOptions(["--print-settings"])
        return await run(
            DaemonStart(
                program: program, options: options, environment: [:], output: LogOutput(program: "counterd", environment: [:]),
                target: { _ in NoCommands() }, firstActions: { _ in [] }))
    }
}

@Suite struct CodingCheckTests {
    @Test func `a program whose types can't be decoded again does not start`() async throws {
        #expect(try await Counterd<Zero>.status() == ExitStatus.stopped.rawValue)
        #expect(try await Counterd<One>.status() == ExitStatus.configuration.rawValue)
    }
}
