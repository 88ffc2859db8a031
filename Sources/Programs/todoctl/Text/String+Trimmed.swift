import TodoRules

extension String {
    /// Without leading and trailing white space, by the daemon's rule.
    var trimmed: String { TitleRule.trimmed(self) }
}
