enum FilterToken: Equatable {
    case open
    case close
    case not
    case and
    case or
    case term(FilterTerm)

    var term: FilterTerm? {
        guard case .term(let term) = self else { return nil }
        return term
    }

    var isListOfIDs: Bool { term.map { !$0.ranges.isEmpty && $0.ranges.allSatisfy { $0.lowerBound == $0.upperBound } } ?? false }

    /// Splits the arguments of a verb.
    ///
    /// - Parameters:
    ///   - view: returns the tokens of a view.
    ///   - term: parses a condition.
    static func tokens(
        of arguments: [String], view: (String) throws(Failure) -> [FilterToken],
        term: (Substring, _ isQuoted: Bool) throws(Failure) -> FilterTerm
    ) throws(Failure) -> [FilterToken] {
        var tokens: [FilterToken] = []
        for argument in arguments {
            // `due<next friday` is one condition, `due<friday bank` are two. If neither can be parsed, the error of the whole
            // argument is thrown.
            var mistake: Failure?
            if argument.contains(where: \.isWhitespace), !argument.contains("\""), FilterTerm.isOfDate(argument[...]) {
                do throws(Failure) {
                    tokens.append(.term(try term(argument[...], false)))
                    continue
                } catch { mistake = error }
            }
            for (piece, isQuoted) in try pieces(of: argument) {
                guard !isQuoted else {
                    tokens.append(.term(try term(piece[...], true)))
                    continue
                }
                var (word, closed) = (piece[...], 0)
                while word.first == "(" {
                    tokens.append(.open)
                    word.removeFirst()
                }
                while word.last == ")" {
                    closed += 1
                    word.removeLast()
                }
                switch word {
                case "": break
                case "not": tokens.append(.not)
                case "and": tokens.append(.and)
                case "or": tokens.append(.or)
                case _ where SavedView.named(by: word) != nil:
                    tokens += try view(String(word.dropFirst()))
                default:
                    // `-tag` is `not +tag`, but `-3` is not a tag.
                    let isWithout = word.first == "-" && word.dropFirst().first?.isLetter == true
                    // Without several tags means without any of them.
                    let tags = isWithout ? Tags.listed(word.dropFirst()) : []
                    if tags.count > 1 {
                        tokens.append(.open)
                        for tag in tags {
                            let without = try term(("+" + tag)[...], false)
                            tokens += [.not, .term(without)]
                        }
                        tokens.append(.close)
                        break
                    }
                    if isWithout { tokens.append(.not) }
                    do throws(Failure) {
                        tokens.append(.term(try term(isWithout ? "+" + word.dropFirst() : word, false)))
                    } catch { throw mistake ?? error }
                    mistake = nil
                }
                tokens += Array(repeating: .close, count: closed)
            }
        }
        return tokens
    }

    /// Splits at white space; quotes at the beginning, after an operator or after a tag sign group words and are removed.
    private static func pieces(of argument: String) throws(Failure) -> [(String, isQuoted: Bool)] {
        var pieces: [(String, isQuoted: Bool)] = []
        var piece = ""
        var (isQuoted, isOpen) = (false, false)
        for character in argument {
            switch character {
            case "\"" where isOpen:
                isOpen = false
                guard isQuoted else { continue }
                pieces.append((piece, true))
                (piece, isQuoted) = ("", false)
            case "\"" where piece.allSatisfy({ $0 == "(" }) || piece.last.map({ ":<>=".contains($0) }) == true || isMark(piece):
                // A dash is a tag sign only before a letter or a quote.
                if piece.last == "-" {
                    pieces.append((String(piece.dropLast()) + "not", false))
                    piece = "+"
                }
                isOpen = true
                isQuoted = piece.isEmpty
            case _ where character.isWhitespace && !isOpen:
                if !piece.isEmpty { pieces.append((piece, isQuoted)) }
                (piece, isQuoted) = ("", false)
            default: piece.append(character)
            }
        }
        guard !isOpen else { throw Failure(.usage, "In the filter a quotation mark is not closed.") }
        if !piece.isEmpty { pieces.append((piece, isQuoted)) }
        return pieces
    }

    /// Whether a tag follows: `+`, `(-`.
    private static func isMark(_ piece: String) -> Bool { ["+", "#", "-"].contains(piece.drop { $0 == "(" }) }
}
