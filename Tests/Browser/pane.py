"""Renders the contents of a terminal: `tmux capture-pane -e -p | python3 pane.py PICTURE.png [COLUMNS]`."""

import html
import os
import re
import subprocess
import sys
import tempfile
import unicodedata

CHROMIUM = "/usr/bin/chromium"
BASIC = ["#1b1d23", "#d65c5c", "#4fae5f", "#d0a23c", "#5b8be0", "#b873c4", "#4aa6b0", "#d7dae0"]
BRIGHT = ["#5a5f6b", "#ef7a7a", "#6fcf80", "#eec35e", "#7fa8f5", "#d493e0", "#6cc6d0", "#ffffff"]
GROUND, INK = "#14161b", "#d7dae0"
# The width of a column of DejaVu Sans Mono relative to the font size.
SIZE, COLUMN, LINE, MARGIN = 15, 0.60205, 18, 14


def indexed(number):
    """One of the 256 indexed colours."""
    if number < 16:
        return (BASIC + BRIGHT)[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    levels = [0, 95, 135, 175, 215, 255]
    number -= 16
    return "#" + "".join(f"{levels[part]:02x}" for part in (number // 36, number // 6 % 6, number % 6))


class Style:
    """The style of the next characters."""

    def __init__(self):
        self.ink = self.ground = None
        self.flags = set()

    def take(self, codes):
        """Applies the parameters of an escape sequence."""
        codes = [int(code or 0) for code in codes.replace(":", ";").split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.__init__()
            elif code in (38, 48):
                colour = self.colour(codes)
                if code == 38:
                    self.ink = colour
                else:
                    self.ground = colour
            elif 30 <= code <= 37:
                self.ink = BASIC[code - 30]
            elif 90 <= code <= 97:
                self.ink = BRIGHT[code - 90]
            elif 40 <= code <= 47:
                self.ground = BASIC[code - 40]
            elif 100 <= code <= 107:
                self.ground = BRIGHT[code - 100]
            elif code == 39:
                self.ink = None
            elif code == 49:
                self.ground = None
            elif code == 22:
                self.flags -= {1, 2}
            elif 23 <= code <= 29:
                self.flags.discard(code - 20)
            elif 1 <= code <= 9:
                self.flags.add(code)

    @staticmethod
    def colour(codes):
        if codes.pop(0) == 5:
            return indexed(codes.pop(0))
        return "#" + "".join(f"{codes.pop(0):02x}" for _ in range(3))

    @property
    def css(self):
        ink, ground = self.ink or INK, self.ground
        if 7 in self.flags:
            ink, ground = ground or GROUND, ink
        rules = [f"color:{ink}"]
        if ground:
            rules.append(f"background:{ground}")
        if 1 in self.flags:
            rules.append("font-weight:bold")
        if 2 in self.flags:
            rules.append("opacity:.6")
        if 3 in self.flags:
            rules.append("font-style:italic")
        if 4 in self.flags:
            rules.append("text-decoration:underline")
        if 9 in self.flags:
            rules.append("text-decoration:line-through")
        return ";".join(rules)


def columns(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def lines(text):
    """Each line as HTML, with its number of columns."""
    style = Style()
    for line in text.split("\n"):
        parts, width = [], 0
        for piece in re.split(r"(\x1b\[[0-9;:]*m)", line):
            if piece.startswith("\x1b["):
                style.take(piece[2:-1])
            elif piece:
                width += sum(map(columns, piece))
                parts.append(f'<span style="{style.css}">{html.escape(piece)}</span>')
        yield "".join(parts), width


def main(path, width=0):
    text = re.sub(r"\x1b(?!\[[0-9;:]*m)[^m]?|\x0e|\x0f", "", sys.stdin.read()).rstrip("\n")
    rows = list(lines(text))
    width = max([int(width)] + [columns for _, columns in rows])
    page = "".join(f"<div>{row or '&nbsp;'}</div>" for row, _ in rows)
    style = (
        f"body{{margin:{MARGIN}px;background:{GROUND};overflow:hidden}}"
        f"div{{font:{SIZE}px/{LINE}px 'DejaVu Sans Mono',monospace;white-space:pre;height:{LINE}px}}span{{display:inline-block;height:{LINE}px}}")
    size = (round(width * SIZE * COLUMN) + 2 * MARGIN, len(rows) * LINE + 2 * MARGIN)
    with tempfile.TemporaryDirectory() as directory:
        source = os.path.join(directory, "pane.html")
        with open(source, "w", encoding="utf-8") as file:
            file.write(f'<!doctype html><meta charset="utf-8"><style>{style}</style>{page}')
        subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1.5",
             f"--user-data-dir={directory}/profile", f"--window-size={size[0]},{size[1]}", f"--screenshot={os.path.abspath(path)}",
             "file://" + source],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)


if __name__ == "__main__":
    main(*sys.argv[1:])
