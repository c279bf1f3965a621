"""Horizontal bars on a logarithmic axis, as SVG text."""
import html
import math

LABEL, WIDTH, ROW, GAP, HEAD, FOOT = 250, 520, 20, 34, 62, 30
STYLE = """<style>
  text { font: 12px sans-serif; fill: #333 } .title { font-weight: bold; font-size: 15px }
  .panel { font-weight: bold } .axis { stroke: #ccc } .small { font-size: 10px; fill: #666 }
  .own { fill: #2a78b8 } .peer { fill: #b9b9b9 } .whisker { stroke: #333 } .tick { fill: #d1442e }
</style>"""


def bars_svg(title, panels, unit="ms"):
    """panels: [(name, [bar])]; bar: dict of label, own (ours or a peer's), value, low, high, and tick: a
    further value that is marked. All values are positive."""
    values = [bar[key] for _, bars in panels for bar in bars for key in ("low", "high", "tick")]
    lowest = math.floor(math.log10(min(values)))
    highest = max(math.ceil(math.log10(max(values))), lowest + 1)

    def x(value):
        return LABEL + WIDTH * (math.log10(value) - lowest) / (highest - lowest)

    height = HEAD + FOOT + sum(GAP + ROW * len(bars) for _, bars in panels)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL + WIDTH + 90}" height="{height}">', STYLE,
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text class="title" x="10" y="22">{html.escape(title)}</text>']
    out += _legend()
    for exponent in range(lowest, highest + 1):
        at = x(10.0**exponent)
        out.append(f'<line class="axis" x1="{at:.1f}" y1="{HEAD}" x2="{at:.1f}" y2="{height - FOOT}"/>')
        out.append(f'<text x="{at:.1f}" y="{height - FOOT + 16}" text-anchor="middle">'
                   f'{10.0**exponent:g} {html.escape(unit)}</text>')
    y = HEAD
    for name, bars in panels:
        out.append(f'<text class="panel" x="10" y="{y + GAP - 12}">{html.escape(name)}</text>')
        y += GAP
        for bar in bars:
            out += _bar(bar, x, y)
            y += ROW
    return "\n".join(out + ["</svg>"]) + "\n"


def _legend():
    out = []
    for at, css, text in ((10, "own", "Swage"), (90, "peer", "others"), (170, "tick", "longest call")):
        width = 3 if css == "tick" else 12
        out.append(f'<rect class="{css}" x="{at + (12 - width) / 2}" y="36" width="{width}" height="12"/>')
        out.append(f'<text x="{at + 18}" y="46">{text}</text>')
    out.append('<text x="290" y="46">line: smallest to largest of the runs</text>')
    return out


def _bar(bar, x, y):
    middle, end = y + ROW / 2, x(bar["value"])
    css = "own" if bar["own"] else "peer"
    return [
        f'<text x="{LABEL - 8}" y="{middle + 4}" text-anchor="end">{html.escape(bar["label"])}</text>',
        f'<rect class="{css}" x="{LABEL}" y="{y + 3}" width="{max(end - LABEL, 1):.1f}" height="{ROW - 6}"/>',
        f'<line class="whisker" x1="{x(bar["low"]):.1f}" y1="{middle}" x2="{x(bar["high"]):.1f}" y2="{middle}"/>',
        f'<rect class="tick" x="{x(bar["tick"]) - 1.5:.1f}" y="{y + 1}" width="3" height="{ROW - 2}"/>',
        f'<text class="small" x="{max(end, x(bar["high"])) + 6:.1f}" y="{middle + 4}">{bar["text"]}</text>',
    ]
