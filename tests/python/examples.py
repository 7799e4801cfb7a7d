"""The examples of a page: blocks of Python code that are run as they stand, and their prints compared with the comments.

A comment behind a print, or alone in the line after it, shows what is printed; words may follow behind a comma.
"""

import contextlib
import io
import re
import tokenize


def blocks(page):
    """(heading, code) of every block of Python code."""
    heading = ""
    found = []
    for part in re.split(r"(^```python\n.*?^```$)", page, flags=re.S | re.M):
        if part.startswith("```python"):
            found.append((heading, part[len("```python\n"):-len("```")]))
        else:
            for line in part.splitlines():
                if line.startswith("#"):
                    heading = line.lstrip("# ")
    return found


def expected(code):
    """The comments of the prints, in order."""
    wanted = []
    lines = code.splitlines()
    comments = {}
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            comments[token.start[0]] = (token.start[1], token.string.lstrip("# ").rstrip())
    for number, line in enumerate(lines, 1):
        if not re.search(r"(^|\s|: )print\(", line):
            continue
        if number in comments:
            wanted.append((number, comments[number][1]))
        elif number + 1 in comments and comments[number + 1][0] == len(line) - len(line.lstrip()):
            wanted.append((number, comments[number + 1][1]))
        else:
            wanted.append((number, None))
    return wanted


def run(code, name):
    """Runs the code; returns the complaints: prints that are not what their comments say."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, name, "exec"), {"__name__": "__main__"})
    got = out.getvalue().splitlines()
    wanted = expected(code)
    if len(got) != len(wanted):
        return [f"{name}: {len(got)} lines were printed, {len(wanted)} prints stand there: {got}"]
    return [f"{name}, line {number}: printed {line!r}, the comment says {comment!r}"
            for line, (number, comment) in zip(got, wanted)
            if comment is not None and comment != line and not comment.startswith(line + ",")]
