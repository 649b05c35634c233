#!/usr/bin/env python3
"""Measures the models of workloads/ on this machine, and peers beside them.

Each time is the median of whole runs by the clock of the host: from the call to
when the outputs are in the memory of the GPU. Inputs lie there and are others
in each run. The kernels of HamKaas alone, by events of the GPU, are what is
compared with the limits: the bandwidth of copies, and arithmetic of float32
without tensor cores, both measured here. Every contestant has a process of its own;
what is not installed is named below the table.
"""

import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
WORKLOADS = HERE / "workloads"
PEERS = ["eager", "inductor", "ort", "jax", "cublaslt"]
# The same models for the processor, which computes what outputs are compared
# with.
REFERENCE = WORKLOADS / "reference"
# HamKaas, and the same with products by cuBLASLt: folders of its programs.
OWN = {"hamkaas": WORKLOADS, "hamkaas with cublaslt": WORKLOADS / "engine"}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--device", default="cuda", help="cuda, cuda:N or cpu")
    add("--seconds", type=float, default=1, help="for each (default: 1)")
    add("--timeout", type=float, default=600,
        help="seconds to compile and measure (default: 600)")
    add("--peers", default=",".join(PEERS), metavar="PEER,...")
    add("--workloads", metavar="NAME,...", help="default: all")
    add("--output", type=pathlib.Path, metavar="F.md")
    return parser.parse_args()


def execute(command, timeout):
    """The line of JSON that a program writes last, or why there is none."""
    try:
        done = subprocess.run([str(word) for word in command],
                              capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return {"error": f"took more than {timeout:g} s"}
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines:
        return json.loads(lines[-1])
    reasons = (done.stderr or done.stdout).strip().splitlines()
    return {"error": reasons[-1] if reasons else f"status {done.returncode}"}


def find_reference(name):
    """None in a folder that was made for the processor alone."""
    file = REFERENCE / f"{name}.so"
    return [file] if file.exists() else []


def find_programs(name, device):
    if device == "cpu":
        own = find_reference(name) or [WORKLOADS / f"{name}.so"]
        return {"hamkaas": own[0]}
    files = {contestant: folder / f"{name}.so"
             for contestant, folder in OWN.items()}
    return {contestant: file for contestant, file in files.items()
            if file.exists()}


def measure(name, options):
    driver = HERE / "hamkaas-cuda-driver"
    results = {}
    for contestant, library in find_programs(name, options.device).items():
        results[contestant] = execute(
            [driver, "time", library, f"--device={options.device}",
             f"--seconds={options.seconds}",
             f"--integers={WORKLOADS / name}.integers",
             *[f"--reference={file}" for file in find_reference(name)]],
            options.timeout)
    for peer in filter(None, options.peers.split(",")):
        results[peer] = execute(
            [sys.executable, HERE / "contestants_cuda.py", peer, name,
             options.device, options.seconds], options.timeout)
    return results


#===------------------------------------------------------------------------===#
# The table
#===------------------------------------------------------------------------===#


def format_time(result):
    """Empty of a result with an error, and where there is none."""
    return f"{result['median_us']:.1f}" if "median_us" in result else ""


def format_kernels(result):
    return f"{result['kernels_us']:.1f}" if "kernels_us" in result else ""


def describe_limit(description, ceilings, result):
    """Share of the time of the kernels that moving each byte once, or all
    arithmetic, would take alone: the longer one of these."""
    if not result.get("kernels_us") or "error" in ceilings:
        return ""
    least, limit = max(
        (description["bytes"] / ceilings["copy_gbs"] / 1e3, "memory"),
        (description["flops"] / ceilings["float32_gflops"] / 1e3, "compute"))
    return f"{100 * least / result['kernels_us']:.0f} ({limit})"


def make_row(name, results, ceilings, contestants):
    description = json.loads((WORKLOADS / f"{name}.json").read_text())
    own = results["hamkaas"]
    others = {peer: result["median_us"] for peer, result in results.items()
              if peer not in OWN and "error" not in result}
    best, ratio = "", ""
    if others and "error" not in own:
        best = min(others, key=others.get)
        ratio = f"{others[best] / own['median_us']:.2f}"
    times = [format_time(results.get(one, {})) for one in contestants]
    cells = [name, *times, best, ratio, format_kernels(own),
             describe_limit(description, ceilings, own)]
    return f"| {' | '.join(cells)} |"


def make_report(measured, gpu, ceilings, peers):
    lines = ["# HamKaas on a GPU", ""]
    if "error" not in gpu:
        lines += [f"{gpu['name']} ({gpu['architecture']}, "
                  f"{gpu['multiprocessors']} multiprocessors), driver "
                  f"{gpu['driver']}."]
    if "error" not in ceilings:
        lines += [f"Copies within its memory read and write "
                  f"{ceilings['copy_gbs']:.0f} GB/s; products and sums of "
                  f"float32 in registers are "
                  f"{ceilings['float32_gflops'] / 1e3:.1f} TFLOP/s."]
    lines += ["", "## Median microseconds of a run", ""]
    contestants = [*OWN, *peers]
    head = ["workload", *contestants, "best peer", "ratio",
            "kernels of hamkaas", "% of limit"]
    lines += [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [make_row(name, results, ceilings, contestants)
              for name, results in measured.items()]
    missing = [f"- {peer}, {name}: {result['error']}"
               for name, results in measured.items()
               for peer, result in results.items() if "error" in result]
    if missing:
        lines += ["", "## Without a result", "", *missing]
    return "\n".join(lines) + "\n"


def main():
    options = parse_arguments()
    names = sorted(path.stem for path in WORKLOADS.glob("*.so"))
    if options.workloads:
        names = options.workloads.split(",")
    driver = HERE / "hamkaas-cuda-driver"
    gpu = ceilings = {"error": "not asked for"}
    if options.device != "cpu":
        device = f"--device={options.device}"
        gpu = execute([driver, "gpu", device], 60)
        if "error" in gpu:
            sys.exit(f"bench.py: there is no GPU to run on: {gpu['error']}")
        ceilings = execute([driver, "ceilings", device], 60)
    measured = {}
    for name in names:
        measured[name] = measure(name, options)
        print(name, json.dumps(measured[name]), flush=True)
    peers = list(filter(None, options.peers.split(",")))
    report = make_report(measured, gpu, ceilings, peers)
    if options.output:
        options.output.write_text(report)
    print(report)
    return any("error" in results["hamkaas"] for results in measured.values())


if __name__ == "__main__":
    sys.exit(main())
