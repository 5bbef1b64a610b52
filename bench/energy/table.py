#!/usr/bin/env python3
"""Measures the ten energies and writes them as one table and one bar chart.

    bench/energy/table.py <bench_energy> [chart.svg]
    bench/energy/table.py <results.json> [chart.svg]

The first form runs the program bench_energy, three times each benchmark in random order, and keeps the JSON that it
prints as energies.json in the working directory; the second reads such a file. The table (Markdown, ns per
deformation gradient, the least of the repetitions) goes to the standard output. Needs nothing beyond Python 3.
"""
import json
import pathlib
import subprocess
import sys
from math import log10

ENERGIES = ["LinearElastic", "StVenantKirchhoff", "CorotatedLinear", "FixedCorotated", "Arap", "StableNeoHookean",
            "StableNeoHookeanBarrier", "BonetWoodNeoHookean", "OgdenNeoHookean", "BowerNeoHookean"]
PROJECTED = ENERGIES[1:]  # the Hessian of LinearElastic is constant and needs no projection
WHAT = ["psi", "pk1", "hessian", "projected"]
SCALARS = ["double", "4_doubles", "8_floats"]


def results(argument):
    """{(energy, dimension, scalar, what): ns}"""
    path = pathlib.Path(argument)
    if path.suffix == ".json":
        text = path.read_text()
    else:
        text = subprocess.run(
            [path.resolve(), "--benchmark_format=json", "--benchmark_repetitions=3", "--benchmark_min_time=0.02",
             "--benchmark_enable_random_interleaving=true"], check=True, stdout=subprocess.PIPE, text=True).stdout
        pathlib.Path("energies.json").write_text(text)
    times = {}
    for run in json.loads(text)["benchmarks"]:
        if run.get("run_type") != "iteration":
            continue
        key = tuple(run["run_name"].split("/")[:4])
        times[key] = min(times.get(key, float("inf")), run["s/F"] * 1e9)
    return times


def figures(ns):
    return f"{ns:.1f}" if ns < 100 else f"{ns:.0f}"


def table(times, dimension):
    """One row per energy: psi, P, Hessian, projected Hessian in scalars, doubles in lanes and floats in lanes."""
    space = dimension == "3D"
    head = ["", "psi", "P", "Hessian", "projected"]
    if space:
        head += ["projected, lanes of 8 doubles", "projected by Eigen", "ratio"]
    print(f"\n### {dimension}: one double / lanes of 4 doubles / lanes of 8 floats\n")
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    for energy in ENERGIES:
        cells = [f"`{energy}`"]
        for what in WHAT:
            cells.append(" / ".join(figures(times[energy, dimension, scalar, what]) for scalar in SCALARS))
        if space:
            by_eigen = times[energy, "3D", "double", "projected_by_eigen"]
            cells.append(figures(times[energy, "3D", "8_doubles", "projected"]))
            cells.append(figures(by_eigen))
            ratio = by_eigen / times[energy, "3D", "4_doubles", "projected"]
            cells.append(f"{ratio:.1f}" if energy in PROJECTED else "")
        print("| " + " | ".join(cells) + " |")


def chart(times, path):
    """Horizontal bars of the projected Hessian in 3D, logarithmic: scalars with Eigen's solver, scalars, lanes."""
    bars = [("double", "projected_by_eigen", "#bbbbbb", "one double, projected by Eigen's 9x9 eigensolver"),
            ("double", "projected", "#f28e2b", "one double, analytic eigensystem"),
            ("4_doubles", "projected", "#4e79a7", "lanes of 4 doubles"),
            ("8_floats", "projected", "#59a14f", "lanes of 8 floats")]
    left, width, row, bar, top = 200, 620, 58, 12, 60
    low, high = 10, 20000

    def x(ns):
        return left + width * max(0, log10(ns / low) / log10(high / low))

    bottom = top + row * len(PROJECTED)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 70} {bottom + 110}" '
           'font-family="sans-serif" font-size="13">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="28" font-size="15">Hessian of one 3x3 deformation gradient, projected to positive '
           'semidefinite: ns, logarithmic</text>']
    for decade in (10, 100, 1000, 10000):
        out.append(f'<path d="M{x(decade):.0f} {top - 8}V{bottom}" stroke="#dddddd"/>'
                   f'<text x="{x(decade):.0f}" y="{top - 14}" text-anchor="middle">{decade}</text>')
    for i, energy in enumerate(PROJECTED):
        y = top + row * i
        out.append(f'<text x="{left - 8}" y="{y + 28}" text-anchor="end">{energy}</text>')
        for k, (scalar, what, colour, _) in enumerate(bars):
            ns = times[energy, "3D", scalar, what]
            out.append(f'<rect x="{left}" y="{y + bar * k}" width="{x(ns) - left:.1f}" height="{bar - 1}" '
                       f'fill="{colour}"/><text x="{x(ns) + 4:.1f}" y="{y + bar * k + 10}" font-size="10">'
                       f'{figures(ns)}</text>')
    for k, (_, _, colour, words) in enumerate(bars):
        out.append(f'<rect x="{left}" y="{bottom + 12 + 22 * k}" width="14" height="14" fill="{colour}"/>'
                   f'<text x="{left + 20}" y="{bottom + 24 + 22 * k}">{words}</text>')
    pathlib.Path(path).write_text("\n".join(out) + "\n</svg>\n")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    times = results(sys.argv[1])
    for dimension in ("3D", "2D"):
        table(times, dimension)
    if len(sys.argv) == 3:
        chart(times, sys.argv[2])


main()
