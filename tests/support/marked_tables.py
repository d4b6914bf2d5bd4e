"""Tables of a document that a script writes: what stands between <!-- NAME: begin --> and <!-- NAME: end -->."""


def with_table(text, name, table):
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, rest = text.split(begin)
    return before + begin + table + end + rest.split(end)[1]
