#!/usr/bin/env python3
"""Makes docs/validation_results.md and docs/images/convergence.svg from what the validation tests measured.

  docs/validation.py <folder>

The folder holds the records that tests/validation writes where PLIANT_VALIDATION_RECORD names it. The target
validation_page runs the tests and this script.
"""
import math
import pathlib
import sys
import textwrap

# The chapters: the first part of a record's file name, the title, and what is done. No figure is typed here.
CHAPTERS = [
    ("homogeneous", "Uniaxial stress and simple shear of a body",
     "A box of distorted `Hex8`, E = 1 Pa, nu = 0.3, goes to equilibrium with `QuasiStatic`, in each of the ten energies: pulled at one end, pressed "
     "between its ends, its sides free; sheared between bottom and top under the tractions on its other sides. The truth is P written out in "
     "the test for each energy, with the lateral stretch t from its own root solve. Forces are per E and rest area."),
    ("cook_membrane", "Cook's membrane",
     "A tapered panel with the corners (0, 0), (48, 44), (48, 60), (0, 44), clamped on its left, bears a force F on its right side; `Tri3`. The clamped "
     "obtuse corner is singular, so that the orders stay below two. The limit, and the fine values in biquadratic elements, come from an "
     "independent program."),
    ("cantilever", "Cantilever",
     "A beam of 1 m x 0.1 m x 0.1 m under a force across its end, at small strain. Linear hexahedra are too stiff in bending by an error that is known and "
     "falls with the square of their length; beam theory is the truth for the extrapolated limit. The clamped side "
     "may not warp, nor contract across, which makes a body in space with nu = 0.3 a little stiffer than the beam."),
    ("elastica", "Elastica",
     "A thin beam is bent far by a dead load across its end; `StVenantKirchhoff` with nu = 0. The truth is the inextensible elastica, integrated in the test "
     "and there checked against elliptic integrals. The coarse meshes are far too stiff: linear elements lock in bending. What remains in "
     "the limit is of the order of (thickness / length)^2: the beam of the library can be sheared and stretched."),
    ("vibration", "Vibration",
     "The same cantilever with nu = 0 and 1000 kg/m^3: K u = omega^2 M u with the tangent, the lumped and the consistent mass of the library, and a free "
     "vibration in time."),
    ("manufactured", "Manufactured solutions",
     "A displacement field of sine waves is chosen on the unit square or cube, the body force that belongs to it computed by hand. `QuasiStatic` solves for it on "
     "meshes with displaced inner nodes; the field is prescribed on the boundary. Linear elements must be of second order in u and of first "
     "order in its gradient."),
    ("conservation", "Conservation and dissipation",
     "A free block of stable neo-Hookean tetrahedra: what the integrators keep, and what they take. `OptimizationEuler` solves the same equation as "
     "`BackwardEuler`."),
]
COLOURS = ["#1b6ca8", "#c8553d", "#3a8a4d", "#8a5aa8", "#b8860b", "#555555"]


def read(folder, chapter):
    """The rows of claims, the tables and the curves of a chapter, from all its records."""
    rows, tables, curves = [], [], []
    files = sorted(folder.glob(chapter + ".*.tsv"))
    if not files:
        sys.exit(f"no record of '{chapter}' in {folder}: run the validation tests with PLIANT_VALIDATION_RECORD")
    for file in files:
        for line in file.read_text().splitlines():
            kind, *cells = line.split("\t")
            if kind == "row":
                rows.append(cells)
            elif kind == "table":
                tables.append({"caption": cells[0], "heads": [], "lines": []})
            elif kind == "heads":
                tables[-1]["heads"] = cells
            elif kind == "cells":
                tables[-1]["lines"].append(cells)
            elif kind == "curve":
                numbers = [float(cell) for cell in cells[2:]]
                curves.append((cells[0], cells[1], list(zip(numbers[::2], numbers[1::2]))))
            else:
                sys.exit(f"{file}: unknown line '{kind}'")
    return rows, tables, curves


def table(heads, lines):
    escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in [heads, ["---"] * len(heads)] + escaped) + "\n"


