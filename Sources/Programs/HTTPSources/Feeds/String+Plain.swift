extension String {
    /// The text on one line, without control characters, truncated to a number of bytes.
    func plain(bytesMax: Int) -> String {
        var plain = ""
        var isBlank = false
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            // Format characters, such as directional marks, could change how the rest is displayed.
            case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator, .paragraphSeparator:
                // Keep the joiner of compound emoji.
                if scalar == "\u{200D}" { plain.unicodeScalars.append(scalar) } else { isBlank = !plain.isEmpty }
            default:
                let bytes = UTF8.width(scalar) + (isBlank ? 1 : 0)
                guard plain.utf8.count + bytes <= bytesMax else { return plain }
                if isBlank { plain += " " }
                isBlank = false
                plain.unicodeScalars.append(scalar)
            }
        }
        return plain
    }

    /// The text of an HTML fragment: tags are removed and entities are decoded.
    var withoutMarkup: String {
        var text = ""
        var rest = self[...]
        while let next = rest.firstIndex(where: { $0 == "<" || $0 == "&" }) {
            text += rest[..<next]
            rest = rest[next...]
            if rest.first == "<" {
                guard let end = rest.firstIndex(of: ">") else { return text }
                text += " "
                rest = rest[rest.index(after: end)...]
            } else {
                let name = rest.dropFirst().prefix(while: { $0 != ";" && $0 != "&" && $0 != " " }).prefix(10)
                let after = name.endIndex
                if after < rest.endIndex, rest[after] == ";", let character = Self.character(named: name) {
                    text.unicodeScalars.append(character)
                    rest = rest[rest.index(after: after)...]
                } else {
                    text += "&"
                    rest = rest.dropFirst()
                }
            }
        }
        return text + rest
    }

    private static func character(named name: Substring) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case "nbsp": " "
        case "mdash": "—"
        case "ndash": "–"
        case "hellip": "…"
        case "lsquo": "‘"
        case "rsquo": "’"
        case "ldquo": "“"
        case "rdquo": "”"
        default: number(name).flatMap(Unicode.Scalar.init)
        }
    }

    private static func number(_ name: Substring) -> UInt32? {
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        return digits.lowercased().hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    }
}
