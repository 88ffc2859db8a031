import TodoRules

extension String {
    /// Without white space at both ends, as the daemon takes it off.
    var trimmed: String { TitleRule.trimmed(self) }
}