def panel(name, curves, left, top):
    """One panel: relative errors over sizes, both logarithmic, beside lines of slopes 1 and 2."""
    width, height = 300, 220
    points = [point for _, line in curves for point in line if point[1] > 0]
    low = [math.floor(math.log10(min(p[k] for p in points)) * 4) / 4 for k in (0, 1)]
    high = [math.ceil(math.log10(max(p[k] for p in points)) * 4) / 4 for k in (0, 1)]

    def place(size, error):
        x = left + (math.log10(size) - low[0]) / (high[0] - low[0]) * width
        y = top + height - (math.log10(error) - low[1]) / (high[1] - low[1]) * height
        return f"{x:.1f},{y:.1f}"

    out = [f'<text x="{left}" y="{top - 10}" font-weight="bold">{name}</text>',
           f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#999"/>']
    for axis in (0, 1):
        steps = (1,) if high[axis] - low[axis] > 1.6 else (1, 2, 5)
        ticks = [(step * 10.0 ** decade, f"{step}e{decade}") for decade in range(-12, 4) for step in steps]
        for value, label in ticks:
            at = (math.log10(value) - low[axis]) / (high[axis] - low[axis])
            if not -1e-9 <= at <= 1 + 1e-9:
                continue
            if axis == 0:
                x = left + at * width
                out.append(f'<path d="M{x:.1f} {top}v{height}" stroke="#ddd"/>')
                out.append(f'<text x="{x:.1f}" y="{top + height + 15}" text-anchor="middle">{label}</text>')
            else:
                y = top + height - at * height
                out.append(f'<path d="M{left} {y:.1f}h{width}" stroke="#ddd"/>')
                out.append(f'<text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    # Slopes to compare with, from one point downwards to the left.
    start = (0.97 * (high[0] - low[0]), 0.4 * (high[1] - low[1]))
    for slope in (1, 2):
        reach = min(0.5 * (high[0] - low[0]), 0.9 * start[1] / slope)
        ends = [(10 ** (low[0] + start[0] - part), 10 ** (low[1] + start[1] - slope * part)) for part in (0, reach)]
        out.append(f'<path d="M{place(*ends[0])}L{place(*ends[1])}" stroke="#888" stroke-dasharray="2 3" fill="none"/>')
    for k, (label, line) in enumerate(curves):
        colour = COLOURS[k % len(COLOURS)]
        path = "L".join(place(*point) for point in line if point[1] > 0)
        dashes = ' stroke-dasharray="7 5"' if k % 2 else ""  # two curves may be one
        out.append(f'<path d="M{path}" stroke="{colour}" stroke-width="1.8" fill="none"{dashes}/>')
        for point in line:
            if point[1] > 0:
                x, y = place(*point).split(",")
                out.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>')
        y = top + height + 36 + 15 * k
        out.append(f'<path d="M{left} {y - 4}h20" stroke="{colour}" stroke-width="1.8"{dashes}/>')
        out.append(f'<text x="{left + 26}" y="{y}">{label.replace("`", "")}</text>')
    return out


def plot(curves):
    panels = {}
    for name, label, line in curves:
        panels.setdefault(name, []).append((label, line))
    columns, cell_width, cell_height = 3, 380, 370
    rows = -(-len(panels) // columns)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * cell_width}" height="{rows * cell_height + 20}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>']
    for k, (name, lines) in enumerate(panels.items()):
        out += panel(name, lines, 60 + k % columns * cell_width, 40 + k // columns * cell_height)
    return "\n".join(out + ["</svg>"]) + "\n"


def wrapped(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder, docs = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent
    page = ["# Validation: measured results\n",
            "Made by `docs/validation.py` from what the tests of `tests/validation` measured; see [validation](validation.md) for how. Every row is asserted by the "
            "test that records it, with the bound that stands beside it. A difference is relative where it has no unit. An order is the one between a mesh and "
            "the one before it.\n",
            "![Errors over mesh sizes](images/convergence.svg)\n",
            "Relative errors (of manufactured solutions: L2 norms) over the mesh size, of the angular momentum over the time step. The dotted lines have slopes 1 "
            "and 2.\n"]
    all_curves = []
    for chapter, title, what in CHAPTERS:
        rows, tables, curves = read(folder, chapter)
        all_curves += curves
        page += [f"## {title}\n", what + "\n", table(["claim", "truth", "measured", "bound"], rows)]
        for each in tables:
            page += [each["caption"] + "\n", table(each["heads"], each["lines"])]
    page = [text if text.startswith(("|", "!", "#")) else wrapped(text) for text in page]
    (docs / "validation_results.md").write_text("\n".join(page))
    (docs / "images" / "convergence.svg").write_text(plot(all_curves))


main()
