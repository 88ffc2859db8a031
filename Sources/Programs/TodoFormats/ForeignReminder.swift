public import Dates
import TodoRules

/// When a reminder is due.
public enum ForeignReminder: Sendable, Equatable {
    /// At a minute, or at the start of a day.
    case at(Due)
    /// Minutes before the due date, also if the due date moves.
    case before(minutes: Int)

    public static let minutesMax = TodoLimits.remindDaysBeforeMax * 1_440
}

enum FormatDuration {
    private static let seconds = ["W": 604_800, "D": 86_400, "TH": 3_600, "TM": 60, "TS": 1]

    static func text(_ minutes: Int) -> String {
        let (days, rest) = minutes.quotientAndRemainder(dividingBy: 1_440)
        var text = days > 0 ? "P\(days)D" : "P"
        guard rest > 0 || days == 0 else { return text }
        let (hours, left) = rest.quotientAndRemainder(dividingBy: 60)
        text += "T"
        if hours > 0 { text += "\(hours)H" }
        if left > 0 || hours == 0 { text += "\(left)M" }
        return text
    }

    /// Whole minutes, up to the maximum of a reminder.
    static func minutes(_ text: some StringProtocol) -> Int? {
        guard text.first == "P" else { return nil }
        var (sum, digits, isTime, isEmpty) = (0, "", false, true)
        for character in text.dropFirst() {
            if character.isASCII, character.isNumber {
                digits.append(character)
            } else if character == "T", !isTime, digits.isEmpty {
                isTime = true
            } else {
                let name = (isTime ? "T" : "") + String(character)
                guard digits.utf8.count <= 9, let count = Int(digits), let unit = seconds[name] else { return nil }
                sum += count * unit
                guard sum <= ForeignReminder.minutesMax * 60 else { return nil }
                (digits, isEmpty) = ("", false)
            }
        }
        return digits.isEmpty && !isEmpty && sum % 60 == 0 ? sum / 60 : nil
    }
}
