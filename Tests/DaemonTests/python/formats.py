"""Takes a file of todos apart with a library from PyPI, and writes it anew from what that knows.

Usage: formats.py todotxt | ics SOURCE TARGET
"""

import sys


def todotxt(source, target):
    from pytodotxt import Task, TodoTxt

    lines = []
    for task in TodoTxt(source).parse():
        made = Task(task.bare_description())
        made.is_completed = task.is_completed
        made.priority = task.priority
        made.completion_date = task.completion_date
        made.creation_date = task.creation_date
        for project in task.projects:
            made.add_project(project)
        for context in task.contexts:
            made.add_context(context)
        for name, values in task.attributes.items():
            for value in values:
                made.add_attribute(name, value)
        lines.append(str(made) + "\n")
    with open(target, "w", encoding="utf-8") as file:
        file.writelines(lines)
    return len(lines)


def ics(source, target):
    from icalendar import Calendar

    with open(source, "rb") as file:
        calendar = Calendar.from_ical(file.read())
    todos = calendar.walk("VTODO")
    for todo in todos:
        # decoded returns a Python value in place of the text.
        for name in ("DUE", "DTSTART", "COMPLETED", "CREATED"):
            if name in todo:
                todo.decoded(name)
    with open(target, "wb") as file:
        file.write(calendar.to_ical())
    return len(todos)


print({"todotxt": todotxt, "ics": ics}[sys.argv[1]](sys.argv[2], sys.argv[3]))
