/// The largest of what a person says of a todo: what is larger the daemon refuses, and files of todos are not read with.
public enum TodoLimits {
    /// UTF-8 bytes of a title.
    public static let titleBytesMax = 4_096
    /// UTF-8 bytes of a note.
    public static let noteBytesMax = 65_536
    /// Tags of one todo.
    public static let tagsMax = 64
    /// UTF-8 bytes of a tag.
    public static let tagBytesMax = 256
    /// Todos that one comes after.
    public static let afterMax = 32
    /// Days before the due that a reminder may be which moves with it: ten years.
    public static let remindDaysBeforeMax = 3_660
}
