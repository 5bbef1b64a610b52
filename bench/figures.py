#!/usr/bin/env python3
"""The figures that both README.md and docs/performance.md tell, from one run of the benchmarks.

    bench/figures.py <folder of the benchmark programs>   measures, writes docs/figures.json and the tables of both pages
    bench/figures.py                                      writes the tables anew from docs/figures.json
    bench/figures.py --check                              fails if a page does not say what docs/figures.json says

Each time is the median of five repetitions in random order, on one thread. A table stands in a page between the lines
`<!-- figures: name -->` and `<!-- end of figures -->`. Needs nothing beyond Python 3.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "docs" / "figures.json"
PAGES = [ROOT / "README.md", ROOT / "docs" / "performance.md"]
END = "<!-- end of figures -->"

# The number of elements in each benchmark of bench_assembly, by its argument.
TETS, HEXAHEDRA = 13720, 1728

STABLE = "lanes_tangent<{}, StableNeoHookean, Projection::clamp>/14/1"
BENCHMARKS = {
    "bench_assembly": [
        "lanes_energy<double>/14/1", "eigen_gradient/14/1", "lanes_gradient<double>/14/1", "lanes_gradient<float>/14/1",
        "eigen_tangent/14/1", "lanes_tangent<double>/14/1", "lanes_tangent<float>/14/1", "eigen_clamped/14/1",
        STABLE.format("double"), STABLE.format("float"), "eigen_tangent_hex8",
        *(f"lanes_tangent_hex8<{scalar}, Projection::{projection}>"
          for scalar in ("double", "float") for projection in ("none", "clamp"))],
    "bench_linear_solver": [
        *(f"{name}/{cells}/1" for name in ("eigen_product", "product<BlockMatrix>", "product<PackedMatrix>")
          for cells in (14, 24, 40)),
        *(f"{name}/{cells}/1" for name in ("eigen_pcg", "pcg<Jacobi>", "pcg<BlockJacobi>") for cells in (14, 24))],
    "bench_simulation": [
        f"{name}/0/1/min_time:0.500" for name in ("eigen_program", "pliant_jacobi", "pliant_block_jacobi",
                                                 "eigen_program_clamped", "pliant_clamped")],
}
UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def machine():
    """What the processor calls itself."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return " ".join(line.split(":", 1)[1].split())
    return "a processor without a name"


def measure(folder):
    """Writes {benchmark: {"ns": median time of an iteration, "iterations": of the linear solver, if it tells}}"""
    record = {"machine": machine()}
    for program, names in BENCHMARKS.items():
        pattern = "^(" + "|".join(name.split("/min_time")[0] for name in names) + ")(/min_time.*)?$"
        output = subprocess.run(
            [pathlib.Path(folder) / program, "--benchmark_filter=" + pattern, "--benchmark_format=json",
             "--benchmark_repetitions=5", "--benchmark_enable_random_interleaving=true"],
            check=True, stdout=subprocess.PIPE, text=True,
            env={"PLIANT_TEST_DATA": str(ROOT.parent / "shared"), **os.environ, "OMP_NUM_THREADS": "1"}).stdout
        for run in json.loads(output)["benchmarks"]:
            if run.get("error_occurred"):
                sys.exit(f"{run['run_name']}: {run['error_message']}")
            if run.get("aggregate_name") == "median":
                entry = {"ns": float(f"{run['cpu_time'] * UNITS[run['time_unit']]:.4g}")}
                if "iterations" in run and "/0/1" in run["run_name"]:
                    entry["iterations"] = round(run["iterations"])
                record[run["run_name"]] = entry
        missing = [name for name in names if name not in record]
        if missing:
            sys.exit(f"{program} did not measure {', '.join(missing)}")
    RECORD.write_text(json.dumps(record, indent=1) + "\n")


