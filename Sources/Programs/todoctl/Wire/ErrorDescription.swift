import TodoAPI
import Varlink

/// What is known of an error that the daemon can answer with, without asking it.
///
/// What it means, its usual cause, and what anybody can do about it stand above the error in the description of its interface; which
/// command helps, and how todoctl ends, say the rows of `Failure`.
struct ErrorDescription: Equatable {
    /// With its interface.
    let name: String
    /// What it means.
    let meaning: String
    /// What usually leads to it.
    let cause: String
    /// What to do.
    let remedy: String
    /// What a person reads when it happens, where that is always the same.
    ///
    /// Names in braces stand for parameters.
    let sentence: String?

    /// Without its interface.
    var short: String { Failure.short(name) }
    /// How todoctl ends with it.
    var code: Failure.Code { Failure.Code(ofError: name) }

    /// Every error there is, those of the service first, then in the order of their interfaces.
    static let all: [ErrorDescription] = ([ServiceDescription.text] + Interfaces.all).flatMap { text in
        // They are part of the program, and were read when it was built.
        let interface = try? InterfaceDescription(parsing: text)
        return interface?.errors.map { ErrorDescription($0, of: interface?.name ?? "") } ?? []
    }

    /// The error of a name, with or without its interface, whether or not its capitals are right.
    static func named(_ name: String) -> ErrorDescription? {
        let wanted = name.lowercased()
        return all.first { $0.name.lowercased() == wanted || $0.short.lowercased() == wanted }
    }

    init(_ error: InterfaceDescription.ErrorType, of interface: String) {
        var (meaning, cause, remedy) = ("", "", "")
        var isCause = true
        for line in error.documentation {
            if line.hasPrefix("Cause: ") {
                (cause, isCause) = (Self.sentence(line.dropFirst("Cause: ".count)), true)
            } else if line.hasPrefix("Remedy: ") {
                (remedy, isCause) = (Self.sentence(line.dropFirst("Remedy: ".count)), false)
            } else if !remedy.isEmpty || !cause.isEmpty {
                if isCause { cause += " " + line } else { remedy += " " + line }
            } else if !line.isEmpty {
                meaning += meaning.isEmpty ? line : " " + line
            }
        }
        name = interface + "." + error.name
        // The descriptions of others may leave it out.
        if !meaning.isEmpty, !meaning.hasSuffix(".") { meaning += "." }
        (self.meaning, self.cause) = (meaning, cause)
        self.remedy = Failure.remedies[error.name] ?? remedy
        let said = error.parameters.first { $0.name == "message" }?.documentation ?? []
        sentence = said.isEmpty ? nil : said.joined(separator: " ")
    }

    private static func sentence(_ text: Substring) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
