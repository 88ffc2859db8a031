/// Size limits of a todo's fields, enforced by the daemon and by imports.
public enum TodoLimits {
    /// Maximum size of a title in UTF-8 bytes.
    public static let titleBytesMax = 4_096
    /// Maximum size of a note in UTF-8 bytes.
    public static let noteBytesMax = 65_536
    /// Maximum number of tags per todo.
    public static let tagsMax = 64
    /// Maximum size of a tag in UTF-8 bytes.
    public static let tagBytesMax = 256
    /// Maximum number of dependencies per todo.
    public static let afterMax = 32
    /// Maximum number of days between a relative reminder and its due date: ten years.
    public static let remindDaysBeforeMax = 3_660
}
