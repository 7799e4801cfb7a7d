"""Writes the model that is in OpenSeesPy as text for Yoke.

Build the model (nodes, masses, supports, elements, damping, and gravity if its state matters), then:

    import yoke_export
    yoke_export.write("frame.opensees")

The analysis is wiped. Needs OpenSees 3.3 or later (integrator GimmeMCK, nodeDOFs). docs/importing.md has the layout.
"""

import openseespy.opensees as ops

# Names of the degrees of freedom of a node, by the dimension of the model and their number.
DIRECTIONS = {
    (1, 1): ["x"],
    (2, 2): ["x", "y"],
    (2, 3): ["x", "y", "rz"],
    (3, 3): ["x", "y", "z"],
    (3, 6): ["x", "y", "z", "rx", "ry", "rz"],
}


def matrix(m, c, k):
    """One of the matrices, row by row: weights of mass, damping and stiffness."""
    ops.wipeAnalysis()
    ops.constraints("Transformation")
    ops.numberer("Plain")
    ops.system("FullGeneral")
    ops.algorithm("Linear")
    ops.integrator("GimmeMCK", m, c, k)
    ops.analysis("Transient")
    ops.analyze(1, 0.0)
    return ops.printA("-ret")


def write_matrix(out, name, values, n):
    out.write(f"matrix {name} {n}\n")
    for at, value in enumerate(values):
        if value != 0:
            out.write(f"{at // n + 1} {at % n + 1} {value:.17g}\n")


def write_dofs(out):
    for tag in ops.getNodeTags():
        out.write(f"node {tag} {' '.join(f'{x:.17g}' for x in ops.nodeCoord(tag))}\n")
    for tag in ops.getNodeTags():
        equations = ops.nodeDOFs(tag)
        for equation, direction in zip(equations, DIRECTIONS[len(ops.nodeCoord(tag)), len(equations)]):
            if equation >= 0:
                out.write(f"dof {int(equation) + 1} {tag} {direction}\n")


def write(path):
    stiffness = matrix(0.0, 0.0, 1.0)
    n = ops.systemSize()
    with open(path, "w") as out:
        out.write("yoke-opensees 1\n")
        write_dofs(out)
        write_matrix(out, "stiffness", stiffness, n)
        write_matrix(out, "mass", matrix(1.0, 0.0, 0.0), n)
        damping = matrix(0.0, 1.0, 0.0)
        if any(damping):
            write_matrix(out, "damping", damping, n)
        out.write("end\n")
    ops.wipeAnalysis()
