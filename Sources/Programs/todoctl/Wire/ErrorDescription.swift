import TodoAPI
import Varlink

/// An error as its interface describes it.
///
/// `Failure` adds the command that helps and the exit status.
struct ErrorDescription: Equatable {
    /// The full name, the meaning, the usual cause and the remedy.
    ///
    /// The latter are empty if the message of a refusal contains them.
    let name, meaning, cause, remedy: String
    let short: String
    let code: Failure.Code
    /// The message with parameter names in braces; `nil` if it varies.
    let sentence: String?

    /// All errors except those of features: first those of the service, then in the order of the interfaces.
    static let all: [ErrorDescription] = ([ServiceDescription.text] + Interfaces.all).flatMap { text in
        // The texts were parsed at build time.
        let interface = try? InterfaceDescription(parsing: text)
        return interface?.errors.map { ErrorDescription($0, of: interface?.name ?? "") } ?? []
    }

    /// The error with a name, which may omit the interface and ignores case.
    static func named(_ name: String, among errors: [ErrorDescription] = all) -> ErrorDescription? {
        let wanted = name.lowercased()
        return errors.first { $0.name.lowercased() == wanted || $0.short.lowercased() == wanted }
            ?? errors.first { $0.short.lowercased().hasSuffix("." + wanted) }
    }

    init(_ error: InterfaceDescription.ErrorType, of interface: String, _ names: InterfaceNames = InterfaceNames()) {
        let text = error.documentation.filter { !$0.isEmpty }.joined(separator: " ")
        let parts = text.wholeMatch(of: #/(.*?) ?(?:Cause: (.*?))? ?(?:Remedy: (.*))?/#)?.output
        let meaning = String(parts?.1 ?? "")
        let ownName = interface + "." + error.name
        (name, short, code) = (names.served(ownName), Failure.short(ownName), Failure.Code(ofError: ownName))
        // Descriptions of other services may lack the full stop.
        self.meaning = meaning.isEmpty || meaning.hasSuffix(".") ? meaning : meaning + "."
        cause = Self.sentence((parts?.2 ?? nil) ?? "")
        remedy = Failure.remedies[short] ?? Self.sentence((parts?.3 ?? nil) ?? "")
        let said = error.parameters.first { $0.name == "message" }?.documentation ?? []
        sentence = said.isEmpty ? nil : said.joined(separator: " ")
    }

    private static func sentence(_ text: Substring) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