def number(x):
    return f"{x:.3g}" if x < 100 else f"{x:.0f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def tables(record):
    """{name: Markdown}"""

    def ns(name, per=1):
        return record[name]["ns"] / per if name in record else None

    def ratio(slow, fast):
        return f"{record[slow]['ns'] / record[fast]['ns']:.1f}"

    # Elements: what, its benchmarks by Eigen, in doubles and in floats, and how many elements each has.
    kinds = [
        ("tetrahedron: energy", None, "lanes_energy<double>/14/1", None, TETS),
        ("energy + gradient", "eigen_gradient/14/1", "lanes_gradient<double>/14/1", "lanes_gradient<float>/14/1", TETS),
        ("energy + gradient + stiffness into the matrix", "eigen_tangent/14/1", "lanes_tangent<double>/14/1",
         "lanes_tangent<float>/14/1", TETS),
        ("the same, Hessians clamped", "eigen_clamped/14/1", STABLE.format("double"), STABLE.format("float"), TETS),
        ("hexahedron: energy + gradient + stiffness into the matrix", "eigen_tangent_hex8",
         "lanes_tangent_hex8<double, Projection::none>", "lanes_tangent_hex8<float, Projection::none>", HEXAHEDRA),
        ("the same, Hessians clamped", None, "lanes_tangent_hex8<double, Projection::clamp>",
         "lanes_tangent_hex8<float, Projection::clamp>", HEXAHEDRA)]
    elements = [[what, number(ns(eigen, count)) if eigen else "", number(ns(double, count)),
                 ratio(eigen, double) if eigen else "", number(ns(single, count)) if single else ""]
                for what, eigen, double, single, count in kinds]

    sizes = {14: "13,720 tets", 24: "69,120 tets", 40: "320,000 tets"}
    products = [[sizes[cells], *(number(ns(f"{name}/{cells}/1", 1e3))
                                 for name in ("eigen_product", "product<BlockMatrix>", "product<PackedMatrix>")),
                 ratio(f"eigen_product/{cells}/1", f"product<PackedMatrix>/{cells}/1")] for cells in sizes]
    iterations = [[sizes[cells], number(ns(f"eigen_pcg/{cells}/1", 1e5)), number(ns(f"pcg<Jacobi>/{cells}/1", 1e5)),
                   ratio(f"eigen_pcg/{cells}/1", f"pcg<Jacobi>/{cells}/1"),
                   number(ns(f"pcg<BlockJacobi>/{cells}/1", 1e5))] for cells in (14, 24)]

    step = "{}/0/1/min_time:0.500".format
    steps = [[what, number(ns(step(name), 1e6)), str(record[step(name)].get("iterations", "")),
              ratio(step(other), step(name)) if other else ""]
             for what, name, other in [
                 ("Eigen program", "eigen_program", None),
                 ("pliant, `Jacobi` (the same preconditioner)", "pliant_jacobi", "eigen_program"),
                 ("pliant, `BlockJacobi`", "pliant_block_jacobi", "eigen_program"),
                 ("Eigen program, Hessians clamped by a 9x9 eigensolver", "eigen_program_clamped", None),
                 ("pliant, clamped analytically", "pliant_clamped", "eigen_program_clamped")]]

    summary = [
        ["energy and gradient, per tetrahedron", elements[1][3]],
        ["with stiffness, scattered into the matrix", elements[2][3]],
        ["with Hessians projected to positive semidefinite", elements[3][3]],
        ["stiffness of a hexahedron", elements[4][3]],
        ["symmetric matrix product, 69k and 320k tets", f"{products[1][4]}, {products[2][4]}"],
        ["conjugate gradient iteration, 14k and 69k tets", f"{iterations[0][3]}, {iterations[1][3]}"],
        ["a whole linearised step, 3.7k tets, tolerance 1e-6", steps[2][3]]]
    measured_on = f"\n\nMeasured on {record['machine']}."
    found = {
        "elements": table(["", "scalar Eigen, double", "lanes, double", "ratio", "lanes, float"], elements),
        "product": table(["microseconds", "Eigen, row-major", "`BlockMatrix`", "`PackedMatrix`", "ratio"], products),
        "iteration": table(["", "Eigen, diagonal", "`Pcg<Jacobi>`", "ratio", "`Pcg<BlockJacobi>`"], iterations),
        "step": table(["", "ms per step", "iterations", "ratio"], steps),
        "summary": table(["", "times faster"], summary)}
    return {name: text + measured_on for name, text in found.items()}


def filled(page, found):
    """The text of a page with its tables made anew."""
    parts = page.read_text().split("<!-- figures: ")
    text = parts[0]
    for part in parts[1:]:
        name, rest = part.split(" -->\n", 1)
        if END not in rest or name not in found:
            sys.exit(f"{page.name}: the table '{name}' is not known or has no end")
        text += f"<!-- figures: {name} -->\n{found[name]}\n{END}{rest.split(END, 1)[1]}"
    return text


def main():
    argument = sys.argv[1] if len(sys.argv) == 2 else None
    if len(sys.argv) > 2 or argument in ("-h", "--help"):
        sys.exit(__doc__)
    if argument and argument != "--check":
        measure(argument)
    found = tables(json.loads(RECORD.read_text()))
    for page in PAGES:
        text = filled(page, found)
        if argument != "--check":
            page.write_text(text)
        elif text != page.read_text():
            sys.exit(f"{page.name} does not say what docs/figures.json says: run bench/figures.py")


main()
