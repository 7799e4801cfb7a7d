"""The JSON Schema of the experiment file against the reader: what one accepts the other accepts, and what is broken both refuse.

usage: schema.py YOKE SCHEMA SOURCE SCRATCH
"""
import glob
import json
import os
import re
import subprocess
import sys

import jsonschema
import yaml

yoke, schema, source, scratch = sys.argv[1:]


class Loader(yaml.SafeLoader):
    """YAML 1.2, as editors and our reader take it: 1e3 is a number, yes is a text."""


own = {"tag:yaml.org,2002:bool", "tag:yaml.org,2002:float", "tag:yaml.org,2002:timestamp"}
Loader.yaml_implicit_resolvers = {first: [(tag, form) for tag, form in forms if tag not in own]
                                  for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$"),
                             list("-+.0123456789"))

with open(schema) as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
complaints = []


def first_error(tree):
    return jsonschema.exceptions.best_match(validator.iter_errors(tree))


examples = sorted(glob.glob(source + "/examples/*/*.yaml"))
for path in examples:
    with open(path) as file:
        text = file.read()
    if "\nsubstructures:" not in text:  # sections that experiments name, files of other commands
        continue
    error = first_error(yaml.load(text, Loader))
    if error:
        complaints.append(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
    if not text.startswith("# yaml-language-server: $schema=../../build/experiment.schema.json\n"):
        complaints.append(f"{path}: the first line does not name the schema")

# (file, place, value): None removes the key. The reader must refuse each one as well, and a file without the change accept.
SPECIMEN, FRAME, TORN, GAP = ("spring-specimen/spring-specimen", "shear-frame-earthquake/shear-frame-earthquake",
                              "split-mass/split-mass", "gap-support/gap-support")
frame = "substructures.frame."
broken = [
    (FRAME, "time", None), (FRAME, "method", None), (FRAME, "substructures", None), (FRAME, "time.step", None),
    (FRAME, "time.end", None), (FRAME, "tiem", 1), (FRAME, "time.setp", "5 ms"), (FRAME, "time.step", "5 mm"),
    (FRAME, "time.step", "5 kg"), (FRAME, "time.step", "fast"), (FRAME, "time.step", 0), (FRAME, "time.step", -0.005),
    (FRAME, "time.step", [1, 2]), (FRAME, "time.end", "20 Hz"), (FRAME, "time", 5), (FRAME, "method", "newmark"),
    (FRAME, "method.integrator", "newmarc"), (FRAME, "method.coupling", "gc"), (FRAME, "method.rho_infinity", 3),
    (FRAME, "method.stability", "ignore"), (FRAME, "method.path", "quick"), (FRAME, "method.gama", 0.5),
    (FRAME, "substructures", []), (FRAME, frame + "kind", "asembled"), (FRAME, frame + "nodes", None),
    (FRAME, frame + "nodes", 7), (FRAME, frame + "nodes.floor1.mas", "24 t"), (FRAME, frame + "nodes.floor1.mass", None),
    (FRAME, frame + "elements", None), (FRAME, frame + "elements", {}), (FRAME, frame + "elements.0.kind", "sprong"),
    (FRAME, frame + "elements.0.kind", None), (FRAME, frame + "elements.0.between", None),
    (FRAME, frame + "elements.0.stifness", 1), (FRAME, frame + "elements.0.stiffness", None),
    (FRAME, frame + "elements.0.stiffness", "26 s"), (FRAME, frame + "rayleigh.ration", 0.03),
    (FRAME, frame + "rayleigh", 0.03), (FRAME, frame + "rate", "slow"), (FRAME, frame + "role", "imagined"),
    (FRAME, "loads", {"on": "frame.floor1.x"}), (FRAME, "loads.0.kind", "earthquak"), (FRAME, "loads.0.kind", None),
    (FRAME, "loads.0.freqency", "2 Hz"), (FRAME, "loads.0.frequency", "2 s"), (FRAME, "loads.0.seed", 1.5),
    (FRAME, "reference", "exact"), (TORN, "method.coupling", "plsrt3"), (TORN, "time.substeps", 0),
    (TORN, "time.substeps", 2.5), (TORN, "interfaces.0.joint", ["A.x", "B.x"]), (TORN, "interfaces", "A.x"),
    (GAP, "substructures.pipe.elements.4.side", "left"), (SPECIMEN, "transfer.a1.compensator", "velocity"),
    (SPECIMEN, "transfer.a1.compensator.kind", "velosity"), (SPECIMEN, "transfer.a1.compensator.delay", "21 N"),
    (SPECIMEN, "transfer.a1.controler", {"kind": "imc"}), (SPECIMEN, "rig.backend", None),
    (SPECIMEN, "rig.actuators.a1.plant.kind", "tt9"), (SPECIMEN, "limits.force", {"limt": 3}),
    (SPECIMEN, "limits.force", {"limit": 8300, "action": "explode"}), (SPECIMEN, "limits.on_trip", "panic"),
    (SPECIMEN, "substructures.specimen.actuators", None), (SPECIMEN, "substructures.frame.mass", True),
]


def change(tree, place, value):
    *way, last = [int(word) if word.isdigit() else word for word in place.split(".")]
    for word in way:
        tree = tree[word]
    if value is None:
        del tree[last]
    else:
        tree[last] = value


def judged_by_reader(tree):
    path = os.path.join(scratch, "broken.yaml")
    with open(path, "w") as out:
        json.dump(tree, out)
    return subprocess.run([yoke, "run", path, "--no-report", "-q", "-o", os.path.join(scratch, "out"), "--force"],
                          capture_output=True, text=True)


for name, place, value in broken:
    with open(f"{source}/examples/{name}.yaml") as file:
        tree = yaml.load(file, Loader)
    change(tree, place, value)
    if not first_error(tree):
        complaints.append(f"the schema accepts {name} with {place} = {value!r}")
    run = judged_by_reader(tree)
    if run.returncode != 2:
        complaints.append(f"the reader accepts {name} with {place} = {value!r}: exit code {run.returncode}")
for line in complaints:
    print(line)
print(f"{len(examples)} examples, {len(broken)} broken files, {len(complaints)} complaints")
sys.exit(1 if complaints else 0)
